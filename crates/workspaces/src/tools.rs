//! The tools as models see them: the arguments of each, titles, descriptions, schemas and hints, calls by name, and the
//! middleware form, for an agent loop in Rust that calls models and tools itself. Models read the comments on the
//! request types.
//!
//! *Invariants*: an unknown argument is refused, and so is one that is given under two names: the value that was
//! checked is the value that is used.

use std::sync::{Arc, LazyLock};

use piton_core::tool_card::{Hints, Object, ToolCard, brief_input};
use piton_store::port::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, quote};
use crate::files::Files;
use crate::scope::Tool;

/// Alternative names that models use for arguments, each with the real name.
pub const ALIASES: &[(&str, &str)] =
    &[("file_path", "path"), ("source", "from"), ("destination", "to")];

/// `ls`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LsRequest {
    /// Directory; else `/`
    #[serde(default = "root")]
    pub path: String,
}

fn root() -> String {
    "/".into()
}

/// `read`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadRequest {
    /// File
    pub path: String,
    /// First line, from 1
    #[serde(default)]
    pub offset: Option<u64>,
    /// Lines; else 2000
    #[serde(default)]
    pub limit: Option<u64>,
    /// Number the lines
    #[serde(default)]
    pub numbers: bool,
}

/// `write`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// File; missing directories are made
    pub path: String,
    /// The text
    pub content: String,
    /// Add to the end
    #[serde(default)]
    pub append: bool,
    /// Only if it has this version, from `read`
    #[serde(default)]
    pub version: Option<String>,
}

/// `edit`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// File
    pub path: String,
    /// Text as in the file, without line numbers
    pub old_string: String,
    /// Text instead of it
    pub new_string: String,
    /// Replace every occurrence
    #[serde(default)]
    pub replace_all: bool,
    /// Only if it has this version, from `read`
    #[serde(default)]
    pub version: Option<String>,
}

/// `glob`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobRequest {
    /// `*.rs` matches at any depth, `src/**/*.rs` from `path` on
    pub pattern: String,
    /// Where to start; else `/`
    #[serde(default = "root")]
    pub path: String,
    /// Hidden and ignored files too
    #[serde(default)]
    pub all: bool,
    /// Results; else 250
    #[serde(default)]
    pub limit: Option<u64>,
}

/// What `grep` tells of a file that matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrepOutput {
    /// The lines.
    #[default]
    Lines,
    /// Its path.
    Files,
    /// Its path and how many lines match.
    Count,
}

/// `grep`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepRequest {
    /// Regular expression
    pub pattern: String,
    /// Directory or file; else `/`
    #[serde(default = "root")]
    pub path: String,
    /// Only files such as `*.rs`
    #[serde(default)]
    pub glob: Option<String>,
    /// Only this file type, such as `rust`
    #[serde(default, rename = "type")]
    pub file_type: Option<String>,
    /// What to show of each file
    #[serde(default)]
    pub output: GrepOutput,
    /// Lines around each match
    #[serde(default)]
    pub context: u64,
    /// Ignore case
    #[serde(default)]
    pub ignore_case: bool,
    /// The pattern is plain text
    #[serde(default)]
    pub literal: bool,
    /// Hidden and ignored files too
    #[serde(default)]
    pub all: bool,
    /// Results; else 250
    #[serde(default)]
    pub limit: Option<u64>,
}

/// `stat`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatRequest {
    /// File or directory
    pub path: String,
}

/// `copy`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyRequest {
    /// File
    pub from: String,
    /// New path; must be free
    pub to: String,
}

/// `move`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// File or directory
    pub from: String,
    /// New path; must be free
    pub to: String,
}

/// `delete`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// File or directory
    pub path: String,
    /// A directory with everything in it
    #[serde(default)]
    pub recursive: bool,
}

/// `mkdir`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MkdirRequest {
    /// Directory, with those above it
    pub path: String,
}

/// Description of the structured content of every reply.
const NO_STRUCTURE: &str = "There is no structured content: the answer is text.";

/// Returns the card of a tool.
pub fn card(tool: Tool) -> &'static ToolCard {
    static CARDS: LazyLock<Vec<ToolCard>> =
        LazyLock::new(|| Tool::ALL.iter().map(|tool| build_card(*tool)).collect());
    &CARDS[tool as usize]
}

fn build_card(tool: Tool) -> ToolCard {
    let (title, description, input) = describe(tool);
    let read_only = !tool.changes();
    ToolCard {
        name: tool.as_str(),
        title,
        description: description.to_owned(),
        hints: Hints {
            read_only,
            destructive: matches!(tool, Tool::Write | Tool::Edit | Tool::Delete),
            idempotent: read_only || tool == Tool::Mkdir,
        },
        input: Arc::new(input),
        output: Arc::new(Object::from_iter([("description".to_owned(), NO_STRUCTURE.into())])),
    }
}

/// Returns the title for people, the description for models and the schema of the arguments.
fn describe(tool: Tool) -> (&'static str, &'static str, Object) {
    match tool {
        Tool::Ls => (
            "List",
            "List a directory: `name/`, or a file's name and bytes.",
            brief_input::<LsRequest>(),
        ),
        Tool::Read => (
            "Read",
            "Read a text file. The reply begins with which lines follow, their version and the next offset.",
            brief_input::<ReadRequest>(),
        ),
        Tool::Write => ("Write", "Create or replace a file.", brief_input::<WriteRequest>()),
        Tool::Edit => (
            "Edit",
            "Replace a text that occurs exactly once in a file.",
            brief_input::<EditRequest>(),
        ),
        Tool::Glob => {
            ("Find files", "Find files by name, sorted by path.", brief_input::<GlobRequest>())
        }
        Tool::Grep => (
            "Search files",
            "Find lines in files, sorted by path: `path:line:text`.",
            brief_input::<GrepRequest>(),
        ),
        Tool::Stat => (
            "Look",
            "Kind, bytes, version, time and Workspace of a path.",
            brief_input::<StatRequest>(),
        ),
        Tool::Copy => ("Copy", "Copy a file.", brief_input::<CopyRequest>()),
        Tool::Move => ("Move", "Move or rename a file or directory.", brief_input::<MoveRequest>()),
        Tool::Delete => ("Delete", "Delete a file or directory.", brief_input::<DeleteRequest>()),
        Tool::Mkdir => ("New directory", "Make a directory.", brief_input::<MkdirRequest>()),
    }
}

/// The result of a call as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReply {
    pub text: String,
    /// Error of a failed call.
    pub error: Option<Error>,
}

impl CallReply {
    /// True if the call failed.
    pub fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

impl From<Result<String, Error>> for CallReply {
    fn from(result: Result<String, Error>) -> Self {
        match result {
            Ok(text) => Self { text, error: None },
            Err(error) => Self { text: error.for_model(), error: Some(error) },
        }
    }
}

impl Files {
    /// Calls a tool, and renders the result for a model.
    pub async fn call(&self, name: &str, arguments: Value) -> CallReply {
        self.run(name, arguments).await.into()
    }

    /// Runs a tool by its name. A tool that is not offered, and arguments that do not fit, are refused like any other
    /// call.
    pub fn run<'a>(
        &'a self,
        name: &'a str,
        arguments: Value,
    ) -> BoxFuture<'a, Result<String, Error>> {
        Box::pin(async move {
            let offered = self.workspaces().tools();
            let Some(tool) = offered.iter().copied().find(|tool| tool.as_str() == name) else {
                let offered = offered.into_iter().map(Tool::as_str).collect();
                return Err(Error::NoSuchTool { name: quote(name), offered });
            };
            match tool {
                Tool::Ls => self.ls(parse(tool, arguments)?).await,
                Tool::Read => self.read(parse(tool, arguments)?).await,
                Tool::Write => self.write(parse(tool, arguments)?).await,
                Tool::Edit => self.edit(parse(tool, arguments)?).await,
                Tool::Glob => self.glob(parse(tool, arguments)?).await,
                Tool::Grep => self.grep(parse(tool, arguments)?).await,
                Tool::Stat => self.stat(parse(tool, arguments)?).await,
                Tool::Copy => self.copy(parse(tool, arguments)?).await,
                Tool::Move => self.relocate(parse(tool, arguments)?).await,
                Tool::Delete => self.delete(parse(tool, arguments)?).await,
                Tool::Mkdir => self.mkdir(parse(tool, arguments)?).await,
            }
        })
    }
}

fn parse<T: DeserializeOwned>(tool: Tool, arguments: Value) -> Result<T, Error> {
    let arguments = match arguments {
        Value::Null => serde_json::Map::new(),
        Value::Object(arguments) => card(tool).without_aliases(ALIASES, arguments),
        _ => return Err(Error::BadArgument(format!("`{tool}` takes an object of arguments"))),
    };
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Error::BadArgument(format!("`{tool}`: {}", quote(&error.to_string()))))
}

/// The file-related parts of a request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCall {
    /// Text before the conversation.
    pub system: String,
    /// Tools that the model may call.
    pub tools: Vec<ToolCard>,
}

/// A tool call that a model requests.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    pub name: String,
    pub arguments: Value,
}

/// A layer between an agent loop and its model and tools.
///
/// An implementation promises that calls it does not know pass through untouched.
pub trait Middleware: Send + Sync {
    /// Adds to the request to the model.
    fn wrap_model_call(&self, call: ModelCall) -> ModelCall;

    /// Answers a call of the model, or passes it to `next`.
    fn wrap_tool_call<'a>(
        &'a self,
        call: ModelToolCall,
        next: &'a (dyn Fn(ModelToolCall) -> BoxFuture<'a, CallReply> + Send + Sync),
    ) -> BoxFuture<'a, CallReply>;
}

const MAP_START: &str = "<filesystem-map>\n";
const MAP_END: &str = "</filesystem-map>\n";

/// Files as a middleware. It adds the Filesystem Map and the tools before each call of the model, and performs or
/// refuses the operations at each call of a tool.
#[derive(Clone)]
pub struct FilesMiddleware {
    files: Files,
}

impl FilesMiddleware {
    /// Creates a middleware for one agent.
    pub fn new(files: Files) -> Self {
        Self { files }
    }
}

impl Middleware for FilesMiddleware {
    /// Puts the map at the end of the system text, replaces an earlier one, and adds the tools that can succeed.
    fn wrap_model_call(&self, mut call: ModelCall) -> ModelCall {
        // The map of an earlier call is removed, so that the system text does not grow with each turn.
        if let (Some(start), Some(end)) = (call.system.find(MAP_START), call.system.find(MAP_END))
            && start < end
        {
            call.system.replace_range(start..end + MAP_END.len(), "");
        }
        if !call.system.is_empty() && !call.system.ends_with('\n') {
            call.system.push('\n');
        }
        let map = self.files.workspaces().map();
        call.system.push_str(&[MAP_START, &map, MAP_END].concat());
        let offered = self.files.workspaces().tools();
        call.tools.retain(|card| !offered.iter().any(|tool| tool.as_str() == card.name));
        call.tools.extend(offered.into_iter().map(|tool| card(tool).clone()));
        call
    }

    fn wrap_tool_call<'a>(
        &'a self,
        call: ModelToolCall,
        next: &'a (dyn Fn(ModelToolCall) -> BoxFuture<'a, CallReply> + Send + Sync),
    ) -> BoxFuture<'a, CallReply> {
        if call.name.parse::<Tool>().is_err() {
            return next(call);
        }
        Box::pin(async move { self.files.call(&call.name, call.arguments).await })
    }
}

//! Tool calls by name, with arguments as JSON.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::blocking::as_a_whole;
use crate::error::{Error, quote};
use crate::files::Files;
use crate::scope::Tool;

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
    /// Runs a tool by its name. A tool that is not offered, and arguments that do not fit, are refused like any other
    /// call.
    pub async fn call(&self, name: &str, arguments: Value) -> CallReply {
        self.run(name, arguments).await.into()
    }

    async fn run(&self, name: &str, arguments: Value) -> Result<String, Error> {
        let offered = self.workspaces().tools();
        let tool = name.parse().ok().filter(|tool| offered.contains(tool));
        let Some(tool) = tool else {
            let offered = offered.into_iter().map(Tool::as_str).collect();
            return Err(Error::NoSuchTool { name: quote(name), offered });
        };
        // A change runs to its end on one thread, even if the caller stops waiting: a half-made change is never
        // abandoned.
        if tool.changes() {
            self.refuse_at_once(tool, &arguments)?;
            let files = self.clone();
            return as_a_whole(async move { files.make(tool, arguments).await }).await;
        }
        self.make(tool, arguments).await
    }

    /// Refuses calls that the Workspaces refuse regardless of the files, without using another thread.
    fn refuse_at_once(&self, tool: Tool, arguments: &Value) -> Result<(), Error> {
        let check = |name: &str, right| match arguments.get(name).and_then(Value::as_str) {
            Some(path) => self.permit(tool, right, path).map(drop),
            None => Ok(()),
        };
        match tool.needs_at_target() {
            None => check("path", tool.needs()),
            Some(at_target) => {
                check("from", tool.needs())?;
                check("to", at_target)
            }
        }
    }

    async fn make(&self, tool: Tool, arguments: Value) -> Result<String, Error> {
        match tool {
            Tool::Ls => self.ls(parsed(tool, arguments)?).await,
            Tool::Read => self.read(parsed(tool, arguments)?).await,
            Tool::Write => self.write(parsed(tool, arguments)?).await,
            Tool::Edit => self.edit(parsed(tool, arguments)?).await,
            Tool::Glob => self.glob(parsed(tool, arguments)?).await,
            Tool::Grep => self.grep(parsed(tool, arguments)?).await,
            Tool::Stat => self.stat(parsed(tool, arguments)?).await,
            Tool::Copy => self.copy(parsed(tool, arguments)?).await,
            Tool::Move => self.relocate(parsed(tool, arguments)?).await,
            Tool::Delete => self.delete(parsed(tool, arguments)?).await,
            Tool::Mkdir => self.mkdir(parsed(tool, arguments)?).await,
        }
    }
}

fn parsed<T: DeserializeOwned>(tool: Tool, arguments: Value) -> Result<T, Error> {
    let arguments = match arguments {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(_) => arguments,
        _ => return Err(Error::BadArgument(format!("`{tool}` takes an object of arguments"))),
    };
    serde_json::from_value(arguments)
        .map_err(|error| Error::BadArgument(format!("`{tool}`: {}", quote(&error.to_string()))))
}

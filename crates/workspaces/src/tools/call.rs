//! Tool calls by name, with arguments as JSON.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::card::card;
use super::request::ALIASES;
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
    /// Calls a tool, and renders the result for a model.
    pub async fn call(&self, name: &str, arguments: Value) -> CallReply {
        self.run(name, arguments).await.into()
    }

    /// Runs a tool by its name. A tool that is not offered, and arguments that do not fit, are refused like any other
    /// call.
    pub async fn run(&self, name: &str, arguments: Value) -> Result<String, Error> {
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

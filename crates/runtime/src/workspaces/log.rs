//! The changes of all files, page by page.

use piton_core::{Code, Envelope};
use piton_workspaces::Tool;
use piton_workspaces::audit::{LogPage, LogQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use super::file_world::{FileWorld, parse};

/// Selects changes of files in all Workspaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct FileLogQuery {
    /// Only changes of this path and of everything inside, as agents write it.
    pub under: Option<String>,
    /// Only changes of this agent.
    pub agent: Option<String>,
    /// Only changes of this run, by its id.
    pub run: Option<String>,
    /// Only changes by this tool, such as `write`.
    pub tool: Option<Tool>,
    /// The `next` of the page before.
    pub from: Option<String>,
    /// Number of records; a few screens if it is left out.
    pub limit: Option<usize>,
}

impl FileWorld {
    /// Returns a page of the changes of all files, the newest first.
    pub async fn log(&self, query: &FileLogQuery) -> Result<LogPage, Envelope> {
        let FileLogQuery { under, agent, run, tool, from, limit } = query.clone();
        let from = from.map(|from| {
            from.parse().map_err(|error: piton_workspaces::audit::NoLogCursor| {
                Envelope::new(Code::WorkspaceBadArgument, format!("`{from}`: {error}."))
                    .with_suggestion("Leave `from` out to begin at the newest record.")
            })
        });
        let query = LogQuery {
            under: under.map(|under| parse(&under)).transpose()?,
            agent,
            run,
            tool,
            from: from.transpose()?,
            limit: limit.unwrap_or(usize::MAX),
        };
        Ok(self.ledgers.log(&self.workspaces, &query).await?)
    }
}

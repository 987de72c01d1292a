//! The changes of all files, page by page.

#[cfg(feature = "flow")]
use std::collections::BTreeSet;

use piton_core::{Code, Envelope};
use piton_workspaces::Tool;
use piton_workspaces::audit::{LogPage, LogQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use super::file_world::{FileWorld, parse};
#[cfg(feature = "flow")]
use crate::bounds::SEARCH_LOG_PAGES_MAX;

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
    /// Returns a text that changes with every record of the log.
    #[cfg(feature = "flow")]
    pub(crate) async fn log_state(&self) -> Result<String, Envelope> {
        let page = self.log(&FileLogQuery { limit: Some(1), ..FileLogQuery::default() }).await?;
        let newest = page.records.first().map_or(0, |record| record.number + 1);
        Ok(format!("{newest} {}", page.next.map_or_else(String::new, |next| next.to_string())))
    }

    /// Returns the paths that the newest records of the log are about, each once, and at most this many. Only so many
    /// records are read.
    #[cfg(feature = "flow")]
    pub(crate) async fn logged_paths(&self, most: usize) -> Result<Vec<String>, Envelope> {
        let (mut met, mut paths) = (BTreeSet::new(), Vec::new());
        let mut query = FileLogQuery::default();
        for _ in 0..SEARCH_LOG_PAGES_MAX {
            let page = self.log(&query).await?;
            let intents = page.records.into_iter().map(|record| record.intent);
            let found = intents.flat_map(|intent| [intent.target, Some(intent.path)]).flatten();
            for path in found.map(|path| path.to_string()) {
                if paths.len() < most && met.insert(path.clone()) {
                    paths.push(path);
                }
            }
            match page.next {
                Some(next) if paths.len() < most => query.from = Some(next.to_string()),
                _ => break,
            }
        }
        Ok(paths)
    }

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

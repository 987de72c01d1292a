//! The access that an agent has while a step is pending.
//!
//! *Invariants*: a step only narrows. Anything that it does not mention stays as the configuration grants it;
//! anything that it names and the configuration does not grant stays denied. This module holds the
//! declaration of a step; the owners of the files, the context and the state apply it.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

piton_core::closed_set! {
    /// What a step leaves of the rights in a Workspace.
    pub enum FileScope {
        /// Reading, listing and searching.
        ReadOnly => "read-only",
        /// Everything.
        ReadWrite => "read-write",
        /// Writing without learning what is there.
        WriteOnly => "write-only",
    }
}

piton_core::closed_set! {
    /// What a step leaves of the rights in the context of a project.
    pub enum ContextRole {
        /// Nothing.
        Nobody => "none",
        /// To read.
        Reader => "reader",
        /// To read, and to append frames.
        Writer => "writer",
        /// To read, to append, and to synthesise directories.
        Synthesis => "synthesis",
    }
}

/// What an agent may touch while a step is pending. A part that is absent is not narrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepAccess {
    /// The only Workspaces that may be used, each with what may be done there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspaces: Option<Vec<WorkspaceAccess>>,
    /// What may be done with the context of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextRole>,
    /// The only keys of the backpack that may be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateAccess>,
}

/// What may be done below a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceAccess {
    /// The prefix of a Workspace, or a directory inside of one.
    pub prefix: String,
    /// What may be done there.
    pub scope: FileScope,
}

/// The keys of a backpack that may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateAccess {
    /// Those that may be read.
    #[serde(default)]
    pub read: Vec<String>,
    /// Those that may be written.
    #[serde(default)]
    pub write: Vec<String>,
}

impl StepAccess {
    /// Returns the section of a prompt that states the access.
    pub(super) fn section(&self) -> String {
        let mut section = String::from("\n\n---\nWHAT YOU MAY TOUCH IN THIS STEP:");
        if let Some(workspaces) = &self.workspaces {
            let each = |one: &WorkspaceAccess| format!("`{}` ({})", one.prefix, one.scope);
            line(&mut section, "Files", &listed(workspaces.iter().map(each)));
        }
        if let Some(role) = self.context {
            let what = match role {
                ContextRole::Nobody => "nothing",
                ContextRole::Reader => "read it",
                ContextRole::Writer => "read it and put frames",
                ContextRole::Synthesis => "read it, put frames and synthesise",
            };
            line(&mut section, "Context", what);
        }
        if let Some(StateAccess { read, write }) = &self.state {
            let quoted = |keys: &[String]| listed(keys.iter().map(|key| format!("`{key}`")));
            let what = format!("read {}; write {}", quoted(read), quoted(write));
            line(&mut section, "State", &what);
        }
        section.push_str(
            "\nSend the ackToken of this step as `run` with every call of those tools: they refuse without it.",
        );
        section
    }
}

fn line(section: &mut String, about: &str, what: &str) {
    write!(section, "\n- {about}: {what}").expect("writing to a string does not fail");
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "nothing".to_owned() } else { items.join(", ") }
}

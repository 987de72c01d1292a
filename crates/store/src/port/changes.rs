//! Changes: hints that something of the store, or of what is configured around it, may have changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StoreFuture;

piton_core::closed_set! {
    /// The kind of thing that changed.
    pub enum ChangedPart {
        /// A session, by its stream.
        Session => "session",
        /// A backpack, by its stream.
        Backpack => "backpack",
        /// Entries of a table.
        Table => "table",
        /// Files of workflows.
        Workflows => "workflows",
        /// Files of the configuration.
        Settings => "settings",
    }
}

/// Tells that something may have changed, and nothing of its content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeHint {
    pub part: ChangedPart,
    /// The stream or the table. Without a name, anything of the part may have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The position after the change, where the adapter knows it without reading content. For a stream, it is the text
    /// of a [`Cursor`](super::Cursor).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What a watch reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Hint(ChangeHint),
    /// Hints were lost: anything may have changed.
    Lost,
}

/// A source of hints about changes, whichever process makes them.
///
/// Promise:
/// - Sooner or later, a watch reports every thing that changes after it began: by name, by its part, or as
///   [`Change::Lost`].
/// - A hint may be late, doubled, or about something that did not change. It is never about content, and what it names
///   may be gone by the time that somebody looks.
/// - A watch holds a bounded number of hints. One that is not read loses hints and says so.
pub trait Changes: Send + Sync {
    /// Begins to watch.
    fn watch(&self) -> StoreFuture<'_, Box<dyn ChangeWatch>>;
}

/// A watch in progress; dropping it ends it.
pub trait ChangeWatch: Send {
    /// Waits for the next change. Nothing is lost if the wait is given up and begun again.
    fn next(&mut self) -> StoreFuture<'_, Change>;
}

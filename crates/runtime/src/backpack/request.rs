//! Requests from agents, and the replies to them with their text.

use piton_backpack::{Action, BackpackId, Key};
use piton_core::{Provenance, TimestampMs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Stores a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pack {
    /// The name of the value: up to 256 bytes.
    pub key: String,
    /// The value: any JSON. What was there under the key is replaced; the history keeps it.
    pub value: Value,
    /// Labels for a new key. `pii` says that the value is about a person: only who is granted the key by name reads it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Reads a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unpack {
    /// The name of the value.
    pub key: String,
    /// Where to go on in a value that is too long for one reply: the `nextOffset` of the reply before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
}

/// Lists what can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListKeys {
    /// Only keys that begin so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// Shows who did what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShowHistory {
    /// Only what happened to this key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Only what this agent or node did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A value was stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Packed {
    /// The backpack.
    pub backpack: BackpackId,
    /// The key.
    pub key: Key,
    /// The commit that stored it.
    pub commit: String,
    /// Bytes of the value.
    pub size: u64,
}

/// A value was read, or there is none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unpacked {
    /// The backpack.
    pub backpack: BackpackId,
    /// The key.
    pub key: Key,
    /// Whether there is something under the key.
    pub found: bool,
    /// The value, if it fits into one reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// A part of the value's JSON, if the whole does not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Where the next part begins; absent with the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// What is known about the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutValue>,
}

/// What is known about a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AboutValue {
    /// Who packed it.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub timestamp_ms: TimestampMs,
    /// How often the key was packed, this time included.
    pub version: u64,
    /// Bytes of its JSON.
    pub size: u64,
    /// Its labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// What can be read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeysListed {
    /// The backpack.
    pub backpack: BackpackId,
    /// The keys in use that the agent may read, in order.
    pub keys: Vec<Key>,
    /// How many more there are.
    pub left_out: usize,
}

/// Who did what, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryShown {
    /// The backpack.
    pub backpack: BackpackId,
    /// What happened to keys that the agent may read.
    pub commits: Vec<HistoryLine>,
    /// How many older ones there are.
    pub left_out: usize,
    /// How many commits before those were not looked at, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<u64>,
}

/// One commit, as an agent may know it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryLine {
    /// The commit.
    pub commit: String,
    /// When, in milliseconds since 1970.
    pub timestamp_ms: TimestampMs,
    /// Who.
    pub by: String,
    /// What was done.
    pub action: Action,
    /// To which key.
    pub key: Key,
    /// Bytes of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// A few words about the value.
    pub summary: String,
    /// The step of a workflow that it was done for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl Packed {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let Self { backpack, key, commit, size } = self;
        format!("Stored {size} bytes under `{key}` in `{backpack}` (commit {commit}).")
    }
}

impl Unpacked {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let Self { key, backpack, .. } = self;
        let Some(about) = &self.about else {
            return format!("There is nothing under `{key}` in `{backpack}`.");
        };
        let head = format!(
            "`{key}` in `{backpack}`, version {}, {} bytes, by {}:",
            about.version, about.size, about.by
        );
        let body = match (&self.value, &self.part) {
            (Some(value), _) => value.to_string(),
            (None, part) => part.clone().unwrap_or_default(),
        };
        match self.next_offset {
            None => format!("{head}\n{body}"),
            Some(next) => format!("{head}\n{body}\nIt goes on: unpack with \"offset\": {next}."),
        }
    }
}

impl KeysListed {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let head = match self.keys.len() {
            0 => format!("There is nothing in `{}` that you may read.", self.backpack),
            1 => format!("1 key in `{}`:", self.backpack),
            count => format!("{count} keys in `{}`:", self.backpack),
        };
        let mut lines = vec![head];
        lines.extend(self.keys.iter().map(|key| format!("- {key}")));
        if self.left_out > 0 {
            lines.push(format!("and {} more; ask with a `prefix`.", self.left_out));
        }
        lines.join("\n")
    }
}

impl HistoryShown {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        if self.commits.is_empty() {
            return format!("Nothing happened in `{}` that you may know of.", self.backpack);
        }
        let mut lines = vec![format!("What happened in `{}`, the newest first:", self.backpack)];
        lines.extend(self.commits.iter().map(HistoryLine::text));
        match (self.left_out, self.unread) {
            (0, None) => {}
            (older, None) => lines.push(format!("and {older} older.")),
            (older, Some(unread)) => lines.push(format!(
                "and {older} older; {unread} commits before them were not looked at. Ask with a `key` or `by`."
            )),
        }
        lines.join("\n")
    }
}

impl HistoryLine {
    fn text(&self) -> String {
        let Self { commit, by, action, key, summary, .. } = self;
        let line = format!("{commit} {by} {action} `{key}` {summary}");
        match &self.provenance {
            Some(provenance) => format!("{line} (step {} of {})", provenance.step, provenance.run),
            None => line,
        }
    }
}

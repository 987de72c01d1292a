//! The names of a bundle's parts.

use std::fmt;
use std::str::FromStr;

use piton_core::{Digest, SnapshotRef, WorkflowHash, truncate};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bounds::QUOTE_BYTES_MAX;

const EVENTS: &str = "session/events";
const MANIFEST: &str = "session/manifest";
const SNAPSHOTS: &str = "session/snapshots/";
const PINNED_WORKFLOWS: &str = "session/pinnedWorkflows/";
const ARTIFACTS: &str = "session/artifacts/";

/// A part of a bundle. It is written as a path inside the bundle, and no other paths exist: nothing absolute
/// and nothing that leads upwards can be expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryPath {
    Events,
    Manifest,
    Snapshot(SnapshotRef),
    PinnedWorkflow(WorkflowHash),
    Artifact(Digest),
}

/// A text that names no part of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` names no part of a bundle: a part is `{EVENTS}`, `{MANIFEST}`, or a digest behind \
     `{SNAPSHOTS}`, `{PINNED_WORKFLOWS}` or `{ARTIFACTS}`"
)]
pub struct EntryPathError {
    text: String,
}

impl fmt::Display for EntryPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events => formatter.write_str(EVENTS),
            Self::Manifest => formatter.write_str(MANIFEST),
            Self::Snapshot(snapshot) => write!(formatter, "{SNAPSHOTS}{snapshot}"),
            Self::PinnedWorkflow(hash) => write!(formatter, "{PINNED_WORKFLOWS}{hash}"),
            Self::Artifact(digest) => write!(formatter, "{ARTIFACTS}{digest}"),
        }
    }
}

impl FromStr for EntryPath {
    type Err = EntryPathError;

    fn from_str(text: &str) -> Result<Self, EntryPathError> {
        // The digest types accept nothing but a digest, so no separator or `..` gets past the prefix.
        fn digest<T: FromStr>(
            text: &str,
            prefix: &str,
            path: fn(T) -> EntryPath,
        ) -> Option<EntryPath> {
            text.strip_prefix(prefix)?.parse().ok().map(path)
        }
        match text {
            EVENTS => Some(Self::Events),
            MANIFEST => Some(Self::Manifest),
            _ => digest(text, SNAPSHOTS, Self::Snapshot)
                .or_else(|| digest(text, PINNED_WORKFLOWS, Self::PinnedWorkflow))
                .or_else(|| digest(text, ARTIFACTS, Self::Artifact)),
        }
        .ok_or_else(|| EntryPathError { text: truncate(text, QUOTE_BYTES_MAX).into_owned() })
    }
}

impl Serialize for EntryPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntryPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for EntryPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EntryPath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^session/(events|manifest|(snapshots|pinnedWorkflows|artifacts)/sha256:[0-9a-f]{64})$",
        })
    }
}

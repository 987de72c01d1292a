//! The digest of each part of a bundle, over the canonical JSON of the part as the bundle contains it.
//!
//! *Limitations*: digests show that a bundle is as it was written, not who wrote it. Anyone who changes a
//! part can change its digest as well. Such a bundle is kept out by the rule that its parts must fit
//! together.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use piton_core::{CanonicalError, Digest, SnapshotRef, WorkflowHash, canonical, truncate};
use piton_store::record::Record;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::content::SessionContent;
use super::error::{BundleError, IntegrityProblem};
use crate::bounds::QUOTE_BYTES_MAX;

/// The digests of a bundle's parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields)]
pub enum Integrity {
    /// One SHA-256 digest for each part.
    #[serde(rename = "sha256_manifest_v1")]
    Sha256ManifestV1 {
        /// An entry for each part, and no others.
        entries: Vec<PartDigest>,
    },
}

/// The digest of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartDigest {
    /// The part.
    pub path: EntryPath,
    /// The digest of its canonical JSON.
    pub sha256: Digest,
    /// The length of its canonical JSON.
    pub bytes: u64,
}

fn entry<T: Serialize + ?Sized>(path: EntryPath, part: &T) -> Result<PartDigest, CanonicalError> {
    // The digest is over the canonical form, so it does not depend on the spacing of the file.
    let text = canonical::encode(part)?;
    Ok(PartDigest { path, sha256: Digest::of(&text), bytes: text.len() as u64 })
}

impl Integrity {
    /// Computes the digests of `parts`, in the order of their paths. Without a `manifest` nothing is attested.
    pub(super) fn of(
        parts: &SessionContent,
        manifest: Option<&[Record]>,
    ) -> Result<Self, CanonicalError> {
        let mut entries = vec![entry(EntryPath::Events, &parts.events)?];
        if let Some(manifest) = manifest {
            entries.push(entry(EntryPath::Manifest, manifest)?);
        }
        for (key, snapshot) in &parts.snapshots {
            entries.push(entry(EntryPath::Snapshot(*key), snapshot)?);
        }
        for (key, workflow) in &parts.pinned_workflows {
            entries.push(entry(EntryPath::PinnedWorkflow(*key), workflow)?);
        }
        for (key, artifact) in &parts.artifacts {
            entries.push(entry(EntryPath::Artifact(*key), artifact)?);
        }
        Ok(Self::Sha256ManifestV1 { entries })
    }

    /// Returns the entries.
    pub fn entries(&self) -> &[PartDigest] {
        let Self::Sha256ManifestV1 { entries } = self;
        entries
    }

    /// Compares the digests that a bundle states with the `actual` ones of its parts.
    pub(super) fn compare(&self, actual: &Self) -> Result<(), BundleError> {
        // Each entry is taken out once its part is found; whatever remains at the end names a part that is
        // missing.
        let mut said = BTreeMap::new();
        for entry in self.entries() {
            if said.insert(entry.path, entry).is_some() {
                return Err(IntegrityProblem::Repeated { path: entry.path }.into());
            }
        }
        for entry in actual.entries() {
            let path = entry.path;
            match said.remove(&path) {
                None => return Err(IntegrityProblem::NoDigest { path }.into()),
                Some(said) if said != entry => {
                    return Err(IntegrityProblem::Changed { path }.into());
                }
                Some(_) => {}
            }
        }
        match said.into_keys().next() {
            None => Ok(()),
            Some(path) => Err(IntegrityProblem::Absent { path }.into()),
        }
    }
}

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

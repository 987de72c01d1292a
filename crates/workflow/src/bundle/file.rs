//! The bundle: making, reading and writing it. Also the remains of a damaged session, for inspection only.
//!
//! *Invariants*: the file of an [`InspectionBundle`] says that it was salvaged and how much of the session it holds,
//! and it claims nothing beyond that. It is written and never read: [`Bundle::read`] refuses it, so that nobody
//! resumes half of a session.

use piton_core::{BoundedText, BundleId, CanonicalBytes, Digest, TimestampMs, canonical, truncate};
use piton_store::{Health, TornTail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check;
use super::content::SessionContent;
use super::error::{BundleError, FormatProblem};
use super::integrity::{EntryPath, Integrity};
use crate::bounds::{APP_VERSION_BYTES_MAX, BUNDLE_BYTES_MAX, BUNDLE_PROBLEM_BYTES_MAX};
use crate::event::strict_json::Unique;

/// The version of the written form. The versions differ only in `exportedAt`: milliseconds since 1970 in
/// version 1, RFC 3339 in version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BundleVersion {
    One = 1,
    Two = 2,
}

/// The version that bundles are written in.
const NEWEST: BundleVersion = BundleVersion::Two;

/// The version of a program.
pub type AppVersion = BoundedText<APP_VERSION_BYTES_MAX>;

/// Who made a bundle. It is shown to people; nothing depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Producer {
    /// The version of Piton.
    pub app_version: AppVersion,
    /// The digest of the configuration that was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_config_hash: Option<Digest>,
}

/// The origin of a bundle. It is shown to people; nothing depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleOrigin {
    pub bundle_id: BundleId,
    pub exported_at: TimestampMs,
    pub producer: Producer,
}

/// A whole session that can be transferred elsewhere and imported there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    version: BundleVersion,
    origin: BundleOrigin,
    integrity: Integrity,
    content: SessionContent,
}

/// A whole session that can be carried elsewhere and imported there.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Bundle")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReadBundle {
    #[expect(dead_code, reason = "it is looked at before the other fields are read")]
    bundle_schema_version: u32,
    bundle_id: BundleId,
    exported_at: ExportTime,
    producer: Producer,
    integrity: Integrity,
    session: SessionContent,
}

/// When a bundle was made, as its version writes it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ExportTime {
    /// Version 1: milliseconds since 1970.
    Ms(TimestampMs),
    /// Version 2: RFC 3339, in UTC with milliseconds.
    Text(#[schemars(extend("format" = "date-time"))] String),
}

impl ExportTime {
    fn new(version: BundleVersion, time: TimestampMs) -> Self {
        match version {
            BundleVersion::One => Self::Ms(time),
            BundleVersion::Two => Self::Text(time.rfc3339()),
        }
    }

    /// Returns the time, or `None` if it is written as another version would write it.
    fn read(&self, version: BundleVersion) -> Option<TimestampMs> {
        match (version, self) {
            (BundleVersion::One, Self::Ms(time)) => Some(*time),
            (BundleVersion::Two, Self::Text(text)) => TimestampMs::from_rfc3339(text),
            _ => None,
        }
    }
}

impl Bundle {
    /// Makes a bundle of a session after checking that the session is whole.
    pub fn new(origin: BundleOrigin, content: SessionContent) -> Result<Self, BundleError> {
        check::all(&content)?;
        let integrity = Integrity::of(&content, Some(&content.manifest))?;
        Ok(Self { version: NEWEST, origin, integrity, content })
    }

    /// Reads what [`encode`](Self::encode) wrote, with any spacing and order of fields. Everything is
    /// checked, so the result may be stored.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        // The size is bounded before anything is parsed, since the bytes come from outside.
        if bytes.len() > BUNDLE_BYTES_MAX {
            return Err(FormatProblem::TooLarge { bytes: bytes.len() }.into());
        }
        // serde silently keeps the last of two equal keys. `Unique` refuses them, so no part can hide behind
        // another.
        let Unique(value) = serde_json::from_slice(bytes).map_err(malformed)?;
        // The version decides how `exportedAt` is read, and an unknown one has an error of its own.
        let version = version(&value)?;
        let read: ReadBundle = serde_json::from_slice(bytes).map_err(malformed)?;
        let ReadBundle { bundle_id, exported_at, producer, integrity, session, .. } = read;
        let exported_at = exported_at.read(version).ok_or(FormatProblem::ExportTime)?;
        // Before the digests: a missing snapshot or workflow has an error of its own, which says more than a
        // missing digest.
        check::complete(&session)?;
        // A changed file is reported as changed, before `new` looks for contradictions between its parts.
        integrity.compare(&Integrity::of(&session, Some(&session.manifest))?)?;
        let bundle = Self::new(BundleOrigin { bundle_id, exported_at, producer }, session)?;
        // Keep the version and the order of the digests as they were read, so that encoding gives the same
        // bytes.
        let bundle = Self { version, integrity, ..bundle };
        // Typed reading accepts some variants, such as a `null` in place of a field that is left out.
        // Both values are compared in canonical form, so a bundle that would be written differently is
        // refused instead of changed.
        if bundle.canonical()?.as_bytes() != canonical::encode(&value)?.as_bytes() {
            return Err(FormatProblem::NotAsWritten.into());
        }
        Ok(bundle)
    }

    /// Encodes the bundle as canonical JSON, in the version that it was read in, or in the newest. Refused if
    /// it is larger than what can be read.
    pub fn encode(&self) -> Result<CanonicalBytes, BundleError> {
        let text = self.canonical()?;
        if text.len() > BUNDLE_BYTES_MAX {
            return Err(FormatProblem::TooLarge { bytes: text.len() }.into());
        }
        Ok(text)
    }

    fn canonical(&self) -> Result<CanonicalBytes, BundleError> {
        let Self { version, origin, integrity, content } = self;
        let fields = BundleFields::new(*version, origin, integrity, None, content);
        Ok(canonical::encode(&fields)?)
    }

    /// Returns the origin.
    pub const fn origin(&self) -> &BundleOrigin {
        &self.origin
    }

    /// Returns the digests of the parts.
    pub const fn integrity(&self) -> &Integrity {
        &self.integrity
    }

    /// Returns the content.
    pub const fn content(&self) -> &SessionContent {
        &self.content
    }
}

/// The written form of a bundle, with or without a salvage report.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BundleFields<'a> {
    bundle_schema_version: u32,
    bundle_id: BundleId,
    exported_at: ExportTime,
    producer: &'a Producer,
    integrity: &'a Integrity,
    #[serde(skip_serializing_if = "Option::is_none")]
    salvage: Option<&'a Salvage>,
    session: &'a SessionContent,
}

impl<'a> BundleFields<'a> {
    fn new(
        version: BundleVersion,
        origin: &'a BundleOrigin,
        integrity: &'a Integrity,
        salvage: Option<&'a Salvage>,
        session: &'a SessionContent,
    ) -> Self {
        let BundleOrigin { bundle_id, exported_at, producer } = origin;
        Self {
            bundle_schema_version: version as u32,
            bundle_id: *bundle_id,
            exported_at: ExportTime::new(version, *exported_at),
            producer,
            integrity,
            salvage,
            session,
        }
    }
}

/// The remains of a damaged session: the events before the first invalid one, and what could be read of the content
/// that they refer to. They cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectionBundle {
    pub origin: BundleOrigin,
    pub salvage: Salvage,
    /// Control records attest whole plans. What was salvaged may end in the middle of one, so it has none.
    pub content: SessionContent,
}

/// The extent of a salvage, and the reason that it is not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Salvage {
    pub health: Health,
    /// The health in words.
    pub reason: String,
    /// Number of valid events; the bundle holds these and no others.
    pub events_valid: u64,
    /// Bytes at the end that were never acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torn_tail: Option<TornTail>,
    /// The parts that these events refer to and that could not be read.
    pub unreadable: Vec<EntryPath>,
}

impl InspectionBundle {
    /// Encodes the bundle as canonical JSON.
    pub fn encode(&self) -> Result<CanonicalBytes, BundleError> {
        let Self { origin, salvage, content } = self;
        let integrity = Integrity::of(content, None)?;
        let fields = BundleFields::new(NEWEST, origin, &integrity, Some(salvage), content);
        Ok(canonical::encode(&fields)?)
    }
}

/// Returns the version of a bundle. Refuses other versions, since their fields are not known, and salvaged
/// bundles.
fn version(value: &Value) -> Result<BundleVersion, BundleError> {
    if !value.is_object() {
        let problem = "it is not a JSON object".to_owned();
        return Err(FormatProblem::Malformed { problem }.into());
    }
    let found = value.get("bundleSchemaVersion");
    let known = [BundleVersion::One, BundleVersion::Two];
    let version =
        known.into_iter().find(|known| found.is_some_and(|found| *found == *known as u32));
    match (version, found) {
        (None, Some(found)) if found.is_number() => {
            let found = found.to_string();
            Err(BundleError::UnsupportedVersion { what: "the bundle", found })
        }
        // Without this arm, a salvaged bundle would fail with an error about an unknown field.
        _ if value.get("salvage").is_some() => Err(FormatProblem::Salvaged.into()),
        // A bundle that names no version is refused for that when its fields are read.
        _ => Ok(version.unwrap_or(NEWEST)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn malformed(error: serde_json::Error) -> BundleError {
    let problem = truncate(&error.to_string(), BUNDLE_PROBLEM_BYTES_MAX).into_owned();
    FormatProblem::Malformed { problem }.into()
}

impl schemars::JsonSchema for Bundle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bundle".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ReadBundle::json_schema(generator)
    }
}

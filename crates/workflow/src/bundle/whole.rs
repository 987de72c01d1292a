//! The bundle: how it is made, read and written.

use piton_core::{BoundedText, BundleId, CanonicalBytes, Digest, TimestampMs, canonical, truncate};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check;
use super::content::SessionContent;
use super::error::{BundleError, FormatProblem};
use super::integrity::{Integrity, Parts};
use crate::bounds::{APP_VERSION_BYTES_MAX, BUNDLE_BYTES_MAX, BUNDLE_PROBLEM_BYTES_MAX};
use crate::event::unique::Unique;

/// How a bundle is written. They differ in `exportedAt` alone: milliseconds since 1970 in version 1, RFC 3339 since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BundleVersion {
    One = 1,
    Two = 2,
}

/// The version in which bundles are written.
pub(super) const NEWEST: BundleVersion = BundleVersion::Two;

/// The version of a program.
pub type AppVersion = BoundedText<APP_VERSION_BYTES_MAX>;

/// Who made a bundle. It is told to people; nothing depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Producer {
    /// The version of Piton.
    pub app_version: AppVersion,
    /// The digest of the configuration that was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_config_hash: Option<Digest>,
}

/// Where a bundle came from. It is told to people; nothing depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleOrigin {
    /// The bundle.
    pub bundle_id: BundleId,
    /// When it was made.
    pub exported_at: TimestampMs,
    /// Who made it.
    pub producer: Producer,
}

/// A whole session that can be carried elsewhere and imported there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    version: BundleVersion,
    origin: BundleOrigin,
    integrity: Integrity,
    content: SessionContent,
}

/// A whole session that can be carried elsewhere and imported there.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Bundle"))]
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
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum ExportTime {
    /// Version 1: milliseconds since 1970.
    Ms(TimestampMs),
    /// Version 2: RFC 3339, in UTC with milliseconds.
    Text(#[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))] String),
}

impl ExportTime {
    fn new(version: BundleVersion, time: TimestampMs) -> Self {
        match version {
            BundleVersion::One => Self::Ms(time),
            BundleVersion::Two => Self::Text(time.rfc3339()),
        }
    }

    /// The time, unless it is written as another version would.
    fn read(&self, version: BundleVersion) -> Option<TimestampMs> {
        match (version, self) {
            (BundleVersion::One, Self::Ms(time)) => Some(*time),
            (BundleVersion::Two, Self::Text(text)) => TimestampMs::from_rfc3339(text),
            _ => None,
        }
    }
}

impl Bundle {
    /// Makes a bundle of a session, after checking that the session is whole.
    pub fn new(origin: BundleOrigin, content: SessionContent) -> Result<Self, BundleError> {
        check::all(&content)?;
        let integrity = Integrity::of(&parts(&content))?;
        Ok(Self { version: NEWEST, origin, integrity, content })
    }

    /// Reads what [`encode`](Self::encode) wrote, with any spacing and order of fields. Everything is checked;
    /// what this returns may be stored.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        if bytes.len() > BUNDLE_BYTES_MAX {
            return Err(FormatProblem::TooLarge { bytes: bytes.len() }.into());
        }
        let Unique(value) = serde_json::from_slice(bytes).map_err(malformed)?;
        let version = version(&value)?;
        let read: ReadBundle = serde_json::from_slice(bytes).map_err(malformed)?;
        let ReadBundle { bundle_id, exported_at, producer, integrity, session, .. } = read;
        let exported_at = exported_at.read(version).ok_or(FormatProblem::ExportTime)?;
        check::complete(&session)?;
        integrity.compare(&Integrity::of(&parts(&session))?)?;
        let bundle = Self::new(BundleOrigin { bundle_id, exported_at, producer }, session)?;
        let bundle = Self { version, integrity, ..bundle };
        if bundle.canonical()?.as_bytes() != canonical::encode(&value)?.as_bytes() {
            return Err(FormatProblem::NotAsWritten.into());
        }
        Ok(bundle)
    }

    /// The bundle as canonical JSON, in the version in which it was read or else the newest, unless it is larger than what can be read.
    pub fn encode(&self) -> Result<CanonicalBytes, BundleError> {
        let text = self.canonical()?;
        if text.len() > BUNDLE_BYTES_MAX {
            return Err(FormatProblem::TooLarge { bytes: text.len() }.into());
        }
        Ok(text)
    }

    fn canonical(&self) -> Result<CanonicalBytes, BundleError> {
        let Self { version, origin, integrity, content } = self;
        Ok(canonical::encode(&BundleFields::new(
            *version,
            origin,
            integrity,
            None::<&()>,
            content,
        ))?)
    }

    /// Where it came from.
    pub const fn origin(&self) -> &BundleOrigin {
        &self.origin
    }

    /// The digests of its parts.
    pub const fn integrity(&self) -> &Integrity {
        &self.integrity
    }

    /// What it holds.
    pub const fn content(&self) -> &SessionContent {
        &self.content
    }
}

/// How a bundle is written, with or without what was salvaged.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BundleFields<'a, M, S> {
    bundle_schema_version: u32,
    bundle_id: BundleId,
    exported_at: ExportTime,
    producer: &'a Producer,
    integrity: &'a Integrity,
    #[serde(skip_serializing_if = "Option::is_none")]
    salvage: Option<&'a M>,
    session: &'a S,
}

impl<'a, M, S> BundleFields<'a, M, S> {
    pub(super) fn new(
        version: BundleVersion,
        origin: &'a BundleOrigin,
        integrity: &'a Integrity,
        salvage: Option<&'a M>,
        session: &'a S,
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

fn parts(content: &SessionContent) -> Parts<'_> {
    Parts {
        events: &content.events,
        manifest: Some(&content.manifest),
        snapshots: &content.snapshots,
        pinned_workflows: &content.pinned_workflows,
        artifacts: &content.artifacts,
    }
}

/// The version of a bundle. Refuses others, whose fields are not known, and what was salvaged.
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
        _ if value.get("salvage").is_some() => Err(FormatProblem::Salvaged.into()),
        // One that names no version is refused for that when its fields are read.
        _ => Ok(version.unwrap_or(NEWEST)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn malformed(error: serde_json::Error) -> BundleError {
    let problem = truncate(&error.to_string(), BUNDLE_PROBLEM_BYTES_MAX).into_owned();
    FormatProblem::Malformed { problem }.into()
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Bundle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bundle".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ReadBundle::json_schema(generator)
    }
}

//! Reasons that something is not an importable bundle.

use piton_core::error::sentence;
use piton_core::{
    CanonicalError, Code, Envelope, EventIndex, ManifestIndex, RunId, SnapshotRef, WorkflowHash,
};

use super::integrity::EntryPath;
use crate::bounds::BUNDLE_BYTES_MAX;
use crate::compile::CompiledWorkflowError;
use crate::event::LogFlaw;
use crate::snapshot::SnapshotMismatch;

/// Reason that something is not an importable bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    #[error("the bundle cannot be read: {0}")]
    Format(#[from] FormatProblem),
    /// The bundle or a part of it has a version that is not known here.
    #[error("{what} has version {found}, which this Piton does not read")]
    UnsupportedVersion {
        what: &'static str,
        /// The version, as JSON.
        found: String,
    },
    /// A part does not match its digest.
    #[error("the bundle is not as it was exported: {0}")]
    Integrity(#[from] IntegrityProblem),
    #[error("the bundle lacks the snapshot {snapshot}, which event {event} names")]
    MissingSnapshot {
        snapshot: SnapshotRef,
        /// The event that names it.
        event: EventIndex,
    },
    #[error("the bundle lacks the workflow {workflow}, which {run} is pinned to")]
    MissingPinnedWorkflow { workflow: WorkflowHash, run: RunId },
    /// The events belong to another session than the bundle says, or to none.
    #[error("the events are not those of the session that the bundle names")]
    OtherSession,
    #[error("the events of the bundle are not a log: {0}")]
    EventOrder(LogFlaw),
    /// The control records do not attest the events.
    #[error("control record {index} of the bundle is wrong: {problem}")]
    ManifestOrder {
        /// The first record that is wrong, or the one that is missing.
        index: ManifestIndex,
        problem: ManifestProblem,
    },
}

/// Reason that a text does not have the form of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    #[error("it has {bytes} bytes, and at most {BUNDLE_BYTES_MAX} are read")]
    TooLarge { bytes: usize },
    #[error("it has {found} {what}, and at most {max} are read")]
    TooMany {
        /// The kind of thing that there are too many of.
        what: &'static str,
        found: usize,
        max: usize,
    },
    /// The text is not JSON with the fields of a bundle.
    #[error("{problem}")]
    Malformed {
        /// The parser's message, truncated if it is long.
        problem: String,
    },
    #[error("it has no canonical form: {0}")]
    NotCanonical(#[from] CanonicalError),
    /// A value is not written the way that Piton writes it.
    #[error("a part of it is written in another way than Piton writes it")]
    NotAsWritten,
    /// `exportedAt` is not written the way that the bundle's version writes it.
    #[error("its `exportedAt` is not written as its version writes it")]
    ExportTime,
    /// The bundle was salvaged from a damaged session.
    #[error("it was salvaged from a damaged session, to be looked at and not to be imported")]
    Salvaged,
    /// No event refers to a part of the bundle.
    #[error("no event refers to its part {path}")]
    Unneeded { path: EntryPath },
    /// A workflow in the bundle cannot be read.
    #[error("its workflow {workflow} cannot be used: {problem}")]
    Workflow { workflow: WorkflowHash, problem: CompiledWorkflowError },
    /// A snapshot in the bundle belongs to another workflow.
    #[error("its snapshot {snapshot} cannot be used: {problem}")]
    Snapshot { snapshot: SnapshotRef, problem: SnapshotMismatch },
}

/// A way in which a part differs from its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntegrityProblem {
    /// A part has no entry.
    #[error("`{path}` has no digest")]
    NoDigest { path: EntryPath },
    /// A part has two entries.
    #[error("`{path}` has two digests")]
    Repeated { path: EntryPath },
    /// A part is missing.
    #[error("`{path}` is not there")]
    Absent { path: EntryPath },
    /// The digest or length of a part differs from its entry.
    #[error("`{path}` was changed")]
    Changed { path: EntryPath },
    /// A part is stored under the name of another one.
    #[error("what stands under `{path}` is something else")]
    Misnamed { path: EntryPath },
    /// The length of an artifact differs from what the event that names it says.
    #[error("`{path}` does not have the length that event {event} says")]
    ArtifactLength { path: EntryPath, event: EventIndex },
    /// The events of a plan are not the ones that its control record attests.
    #[error("the events from {first} on are not those that were recorded together")]
    SegmentChanged {
        /// The first event of the plan.
        first: EventIndex,
    },
}

/// A problem with a control record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// The index of the record is not the next one.
    #[error("the records are not numbered one after the other")]
    OutOfOrder,
    #[error("it belongs to another session")]
    OtherSession,
    /// A plan does not begin where the previous one ended, or it ends before it begins.
    #[error("its events do not follow those of the plan before it")]
    Gap,
    /// The record attests events that are not there.
    #[error("it attests events that the bundle does not hold")]
    BeyondEvents,
    /// The path of a segment does not follow from its bounds.
    #[error("its path is not the relative path of its segment")]
    Path,
    /// The plan is larger than the store accepts.
    #[error("its plan is larger than the store takes")]
    PlanTooLarge,
    /// A pin names no event that introduced its snapshot.
    #[error("it pins a snapshot that no event up to there introduced")]
    StrayPin,
    /// A snapshot is not pinned together with the plan that introduced it.
    #[error("the plan before it introduced a snapshot that is not pinned")]
    MissingPin,
    /// No record attests the events at the end.
    #[error("the events from {next} on are attested by none")]
    Unattested {
        /// The first of them.
        next: EventIndex,
    },
}

impl BundleError {
    /// Returns the error code.
    pub const fn code(&self) -> Code {
        match self {
            Self::Format(_) => Code::BundleInvalidFormat,
            Self::UnsupportedVersion { .. } => Code::BundleUnsupportedVersion,
            Self::Integrity(_) => Code::BundleIntegrityFailed,
            Self::MissingSnapshot { .. } => Code::BundleMissingSnapshot,
            Self::MissingPinnedWorkflow { .. } => Code::BundleMissingPinnedWorkflow,
            Self::OtherSession | Self::EventOrder(_) => Code::BundleEventOrderInvalid,
            Self::ManifestOrder { .. } => Code::BundleManifestOrderInvalid,
        }
    }

    /// Returns the failure in the form that people read.
    pub fn envelope(&self) -> Envelope {
        let envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        match self {
            Self::Format(FormatProblem::Salvaged) => envelope.with_suggestion(
                "Open the file to read what was saved. To continue the session, run `piton session repair SESSION` where \
                 it lies, and export it then.",
            ),
            _ => envelope,
        }
    }
}

impl From<CanonicalError> for BundleError {
    fn from(error: CanonicalError) -> Self {
        Self::Format(error.into())
    }
}

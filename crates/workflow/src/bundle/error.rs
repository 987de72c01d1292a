//! Why something is not a bundle that can be imported.

use piton_core::error::sentence;
use piton_core::{
    CanonicalError, Code, Envelope, EventIndex, ManifestIndex, RunId, SnapshotRef, WorkflowHash,
};

use super::path::EntryPath;
use crate::bounds::BUNDLE_BYTES_MAX;
use crate::compile::CompiledWorkflowError;
use crate::event::LogFlaw;
use crate::snapshot::SnapshotMismatch;

/// Why something is not a bundle that can be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It does not have the form of a bundle.
    #[error("the bundle cannot be read: {0}")]
    Format(#[from] FormatProblem),
    /// It, or a part of it, has a version that is not known here.
    #[error("{what} has version {found}, which this Piton does not read")]
    UnsupportedVersion {
        /// What has it.
        what: &'static str,
        /// The version, as JSON.
        found: String,
    },
    /// A part is not what its digest says.
    #[error("the bundle is not as it was exported: {0}")]
    Integrity(#[from] IntegrityProblem),
    /// A snapshot is gone.
    #[error("the bundle lacks the snapshot {snapshot}, which event {event} names")]
    MissingSnapshot {
        /// The snapshot.
        snapshot: SnapshotRef,
        /// The event that names it.
        event: EventIndex,
    },
    /// A workflow is gone.
    #[error("the bundle lacks the workflow {workflow}, which {run} is pinned to")]
    MissingPinnedWorkflow {
        /// The workflow.
        workflow: WorkflowHash,
        /// The run.
        run: RunId,
    },
    /// The events belong to another session than the bundle says, or to none.
    #[error("the events are not those of the session that the bundle names")]
    OtherSession,
    /// The events are not a log.
    #[error("the events of the bundle are not a log: {0}")]
    EventOrder(LogFlaw),
    /// The control records do not attest the events.
    #[error("control record {index} of the bundle is wrong: {problem}")]
    ManifestOrder {
        /// The first record that is wrong, or the one that is missing.
        index: ManifestIndex,
        /// What is wrong with it.
        problem: ManifestProblem,
    },
}

/// Why a text does not have the form of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    /// It is too large.
    #[error("it has {bytes} bytes, and at most {BUNDLE_BYTES_MAX} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It has too many of something.
    #[error("it has {found} {what}, and at most {max} are read")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many are allowed.
        max: usize,
    },
    /// It is not JSON with the fields of a bundle.
    #[error("{problem}")]
    Malformed {
        /// What the parser said, cut if it is long.
        problem: String,
    },
    /// It has no canonical form.
    #[error("it has no canonical form: {0}")]
    NotCanonical(#[from] CanonicalError),
    /// It says something in another way than it is written.
    #[error("a part of it is written in another way than Piton writes it")]
    NotAsWritten,
    /// It says when it was exported in another way than its version does.
    #[error("its `exportedAt` is not written as its version writes it")]
    ExportTime,
    /// It was made of a damaged session.
    #[error("it was salvaged from a damaged session, to be looked at and not to be imported")]
    Salvaged,
    /// It holds something that nothing refers to.
    #[error("no event refers to its part {path}")]
    Unneeded {
        /// The part.
        path: EntryPath,
    },
    /// A workflow in it is none.
    #[error("its workflow {workflow} cannot be used: {problem}")]
    Workflow {
        /// The workflow.
        workflow: WorkflowHash,
        /// Why.
        problem: CompiledWorkflowError,
    },
    /// A snapshot in it belongs to another workflow.
    #[error("its snapshot {snapshot} cannot be used: {problem}")]
    Snapshot {
        /// The snapshot.
        snapshot: SnapshotRef,
        /// Why.
        problem: SnapshotMismatch,
    },
}

/// How a part differs from what its digest says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntegrityProblem {
    /// A part has no entry.
    #[error("`{path}` has no digest")]
    NoDigest {
        /// The part.
        path: EntryPath,
    },
    /// A part has two entries.
    #[error("`{path}` has two digests")]
    Repeated {
        /// The part.
        path: EntryPath,
    },
    /// A part is not there.
    #[error("`{path}` is not there")]
    Absent {
        /// The part.
        path: EntryPath,
    },
    /// A part has another digest or length than its entry says.
    #[error("`{path}` was changed")]
    Changed {
        /// The part.
        path: EntryPath,
    },
    /// A part stands under the name of another one.
    #[error("what stands under `{path}` is something else")]
    Misnamed {
        /// The part.
        path: EntryPath,
    },
    /// An artifact has another length than the event that names it says.
    #[error("`{path}` does not have the length that event {event} says")]
    ArtifactLength {
        /// The part.
        path: EntryPath,
        /// The event.
        event: EventIndex,
    },
    /// The events of a plan are not the ones that its control record attests.
    #[error("the events from {first} on are not those that were recorded together")]
    SegmentChanged {
        /// The first event of the plan.
        first: EventIndex,
    },
}

/// What is wrong with a control record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// It does not stand at its place.
    #[error("the records are not numbered one after the other")]
    OutOfOrder,
    /// It belongs to another session.
    #[error("it belongs to another session")]
    OtherSession,
    /// A plan does not begin where the one before it ended, or ends before it begins.
    #[error("its events do not follow those of the plan before it")]
    Gap,
    /// It attests events that are not there.
    #[error("it attests events that the bundle does not hold")]
    BeyondEvents,
    /// It names a segment by anything but its bounds.
    #[error("its path is not the relative path of its segment")]
    Path,
    /// A plan is larger than the store takes.
    #[error("its plan is larger than the store takes")]
    PlanTooLarge,
    /// A pin names no event that introduced its snapshot.
    #[error("it pins a snapshot that no event up to there introduced")]
    StrayPin,
    /// A snapshot is not pinned with the plan that introduced it.
    #[error("the plan before it introduced a snapshot that is not pinned")]
    MissingPin,
    /// Events at the end are not attested.
    #[error("the events from {next} on are attested by none")]
    Unattested {
        /// The first of them.
        next: EventIndex,
    },
}

impl BundleError {
    /// The code of the failure.
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

    /// The failure as a person reads it.
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

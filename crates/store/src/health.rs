//! The health of a stream and the reasons for damage, as closed sets.

use std::fmt;

use piton_core::{EventIndex, ManifestIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a full check of a stream found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Health {
    /// Every record and every event is as it was written.
    Healthy,
    /// There is a valid prefix, and something after it is not valid.
    CorruptTail {
        /// What is wrong at the first place that is not valid.
        reason: Reason,
        /// The control record at which the prefix ends.
        manifest_index: ManifestIndex,
        /// The event at which the prefix ends.
        event_index: EventIndex,
    },
    /// There is no valid prefix at all.
    CorruptHead {
        /// What is wrong with the first record or segment.
        reason: Reason,
    },
    /// Something was written by a version that this program does not know.
    UnknownVersion {
        /// The version found.
        version: u64,
        /// The control record at which it was found.
        manifest_index: ManifestIndex,
    },
}

impl Health {
    /// True if the stream may be appended to.
    pub fn is_healthy(&self) -> bool {
        *self == Self::Healthy
    }

    /// True if a newer program wrote some of the stream.
    pub fn is_newer(&self) -> bool {
        matches!(self, Self::UnknownVersion { .. })
    }

    /// Returns the reason for a corruption, or `None` if there is none.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::CorruptTail { reason, .. } | Self::CorruptHead { reason } => Some(*reason),
            Self::Healthy | Self::UnknownVersion { .. } => None,
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Healthy => f.write_str("healthy"),
            Self::CorruptTail { reason, event_index, .. } => {
                write!(
                    f,
                    "{}; the {} events before it are whole",
                    reason.explain(),
                    event_index.get()
                )
            }
            Self::CorruptHead { reason } => {
                write!(f, "{}; nothing before it can be used", reason.explain())
            }
            Self::UnknownVersion { version, .. } => {
                write!(f, "it holds records of version {version}, which this Piton does not know")
            }
        }
    }
}

piton_core::closed_set! {
    /// Why a stream is corrupt.
    pub enum Reason {
        /// A control record is not the canonical text of a known record.
        ManifestUnreadable => "manifest_unreadable",
        /// Control records are not numbered one after the other.
        ManifestOutOfOrder => "manifest_out_of_order",
        /// A control record or an event belongs to another stream.
        ForeignStream => "foreign_stream",
        /// A control record names a segment by anything but its own bounds.
        SegmentPathInvalid => "segment_path_invalid",
        /// A segment does not start where the one before it ended.
        SegmentGap => "segment_gap",
        /// A closed segment's file is gone.
        SegmentMissing => "segment_missing",
        /// A segment lies behind the last control record, so that records of acknowledged plans are gone.
        SegmentUnattested => "segment_unattested",
        /// The control file of a stream that was written to is gone, or empty.
        ControlMissing => "control_missing",
        /// A segment's length or digest is not the attested one.
        SegmentAltered => "segment_altered",
        /// A segment's events are not exactly the attested ones, in order.
        SegmentContents => "segment_contents",
        /// A line of a segment is not an event.
        EventUnreadable => "event_unreadable",
        /// Two events carry one dedupe key.
        DedupeKeyRepeated => "dedupe_key_repeated",
        /// An event introduced a snapshot that was not pinned.
        MissingPin => "missing_pin",
        /// A pin names no event that introduced its snapshot.
        StrayPin => "stray_pin",
        /// A record of a log is damaged, and not as an unfinished write leaves one.
        LogDamaged => "log_damaged",
        /// A log is shorter than it was when it was last written to.
        LogCut => "log_cut",
    }
}

impl Reason {
    /// Describes the reason in words for a person.
    pub fn explain(self) -> &'static str {
        match self {
            Self::ManifestUnreadable => "a control record cannot be read",
            Self::ManifestOutOfOrder => "the control records are not in order",
            Self::ForeignStream => "a record belongs to another stream",
            Self::SegmentPathInvalid => "a control record names a segment by a wrong path",
            Self::SegmentGap => "a segment does not follow the one before it",
            Self::SegmentMissing => "a segment is missing",
            Self::SegmentUnattested => "control records are missing at its end",
            Self::ControlMissing => "its control file is gone or empty",
            Self::SegmentAltered => "a segment was changed after it was written",
            Self::SegmentContents => "a segment does not hold the events it should",
            Self::EventUnreadable => "an event cannot be read",
            Self::DedupeKeyRepeated => "two events record the same fact",
            Self::MissingPin => "a plan was cut off between its events and its pins",
            Self::StrayPin => "a pin names a snapshot that no event introduced",
            Self::LogDamaged => "a record was changed after it was written",
            Self::LogCut => "the end of its log is gone",
        }
    }
}

/// Bytes at the end of a control file that no append ever acknowledged.
///
/// They are reported beside the health, and kept aside before a writer cuts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TornTail {
    /// Where they begin in the file.
    pub offset: u64,
    /// How many there are.
    pub bytes: u64,
}

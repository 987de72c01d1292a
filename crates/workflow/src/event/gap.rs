//! `gap_recorded`: something is missing, or something missing was supplied.
//!
//! *Invariants*: a gap never changes. A later gap that names it resolves it.

use piton_core::{BoundedText, EventId, GapId, OutputId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::advance::LimitDetails;
use super::payload::BoundedList;
use super::strict_json::present;
use crate::bounds::{EVIDENCE_REFS_MAX, SUMMARY_BYTES_MAX};
use crate::reason::Reason;

/// Something is missing, or something missing was supplied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GapRecorded {
    /// The gap.
    pub gap_id: GapId,
    /// How much it matters.
    pub severity: GapSeverity,
    /// Why it is there.
    pub reason: Reason,
    /// What is missing, for people.
    pub summary: BoundedText<SUMMARY_BYTES_MAX>,
    /// Whether it is one, or the end of one.
    pub resolution: Resolution,
    /// What shows it.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub evidence_refs: Option<BoundedList<EvidenceRef, EVIDENCE_REFS_MAX>>,
    /// The limit that was reached, if that is what is wrong.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub details: Option<LimitDetails>,
}

/// Whether a gap is one, or the end of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Resolution {
    /// Something is missing.
    // The braces make serde refuse fields that do not belong here.
    Unresolved {},
    /// What an earlier gap missed was supplied.
    Resolves {
        /// The earlier gap.
        resolves_gap_id: GapId,
    },
}

/// What shows a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum EvidenceRef {
    /// An event of this session.
    Event {
        /// Which.
        event_id: EventId,
    },
    /// An output of a node.
    Output {
        /// Which.
        output_id: OutputId,
    },
}

piton_core::closed_set! {
    /// How much a gap matters.
    pub enum GapSeverity {
        /// Worth knowing.
        Info => "info",
        /// The result may suffer.
        Warning => "warning",
        /// The result is not what the workflow promises until the gap is resolved.
        Critical => "critical",
    }
}

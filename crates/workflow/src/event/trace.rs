//! `decision_trace_appended`: the engine's reasons for a decision. Nothing depends on it.
//!
//! *Invariants*: a trace fits its budget. Whatever does not fit is cut from the end backwards, and the cut is
//! marked, so the same decisions always leave the same trace.

use piton_core::budget::TRUNCATION_MARKER;
use piton_core::{BoundedText, TraceId, byte_len, canonical, truncate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::{BoundedList, PayloadError};
use super::strict_json::present;
use crate::bounds::{
    NAME_BYTES_MAX, SUMMARY_BYTES_MAX, TRACE_BYTES_MAX, TRACE_ENTRIES_MAX, TRACE_REFS_MAX,
};
use crate::loop_path::Iteration;
use crate::name::{ConditionId, LoopId, StepId};

piton_core::closed_set! {
    /// What the engine did, as one entry of a decision trace.
    pub enum TraceEntryKind {
        /// It chose the step that is pending next.
        SelectedNextStep => "selected_next_step",
        /// It looked whether a condition holds.
        EvaluatedCondition => "evaluated_condition",
        /// It began a loop.
        EnteredLoop => "entered_loop",
        /// It ended a loop.
        ExitedLoop => "exited_loop",
        /// It saw that the run is continued from a node that is no tip.
        DetectedNonTipAdvance => "detected_non_tip_advance",
    }
}

/// Why the engine decided as it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "UncheckedTrace")]
pub struct DecisionTraceAppended {
    entries: BoundedList<TraceEntry, TRACE_ENTRIES_MAX>,
    trace_id: TraceId,
}

/// One thing that the engine did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TraceEntry {
    /// What it did.
    pub kind: TraceEntryKind,
    /// What it was about.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub refs: Option<BoundedList<TraceRef, TRACE_REFS_MAX>>,
    /// Why, for people.
    pub summary: BoundedText<SUMMARY_BYTES_MAX>,
}

/// What an entry of a trace is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum TraceRef {
    /// A step.
    StepId {
        /// Which.
        step_id: StepId,
    },
    /// A loop.
    LoopId {
        /// Which.
        loop_id: LoopId,
    },
    /// A condition.
    ConditionId {
        /// Which.
        condition_id: ConditionId,
    },
    /// A turn of a loop.
    Iteration {
        /// Which, counted from zero.
        #[schemars(with = "u32")]
        value: Iteration,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedTrace {
    trace_id: TraceId,
    entries: BoundedList<TraceEntry, TRACE_ENTRIES_MAX>,
}

impl TraceEntry {
    /// Creates an entry. A summary that is too long is cut and marked; too many refs are an error.
    pub fn new(
        kind: TraceEntryKind,
        summary: &str,
        refs: Vec<TraceRef>,
    ) -> Result<Self, PayloadError> {
        let refs = BoundedList::optional(refs)?;
        Ok(Self { kind, summary: BoundedText::truncated(summary), refs })
    }

    /// Marks at the end of the summary that something was left out.
    fn mark(&mut self) {
        let text = self.summary.as_str();
        if !text.ends_with(TRUNCATION_MARKER) {
            let room = SUMMARY_BYTES_MAX - byte_len(TRUNCATION_MARKER);
            let kept = &text[..text.floor_char_boundary(room)];
            self.summary = BoundedText::truncated(&[kept, TRUNCATION_MARKER].concat());
        }
    }

    /// Cuts the summary so that its JSON shrinks by at least `excess_bytes`, or as far as possible.
    fn shrink(&mut self, excess_bytes: usize) {
        let text = self.summary.as_str();
        let before = json_len(text);
        let least = byte_len(TRUNCATION_MARKER);
        // Find the first budget that leaves too much: a larger budget never leaves less. Escapes make the
        // JSON length differ from the byte length, so the budget cannot be computed directly.
        let (mut low, mut high) = (least, byte_len(text));
        while low < high {
            let middle = low.midpoint(high);
            if json_len(&truncate(text, middle)) + excess_bytes <= before {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // One less than the first budget that is too large, but never less than the marker itself.
        let cut = truncate(text, least.max(low - 1));
        if json_len(&cut) < before {
            self.summary = BoundedText::truncated(&cut);
        }
    }
}

impl DecisionTraceAppended {
    /// Creates a trace of `entries`, which must not be empty.
    ///
    /// The first 25 are kept. If they are too large together, summaries are cut from the last backwards until
    /// they fit. If even that is not enough, because of long names in the refs, entries are dropped from the
    /// end. The last entry that is kept is marked when others are missing.
    pub fn new(trace: TraceId, mut entries: Vec<TraceEntry>) -> Result<Self, PayloadError> {
        if entries.len() > TRACE_ENTRIES_MAX {
            entries.truncate(TRACE_ENTRIES_MAX);
            entries.last_mut().expect("some are kept").mark();
        }
        // Encoding is the expensive part, so a trace that fits by a cheap upper bound skips it.
        let certainly_fits = bytes_at_most(&entries) <= TRACE_BYTES_MAX;
        let mut made = Self { trace_id: trace, entries: BoundedList::new(entries)? };
        if certainly_fits {
            return Ok(made);
        }
        // Each round drops one entry, so the loop ends. A single entry with all its refs is below the budget.
        loop {
            if made.shrink() {
                return Ok(made);
            }
            let mut entries = made.entries.as_slice().to_vec();
            entries.pop();
            entries.last_mut().expect("one entry always fits").mark();
            made.entries = BoundedList::new(entries)?;
        }
    }

    /// Cuts summaries from the last backwards. Returns true if the trace fits then.
    fn shrink(&mut self) -> bool {
        let mut entries = self.entries.as_slice().to_vec();
        let mut size = self.json_len();
        for entry in entries.iter_mut().rev() {
            // Once the trace fits, the summaries before this one stay whole.
            let Some(excess) = size.checked_sub(TRACE_BYTES_MAX).filter(|excess| *excess > 0)
            else {
                break;
            };
            let before = json_len(entry.summary.as_str());
            entry.shrink(excess);
            // The size is adjusted by the difference, which saves encoding the whole trace again.
            size -= before - json_len(entry.summary.as_str());
        }
        self.entries = BoundedList::new(entries).expect("as many as before");
        size <= TRACE_BYTES_MAX
    }

    fn json_len(&self) -> usize {
        canonical::encode(self).expect("strings and small numbers have a canonical form").len()
    }

    /// Returns the id of the trace.
    pub const fn trace(&self) -> TraceId {
        self.trace_id
    }

    /// Returns the actions of the engine, in order.
    pub fn entries(&self) -> &[TraceEntry] {
        self.entries.as_slice()
    }
}

/// Returns an upper bound for the size of a trace of `entries`, without encoding it.
fn bytes_at_most(entries: &[TraceEntry]) -> usize {
    /// The longest escape, `\u001f`, is written for one byte.
    const ESCAPED_BYTES_MAX: usize = 6;
    /// An upper bound for everything around the entries, and around the parts of one entry.
    const AROUND_BYTES_MAX: usize = 128; // tidy: number, counted above the longest names of fields
    const REF_BYTES_MAX: usize = AROUND_BYTES_MAX + NAME_BYTES_MAX;
    let of_one = |entry: &TraceEntry| {
        let refs = entry.refs.as_ref().map_or(0, |refs| refs.as_slice().len());
        let summary = byte_len(entry.summary.as_str()) * ESCAPED_BYTES_MAX;
        AROUND_BYTES_MAX + summary + refs * REF_BYTES_MAX
    };
    AROUND_BYTES_MAX + entries.iter().map(of_one).sum::<usize>()
}

fn json_len(text: &str) -> usize {
    canonical::encode(text).expect("a string has a canonical form").len()
}

impl TryFrom<UncheckedTrace> for DecisionTraceAppended {
    type Error = PayloadError;

    fn try_from(unchecked: UncheckedTrace) -> Result<Self, PayloadError> {
        let trace = Self { trace_id: unchecked.trace_id, entries: unchecked.entries };
        let measured_bytes = trace.json_len();
        if measured_bytes > TRACE_BYTES_MAX {
            return Err(PayloadError::TraceTooLarge { measured_bytes });
        }
        Ok(trace)
    }
}

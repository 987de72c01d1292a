//! What the demo found out: the same facts for a person and for a program.

use std::{collections::BTreeMap, path::PathBuf};

use piton_core::Envelope;
use piton_store::StreamId;
use serde::Serialize;

use super::event::DemoEvent;

/// The shape of the document; the number grows when it changes.
pub(super) const SCHEMA: &str = "piton.demo/1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Facts {
    pub(super) schema: &'static str,
    pub(super) data_dir: PathBuf,
    pub(super) earlier_sessions: usize,
    pub(super) session: StreamId,
    pub(super) written: Vec<Written>,
    pub(super) refused: Refused,
    pub(super) killed: Killed,
    pub(super) repeated: Repeated,
    pub(super) damaged: Damaged,
    pub(super) total: Total,
    pub(super) directory: PathBuf,
}

/// A plan that was appended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Written {
    pub(super) plan: u64,
    pub(super) events: u64,
    pub(super) milliseconds: f64,
    pub(super) text: &'static str,
}

/// A second writer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Refused {
    pub(super) milliseconds: f64,
    pub(super) error: Envelope,
}

/// A writer that was killed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Killed {
    pub(super) signal: i32,
    /// Plans that it had said were durable.
    pub(super) acknowledged: u64,
    /// Those of them that are not in the session.
    pub(super) lost: u64,
    /// Plans of which some events are in the session and some are not.
    pub(super) partial: u64,
    /// Plans that are whole in the session although it died before saying so.
    pub(super) unacknowledged: u64,
    /// Bytes of a write that was cut short, kept aside by the next writer.
    pub(super) torn_bytes: u64,
}

/// A plan that was sent again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Repeated {
    pub(super) plan: u64,
    pub(super) first_index: u64,
    pub(super) last_index: u64,
    /// Events in the session before and after.
    pub(super) events_before: u64,
    pub(super) events_after: u64,
}

/// A copy in which a byte was flipped.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Damaged {
    pub(super) file: String,
    pub(super) byte: usize,
    pub(super) error: Envelope,
    /// Events before the damage that can still be read from the copy.
    pub(super) readable_events: u64,
}

/// What is in the session at the end.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Total {
    pub(super) plans: u64,
    pub(super) events: u64,
    pub(super) acknowledged: u64,
    pub(super) lost: u64,
}

impl Total {
    pub(super) fn of(events: &[DemoEvent], written: &[Written], killed: &Killed) -> Self {
        let plans = parts_by_plan(events);
        let missing = written.iter().filter(|written| !plans.contains_key(&written.plan)).count();
        Self {
            plans: plans.len() as u64,
            events: events.len() as u64,
            acknowledged: written.len() as u64 + killed.acknowledged,
            lost: missing as u64 + killed.lost,
        }
    }
}

/// For each plan how many of its events there are, and how many it has.
pub(super) fn parts_by_plan(events: &[DemoEvent]) -> BTreeMap<u64, (u64, u64)> {
    let mut plans = BTreeMap::new();
    for event in events {
        plans.entry(event.plan).or_insert((0, event.parts)).0 += 1;
    }
    plans
}

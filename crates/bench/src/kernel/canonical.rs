//! Canonical JSON of about a megabyte, against `serde_json` on the same value.

use std::hint::black_box;

use piton_core::port::fixed::SeededEntropy;
use piton_core::{EventId, canonical};
use serde::Serialize;

use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::{Schedule, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 20, pairs: 10, warm_up: 1 };
const BYTES: usize = 1_000_000;
const RATIO_MAX: f64 = 2.0;

/// A typical record, with ids, prose, numbers, flags and lists. Its fields are not in canonical order, as those of a
/// struct seldom are.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SampleRecord {
    number: u64,
    event_id: EventId,
    title: String,
    notes_markdown: String,
    cost: f64,
    seconds: f64,
    retries: i32,
    confirmed: bool,
    parent: Option<EventId>,
    files: Vec<String>,
    counts: [u32; 6],
}

pub(super) fn rows(_: &BenchDir) -> Result<Vec<MeasureRow>> {
    let steps = document();
    let value = serde_json::to_value(&steps).map_err(Error::json("make a document"))?;
    Ok(vec![
        row("canonical JSON of 1 MB", &value)?.judged(Bar::ratio(RATIO_MAX)),
        row("  the same from structs, fields unsorted", &steps)?,
    ])
}

fn row<T: Serialize>(name: &'static str, value: &T) -> Result<MeasureRow> {
    let ours = || {
        let (bytes, time) = thread_cpu(|| canonical::encode(black_box(value)));
        bytes.map(|_| time).map_err(Error::json("encode a document"))
    };
    let baseline = || {
        let (bytes, time) = thread_cpu(|| serde_json::to_vec(black_box(value)));
        bytes.map(|_| time).map_err(Error::json("encode a document"))
    };
    let samples = SCHEDULE.run(|_| Ok((ours, baseline)))?;
    Ok(MeasureRow::timed(name, Unit::Milliseconds, "serde_json::to_vec", &samples))
}

/// Generates records of about [`BYTES`] bytes of JSON in total.
fn document() -> Vec<SampleRecord> {
    let entropy = SeededEntropy::new(1);
    let mut steps = Vec::new();
    let mut bytes = 0;
    while bytes < BYTES {
        let step = step(steps.len() as u64, &entropy);
        // One byte more for the comma between records.
        bytes += serde_json::to_vec(&step).map_or(BYTES, |text| text.len() + 1);
        steps.push(step);
    }
    steps
}

fn step(number: u64, entropy: &SeededEntropy) -> SampleRecord {
    let small = || u32::try_from(entropy.next_u64() % 10_000).unwrap_or_default();
    SampleRecord {
        number,
        event_id: EventId::mint(entropy),
        title: format!("Step {number}: find the smallest command that shows the bug"),
        notes_markdown: "The test fails 3 of 50 times.\n\n```\ncargo test login\n```\n\n\
                         \"port 8080 taken\" – seen on the über-slow runner, not locally.\n"
            .repeat(2),
        cost: f64::from(small()) / 7.0,
        seconds: f64::from(small()) / 1_000.0,
        retries: -1,
        confirmed: number.is_multiple_of(3),
        parent: (number > 0).then(|| EventId::mint(entropy)),
        files: (0..4).map(|file| format!("crates/store/src/local/file_{file}.rs")).collect(),
        counts: std::array::from_fn(|_| small()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_document_have_the_same_canonical_text_of_a_megabyte() {
        let steps = document();
        let value = serde_json::to_value(&steps).unwrap();
        let text = canonical::encode(&value).unwrap();
        assert_eq!(text, canonical::encode(&steps).unwrap());
        assert!((990_000..1_020_000).contains(&text.len()), "{}", text.len());
    }
}

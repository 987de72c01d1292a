//! The cost of a pack as the history grows.

use std::time::Duration;

use super::rig::{empty, node};
use crate::error::Result;
use crate::measure::{Schedule, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 1, warm_up: 0 };
/// Three times the packs. A walk through the history at each pack would take nine times as long.
const RATIO_MAX: f64 = 4.0;

// shows in part: BP-013 (the part about time)
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let samples = SCHEDULE.run(|_| Ok((|| packs(30_000), || packs(10_000))))?;
    let samples = samples.map(|time| time.as_secs_f64() * 1e3);
    let row = MeasureRow::paired("30,000 packs", Unit::Milliseconds, "10,000 packs", &samples);
    Ok(vec![row.judged(Bar::ratio(RATIO_MAX))])
}

/// Measures the whole life of a backpack: what leaves memory early is freed early, and the rest at the end.
fn packs(count: u32) -> Result<Duration> {
    let (outcome, time) = thread_cpu(|| {
        let backpack = empty();
        let node = node(&backpack, "writer", "flow.writer")?;
        for number in 0..count {
            let _ = node.pack(&format!("key-{}", number % 100), &number)?;
        }
        Ok(())
    });
    outcome.map(|()| time)
}

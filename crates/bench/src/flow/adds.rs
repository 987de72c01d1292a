//! The cost that the backpack adds to a node: the same loop with nodes that read, write and query.
//!
//! The fifth criterion of the product's requirements allows five milliseconds for each execution of a node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::visits::{Round, next_action, walk, walk_with};
use crate::error::Result;
use crate::measure::{Schedule, float};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 8, pairs: 2, warm_up: 1 };
const VISITS: u64 = 2_000;
const ADDED_US_MAX: f64 = 5_000.0;

/// Returns a loop that reads five keys, writes two, and queries a namespace, at every visit.
fn busy() -> Round {
    let left = AtomicU64::new(VISITS);
    Round::new(VISITS, move |context| {
        let left = left.fetch_sub(1, Ordering::Relaxed) - 1;
        Box::pin(async move {
            for key in ["a", "b", "c", "d", "e"] {
                std::hint::black_box(context.unpack::<u64>(key).await?);
            }
            context.pack("a", &left).await?;
            context.pack("b", &(left * 2)).await?;
            std::hint::black_box(context.unpack_by_namespace::<u64>("turn").await?);
            Ok(next_action(left))
        })
    })
}

pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let busy = || walk_with(1, VISITS, busy);
    let idle = || walk(1, VISITS);
    let samples = SCHEDULE.run(|_| Ok((&busy, &idle)))?;
    let added: Vec<f64> = samples
        .pairs()
        .map(|pair| {
            // Noise can make the idle loop the slower one; such a pair counts as nothing added.
            let added: Duration = pair.ours.saturating_sub(pair.baseline);
            added.as_secs_f64() * 1e6 / float(VISITS)
        })
        .collect();
    let name = "  added by 5 reads, 2 writes and a query";
    Ok(vec![
        MeasureRow::unpaired(name, Unit::Microseconds, &added)
            .judged(Bar::calibrated(ADDED_US_MAX)),
    ])
}

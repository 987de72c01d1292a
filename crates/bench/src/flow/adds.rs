//! What the backpack adds to a node: the same loop with nodes that read, write and ask as nodes do.
//!
//! The fifth criterion of the product's requirements allows five milliseconds for each execution of a node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton_flow::{Action, BoxFuture, Context, Node, NodeError};
use serde_json::Value;

use super::visits::{walk, walk_with};
use crate::{
    error::Result,
    measure::{Schedule, float},
    report::{Bar, Row, Unit},
};

const SCHEDULE: Schedule = Schedule { blocks: 8, pairs: 2, warm_up: 1 };
const VISITS: u64 = 2_000;
const ADDED_US_MAX: f64 = 5_000.0;

/// Reads five keys, writes two, and asks for a namespace, at every visit.
struct Busy {
    left: AtomicU64,
}

impl Node for Busy {
    fn type_name(&self) -> &'static str {
        "busy"
    }

    fn post<'a>(
        &'a self,
        context: &'a Context,
        _: &'a Value,
        _: Value,
    ) -> BoxFuture<'a, std::result::Result<Action, NodeError>> {
        Box::pin(async move {
            let left = self.left.fetch_sub(1, Ordering::Relaxed) - 1;
            for key in ["a", "b", "c", "d", "e"] {
                std::hint::black_box(context.unpack::<u64>(key).await?);
            }
            context.pack("a", &left).await?;
            context.pack("b", &(left * 2)).await?;
            std::hint::black_box(context.unpack_by_namespace::<u64>("turn").await?);
            Ok(if left == 0 { Action::End } else { Action::Default })
        })
    }
}

pub(super) fn rows() -> Result<Vec<Row>> {
    let busy = || walk_with(1, VISITS, |visits| Busy { left: AtomicU64::new(visits) });
    let idle = || walk(1, VISITS);
    let samples = SCHEDULE.run(|_| Ok((&busy, &idle)))?;
    let added: Vec<f64> = samples
        .pairs()
        .map(|pair| {
            let added: Duration = pair.ours.saturating_sub(pair.baseline);
            added.as_secs_f64() * 1e6 / float(VISITS)
        })
        .collect();
    let name = "  added by 5 reads, 2 writes and a query";
    Ok(vec![Row::alone(name, Unit::Microseconds, &added).judged(Bar::median(ADDED_US_MAX))])
}

//! Concurrent packs of one client, beside the same packs one after the other. Concurrent ones can share the turn to
//! write and the syncs of the disk, so they must cost little more CPU and take far less time.

use std::path::Path;

use serde_json::json;

use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::mcp_server::McpServer;
use crate::measure::{Schedule, TimeSpent, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

/// Number of calls in one turn.
const CALLS: u64 = 256;

/// Number of calls in flight at a time.
const TOGETHER: u64 = 64;

const CPU_RATIO_MAX: f64 = 1.2;
const TIME_RATIO_MAX: f64 = 0.5;

const SCHEDULE: Schedule = Schedule { blocks: 6, pairs: 4, warm_up: 1 };

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let samples = SCHEDULE.run(|block| {
        let mut together = start(&bench_dir.make(&format!("door-together-{block}"))?)?;
        let mut in_turn = start(&bench_dir.make(&format!("door-in-turn-{block}"))?)?;
        Ok((move || packs(&mut together, TOGETHER), move || packs(&mut in_turn, 1)))
    })?;
    let row = |name, samples: &_| {
        MeasureRow::timed_each(name, Unit::Microseconds, "one after the other", samples, CALLS)
    };
    Ok(vec![
        row("a pack, 64 under way", &samples.map(|turn| turn.time))
            .judged(Bar::disk_ratio(TIME_RATIO_MAX)),
        row("  CPU of the server", &samples.map(|turn| turn.cpu)).judged(Bar::ratio(CPU_RATIO_MAX)),
    ])
}

fn start(data: &Path) -> Result<McpServer> {
    McpServer::piton(data, &["--backpack", "together"])
}

/// Measures [`CALLS`] packs, with this number of them in flight at a time.
fn packs(server: &mut McpServer, together: u64) -> Result<TimeSpent> {
    TimeSpent::of(server.id(), || {
        let (outcome, time) = wall_time(|| {
            // A sliding window: from the moment that it is full, each reply makes room for the next call. The last
            // rounds only collect replies.
            for number in 0..CALLS + together {
                if number >= together {
                    server.reply()?;
                }
                if number < CALLS {
                    let value = json!({ "key": format!("k{number}"), "value": number });
                    server.send_call("pack", &value)?;
                }
            }
            Ok(())
        });
        outcome.map(|()| time)
    })
}

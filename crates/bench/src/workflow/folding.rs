//! Folding a long log with queries after each plan, against as many events in short logs.

use std::hint::black_box;
use std::time::Duration;

use piton_workflow::projection::{SessionState, status};
use piton_workflow::{Capability, SessionEvent};

use super::sessions;
use crate::error::{Result, expect};
use crate::measure::{Schedule, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 12, pairs: 2, warm_up: 1 };

/// Number of plans in the long log, at four events each.
const PLANS: usize = 2_500;

/// Number of short logs that have as many plans together.
const SHORT_LOGS: usize = 10;

/// Larger maps miss the processor's caches more often. A walk through the log would cost ten times as much.
const RATIO_MAX: f64 = 2.0;

type EventLog = Vec<Vec<SessionEvent>>;

// shows: WR-448 (with compare_loads)
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let workflow = sessions::workflow("project.bench")?;
    let write = |number: u32, plans: usize| -> EventLog {
        let (_, plans) = sessions::session(number, plans, &workflow);
        plans.iter().map(|plan| plan.events().to_vec()).collect()
    };
    let long = [write(0, PLANS)];
    let short: Vec<EventLog> =
        (1..).take(SHORT_LOGS).map(|number| write(number, PLANS / SHORT_LOGS)).collect();
    let ours = || fold(&long);
    let baseline = || fold(&short);
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let name = "fold a log of 10,000 events, asking after each plan";
    let row = MeasureRow::timed(name, Unit::Milliseconds, "ten logs of 1,000", &samples);
    Ok(vec![row.judged(Bar::ratio(RATIO_MAX))])
}

fn fold(logs: &[EventLog]) -> Result<Duration> {
    let (nodes, time) = thread_cpu(|| logs.iter().map(fold_one).sum::<usize>());
    expect("nodes of all logs", PLANS as u64, nodes as u64)?;
    Ok(time)
}

/// Folds a log, and makes the queries of an advance after each plan.
fn fold_one(log: &EventLog) -> usize {
    let mut state = SessionState::default();
    for plan in log {
        for event in plan {
            state.apply(event);
        }
        let run = &state.runs()[0];
        let node = run.graph.preferred_tip().expect("each run has a node");
        let tip = node.id;
        black_box((
            run.preferences.effective(tip),
            run.contexts.effective(tip),
            run.capabilities.capability(tip, Capability::WebBrowsing),
            run.notes_toward(node, None),
            status(run, false),
        ));
    }
    state.runs()[0].graph.node_count()
}

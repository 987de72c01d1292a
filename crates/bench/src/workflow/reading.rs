//! Requests that write nothing, warm: submitting the same output again, and asking where a run stands.

use std::sync::Arc;
use std::time::Duration;

use piton_store::local::RealDisk;
use piton_workflow::session::{Continue, Reply};

use super::rig::WorkflowRig;
use super::run::BenchRun;
use crate::bench_dir::BenchDir;
use crate::error::{Result, expect};
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 20, pairs: 50, warm_up: 2 };
/// Number of prepared steps. The step that is asked about comes after them.
const SHORT_STEPS: u64 = 9;
const LONG_STEPS: u64 = 1_999;
const BASELINE: &str = "at step 10";
const MILLISECONDS_MAX: f64 = 1.0;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("reading")?;
    let mut long = BenchRun::prepared(&root, "long", LONG_STEPS)?;
    let mut short = BenchRun::prepared(&root, "short", SHORT_STEPS)?;
    bench_dir.sync()?;
    let rig = WorkflowRig::open(Arc::new(RealDisk), &root)?;
    let (long, short) =
        (AnsweredStep::next(&rig, &mut long)?, AnsweredStep::next(&rig, &mut short)?);
    let row = |name, call: fn(&AnsweredStep) -> Continue| -> Result<MeasureRow> {
        let samples = SCHEDULE
            .run(|_| Ok((|| long.time(&rig, call(&long)), || short.time(&rig, call(&short)))))?;
        let row = MeasureRow::timed(name, Unit::Milliseconds, BASELINE, &samples);
        Ok(row.judged(Bar::calibrated(MILLISECONDS_MAX)))
    };
    Ok(vec![
        row("replay of step 2,000, warm", |asked| asked.request.clone())?,
        row("rehydrate at step 2,000, warm", |asked| Continue {
            state_token: Some(asked.reply.body.state_token.clone()),
            ..Continue::default()
        })?,
    ])
}

/// A completed step, with its request and reply.
struct AnsweredStep {
    request: Continue,
    reply: Reply,
}

impl AnsweredStep {
    /// Does the next step of a run.
    fn next(rig: &WorkflowRig, run: &mut BenchRun) -> Result<Self> {
        let request = run.request();
        run.advance(rig, 1)?;
        Ok(Self { request, reply: run.reply.clone() })
    }

    /// Measures a call that must be answered with the same place in the run.
    fn time(&self, rig: &WorkflowRig, call: Continue) -> Result<Duration> {
        let (reply, time) = wall_time(|| rig.wait(rig.sessions.proceed(call)));
        // The same token means that the recorded reply came back, and no further step was made.
        let is_same = reply?.body.ack_token == self.reply.body.ack_token;
        expect("replies about the same place", 1, u64::from(is_same))?;
        Ok(time)
    }
}

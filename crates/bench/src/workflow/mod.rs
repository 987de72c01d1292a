//! Workflows: the cost of compiling one, of leading an agent through it, of following a run, and of finding one again.

mod advance;
mod compiling;
mod folding;
mod reading;
mod recalling;
mod rig;
mod run;
pub(crate) mod sessions;

pub(crate) use self::rig::WorkflowRig;
pub(crate) use self::run::BenchRun;
use crate::part::Measure;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 6] = [
    ("the compiler", |_| compiling::rows()),
    ("an advance", advance::rows),
    ("advances of a short and of a long run", advance::flatness_rows),
    ("replays and rehydrations", reading::rows),
    ("projections", |_| folding::rows()),
    ("recall", recalling::rows),
];

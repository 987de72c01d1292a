//! Workflows: what it costs to make one ready to run, to lead an agent through it, to follow a run, and to
//! find one again.

mod advance;
mod compiling;
mod flatness;
mod folding;
mod plans;
mod reading;
mod recalling;
mod rig;
mod run;
mod sessions;

pub(crate) use self::{flatness::prepared, rig::WorkflowRig, run::BenchRun};
use crate::part::Measure;

/// Everything that is measured, in this order.
pub(crate) const MEASURES: [(&str, Measure); 6] = [
    ("the compiler", |_| compiling::rows()),
    ("an advance", advance::rows),
    ("advances of a short and of a long run", flatness::rows),
    ("replays and rehydrations", reading::rows),
    ("projections", |_| folding::rows()),
    ("recall", recalling::rows),
];

//! Measurement: clocks, pairs that take turns, and the statistics over them.

mod calibration;
mod clocks;
mod cost;
mod pairs;
mod process;
mod statistics;

pub(crate) use calibration::slowness;
pub(crate) use clocks::{thread_cpu, wall_time};
pub(crate) use cost::Cost;
#[cfg(test)]
pub(crate) use pairs::Pair;
pub(crate) use pairs::{Samples, Schedule};
pub(crate) use process::{cpu_of, peak_resident_bytes, resident_bytes};
pub(crate) use statistics::{Interval, Summary, float, ratio_interval, summary};

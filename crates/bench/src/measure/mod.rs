//! Measurement: clocks, pairs that take turns, and the statistics over them.

mod calibration;
mod cost;
mod pairs;
mod statistics;

pub(crate) use calibration::slowness;
pub(crate) use cost::{
    Cost, TimeSpent, cpu_of, peak_resident_bytes, resident_bytes, thread_cpu, wall_time,
};
#[cfg(test)]
pub(crate) use pairs::Pair;
pub(crate) use pairs::{LongAndShort, Samples, Schedule};
pub(crate) use statistics::{Interval, Summary, float, percentile, ratio_interval, summary};

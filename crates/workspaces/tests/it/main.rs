//! The behaviour of `piton-workspaces` as other crates see it.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, look at what lies on the disk, and say what they counted"
)]

mod apply_race;
mod attack;
mod audit;
mod audit_log;
mod audit_parallel;
mod config;
mod conformance;
mod counting;
mod durable;
mod editing;
mod guarded;
mod kill;
mod map;
mod meddled;
mod middleware;
mod model;
mod narrowed;
mod oracle;
mod oracle_patterns;
mod overlay;
mod overlay_parts;
mod overlay_trees;
mod path;
mod quota;
mod race;
mod reading;
mod reference;
mod roots;
mod routing;
mod snapshot;
mod tools;
mod wall;
mod world;
mod writers;

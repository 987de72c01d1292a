//! The behaviour of `piton-context` as other crates see it.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, make the files that are scanned, and say their seeds"
)]

mod busy;
mod check;
mod crowded;
mod damage;
mod doors;
mod frames;
mod history;
mod ignore;
mod levels;
mod processes;
mod reading;
mod reads;
mod refresh;
mod refusing;
mod renames;
mod runs;
mod scan;
mod scene;
mod subtree;
mod synthesis;
mod tree;
mod watch;
mod worker;

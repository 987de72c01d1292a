//! One fuzz target for each format that others write or that lies on a disk; `PITON_FUZZ` names the one to run.
//!
//! `cargo xtask fuzz` builds this with the instrumentation of libFuzzer and runs every target. An input that ends in a
//! panic is kept below `fuzz/seeds`, so that it is tried first from then on.
//!
//! | file | holds |
//! |---|---|
//! | `texts` | canonical JSON, tokens, workflow files, flow files, bundles, snapshots |
//! | `disk` | control files, logs and key rings, as a damaged medium could return them |
//! | `messages` | messages of MCP clients, to a server in memory |
#![no_main]

mod disk;
mod messages;
mod texts;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// What is done with one input.
type Target = fn(&[u8]);

/// Every target, by name.
const TARGETS: [(&str, Target); 11] = [
    ("canonical", texts::canonical),
    ("token", texts::token),
    ("workflow", texts::workflow),
    ("flow", texts::flow),
    ("bundle", texts::bundle),
    ("snapshot", texts::snapshot),
    ("manifest", disk::manifest),
    ("segment", disk::segment),
    ("log", disk::log),
    ("keyring", disk::keyring),
    ("mcp", messages::mcp),
];

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("PITON_FUZZ").unwrap_or_default();
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("PITON_FUZZ names no target: `{name}`")).1
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));

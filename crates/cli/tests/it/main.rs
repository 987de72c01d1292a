//! The `piton` command, run as a person runs it.
#![expect(clippy::disallowed_methods, reason = "the tests start the program and look at its files")]
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]
#![expect(clippy::print_stdout, reason = "long tests print their seed and what they did")]

mod advice;
mod agent;
mod apply;
mod backpacks;
mod branches;
mod clients;
mod command_line;
mod completion;
mod config_check;
mod console;
mod console_demo;
mod console_faults;
mod context;
mod damage;
mod demo;
mod examples;
mod file_origins;
mod file_tools;
mod flow_kill;
mod flow_numbers;
mod flow_outcomes;
mod flows;
mod guides;
mod http_calls;
mod inbox;
mod kill;
mod lineage;
mod malformed;
mod narrowed;
mod next_commands;
mod page;
mod persons;
mod processes;
mod projections;
mod promises;
mod protected;
mod real_clients;
mod records;
mod recovery;
mod rig;
mod routines;
mod search;
mod servers;
mod sessions;
mod set_aside;
mod several_runs;
mod soak;
mod state;
mod text_agent;
mod tour;
mod wall;
mod workflows;
mod workspaces;

use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

/// The program under test: the one that was just built, unless `PITON_TEST_BINARY` names another.
///
/// Pointed at an older program, the tests tell which of them it fails.
fn program() -> OsString {
    env::var_os("PITON_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_piton").into())
}

/// Runs `piton` in an environment that says nothing about data directories.
fn piton(arguments: &[&str], home: &Path) -> Output {
    Command::new(program())
        .args(arguments)
        .env_remove("PITON_DATA_DIR")
        .env_remove("XDG_DATA_HOME")
        .env("HOME", home)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The one document on standard output.
fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

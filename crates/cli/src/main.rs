//! The `piton` command: the composition root, and the only program that names adapters and exits.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | what can be called, and how |
//! | `commands` | what each command does |
//! | `app`, `open` | what commands work with: the environment, an open data directory |
//! | `next_command` | the commands that a text names next |
//! | `output`, `style`, `table`, `age`, `time`, `text_diff`, `tree`, `messages` | what people and programs read |
//! | `failure`, `refusal`, `exit` | how failures are told |
//! | `log` | what the processes of a data directory did |
//! | `demo` | `piton demo` |

mod age;
mod app;
mod arguments;
mod ask;
mod bounds;
mod commands;
mod data_dir;
mod demo;
mod environment;
mod exit;
mod failure;
mod files;
mod log;
mod messages;
mod next_command;
mod open;
mod output;
mod program;
mod refusal;
mod style;
mod table;
mod text_diff;
mod tree;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}

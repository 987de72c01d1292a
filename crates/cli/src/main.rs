//! The `piton` command: the composition root, and the only program that names adapters and exits.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | the commands, arguments and options |
//! | `commands` | the implementation of each command |
//! | `app`, `open` | the context of a command: the environment, an open data directory |
//! | `next_command` | the commands that a text suggests next |
//! | `output`, `style`, `table`, `age`, `text_diff`, `tree`, `messages` | the output for people and programs |
//! | `failure`, `refusal`, `exit` | the presentation of failures |
//! | `log` | the log of the processes of a data directory |
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

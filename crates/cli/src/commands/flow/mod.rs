//! `piton flow`: flows of nodes, from files.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the subcommands |
//! | `check` | `check`, `graph` |
//! | `run` | `run`, `resume`, and what every run needs: its options, Ctrl-C, the report |
//! | `replay` | `replay` |
//! | `tool_sources` | the models, files and tools that flows reach |

mod check;
mod command;
mod replay;
mod run;
mod tool_sources;

pub(crate) use command::Command;

//! `piton flow`: flows of nodes, from files.

mod check;
mod command;
mod replay;
mod resume;
mod run;
mod run_args;
mod tool_sources;

pub(crate) use command::Command;

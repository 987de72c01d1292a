//! `piton session`: sessions and their runs.

mod artifact;
mod command;
mod gc;
mod keep;
mod list;
mod remove;
mod show;
mod transfer;
mod tree;
mod verify;

pub(crate) use command::Command;
pub(crate) use show::{artifact_line, say_decisions};

//! `piton workflow`: lists, checks, writes and runs workflows.

mod adopt;
mod command;
mod compile;
mod library;
mod list;
mod show;
mod validate;
mod walk;
mod write;

pub(crate) use command::Command;

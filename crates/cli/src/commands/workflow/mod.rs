//! `piton workflow`: what there is to run, checked, written and walked.

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

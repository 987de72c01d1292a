//! `piton blame`: where something comes from.

mod backpack;
mod chain;
mod command;
mod file;
mod frame;
mod recap;
mod run;

pub(crate) use command::Command;
pub(crate) use run::print as say_link;

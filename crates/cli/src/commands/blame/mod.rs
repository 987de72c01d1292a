//! `piton blame`: the origin of something.

mod backpack;
mod chain;
mod command;
mod file;
mod frame;
mod recap;
mod run;

pub(crate) use command::Command;
pub(crate) use run::print as say_link;

//! `piton blame`: where something comes from.

mod command;
mod recap;
mod run;

pub(crate) use command::Command;
pub(crate) use run::say as say_link;

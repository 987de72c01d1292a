//! `piton flow`: flows of nodes, from files.

mod check;
mod command;
mod going;
mod outside;
mod replay;
mod resume;
mod run;

pub(crate) use command::Command;

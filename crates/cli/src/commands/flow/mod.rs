//! `piton flow`: flows of nodes, from files.

mod command;
mod outside;

pub(crate) use command::Command;

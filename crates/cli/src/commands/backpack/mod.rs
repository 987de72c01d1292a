//! `piton backpack`: the knowledge of a flow's nodes, and its authors.

mod at;
mod blame;
mod command;
mod diff;
mod lines;
mod list;
mod log;
mod quarantined;
mod show;
mod verify;

pub(crate) use command::{Backpack, Command, backpacks};
pub(crate) use lines::cell;

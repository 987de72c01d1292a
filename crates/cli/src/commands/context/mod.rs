//! `piton context`: a project's tree, and the frames that agents put on it.

mod batch;
mod command;
mod compare;
mod desk;
mod generate;
mod look;
mod make;
mod models;
mod progress;
mod put;
mod read;
mod watch;

pub(crate) use command::ContextCommand;
pub(crate) use desk::{ProjectSession, frames};

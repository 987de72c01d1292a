//! `piton context`: a project's tree, and the frames that agents put on it.

mod batch;
mod command;
mod compare;
mod generate;
mod inspect;
mod models;
mod progress;
mod project_session;
mod put;
mod read;
mod synthesize;
mod watch;

pub(crate) use command::ContextCommand;
pub(crate) use project_session::{ProjectSession, frames};

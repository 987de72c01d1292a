//! `piton context`: a project's tree, and the frames that agents put on it.

mod command;
mod generate;
mod inspect;
mod project_session;
mod put;
mod read;
mod synthesize;
mod tree;
mod watch;

pub(crate) use command::ContextCommand;
pub(crate) use project_session::{ProjectSession, project_context};

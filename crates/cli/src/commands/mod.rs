//! The implementation of each command. A command takes its arguments and its context, prints its outcome, and ends.

pub(crate) mod backpack;
pub(crate) mod blame;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod data;
pub(crate) mod diff;
mod dispatch;
mod doctor;
pub(crate) mod explain;
pub(crate) mod flow;
pub(crate) mod fork;
pub(crate) mod install;
pub(crate) mod keys;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod prefs;
mod project_things;
mod reference;
pub(crate) mod session;
pub(crate) mod settle;
mod stop;
pub(crate) mod up;
pub(crate) mod workflow;
pub(crate) mod workspace;

pub(crate) use dispatch::run;

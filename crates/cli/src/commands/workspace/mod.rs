//! `piton workspace`: the files that agents see, and the changes that agents made to them.
//!
//! | file | holds |
//! |---|---|
//! | `chosen` | the workspaces of a process: `--workspace`, and the configuration |
//! | `sandbox` | the kernel sandbox around a server |
//! | `map` | the view of an agent: the Filesystem Map and its tools |
//! | `resolve` | the workspace that a path belongs to, and the reasons for refusals |
//! | `log` | the changes of a file |
//! | `review` | the changes of an overlay: show, apply or drop them |
//! | `verify` | checks and repairs of what Piton keeps of files, and the names of lost ones |
//! | `shell`, `typed` | tool calls as a person types them |

mod chosen;
mod command;
mod log;
mod map;
mod resolve;
mod review;
pub(crate) mod sandbox;
mod shell;
mod typed;
mod verify;

pub(crate) use chosen::Chosen;
pub(crate) use command::Command;
pub(crate) use log::say_history;
pub(crate) use verify::lost_files;

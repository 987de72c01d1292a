//! `piton workspace`: the files that agents see, and the changes that agents made to them.
//!
//! | file | holds |
//! |---|---|
//! | `arguments` | the workspaces of a process: `--workspace`, and the configuration |
//! | `sandbox` | the kernel sandbox around a server |
//! | `inspect` | the view of an agent: the Filesystem Map, its tools, and the workspace that a path belongs to |
//! | `log` | the changes of a file |
//! | `review` | the changes of an overlay: show, apply or drop them |
//! | `verify` | checks and repairs of what Piton keeps of files, and the names of lost ones |
//! | `shell` | tool calls as a person types them |

mod arguments;
mod command;
mod inspect;
mod log;
mod review;
pub(crate) mod sandbox;
mod shell;
mod verify;

pub(crate) use arguments::WorkspaceArguments;
pub(crate) use command::Command;
pub(crate) use log::say_history;
pub(crate) use verify::lost_files;

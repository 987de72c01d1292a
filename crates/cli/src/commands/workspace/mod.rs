//! `piton workspace`: the files that agents see, and what they did to them.
//!
//! | file | holds |
//! |---|---|
//! | `chosen` | which Workspaces a process has: `--workspace`, and what is configured |
//! | `sandbox` | the kernel's own wall around a server |
//! | `map` | what an agent reads: the Filesystem Map and its tools |
//! | `resolve` | which Workspace a path belongs to, and why something is refused |
//! | `log` | who changed a file |
//! | `review` | what an overlay changed; apply it, or drop it |
//! | `verify` | check what Piton keeps of files, repair it, and name what was lost |
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

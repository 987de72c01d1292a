//! `piton session`: sessions and their runs.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the subcommands |
//! | `list` | `list` |
//! | `show` | `show`, `tree`, `artifact` |
//! | `prefer` | `prefer` |
//! | `export` | `export`, `import` |
//! | `verify` | `verify`, `repair`, `repairs` |
//! | `retention` | `gc`, `delete`, `keep` |

mod command;
mod export;
mod list;
mod prefer;
mod retention;
mod show;
mod verify;

pub(crate) use command::Command;
pub(crate) use show::{artifact_line, say_decisions};

//! `piton workflow`: lists, checks, writes and runs workflows.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the subcommands |
//! | `list` | `list` |
//! | `show` | `show`, `compile` |
//! | `schema` | `schema` |
//! | `validate` | `validate` |
//! | `write` | `new`, `fork` |
//! | `adopt` | `adopt` |
//! | `walk` | `run` |
//! | `stats` | `stats` |
//! | `library` | the workflows that are available here |

mod adopt;
mod command;
mod library;
mod list;
mod schema;
mod show;
mod stats;
mod validate;
mod walk;
mod write;

pub(crate) use command::Command;
pub(crate) use library::source_files;

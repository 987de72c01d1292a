//! `piton backpack`: the knowledge of a flow's nodes, and its authors.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the subcommands, and the argument that names a backpack |
//! | `list` | `list` |
//! | `log` | `log`, `history` |
//! | `show` | `show`, `quarantined` |
//! | `items` | `at`, `blame` |
//! | `diff` | `diff` |
//! | `verify` | `verify`, `repair` |

mod command;
mod diff;
mod items;
mod list;
mod log;
mod show;
mod verify;

pub(crate) use command::{Backpack, Command, backpacks};

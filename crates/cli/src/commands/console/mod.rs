//! `piton console`: a person's window on what agents do.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the command, its subcommands and their output |
//! | `serve` | the server: sandbox, project, port |
//! | `link` | links that let a browser in, and signing out |
//! | `beside` | the console that `piton up` starts beside itself |
//! | `page` | showing the page in a browser |

mod beside;
mod command;
mod link;
mod page;
mod serve;

pub(crate) use beside::ConsoleBeside;
pub(crate) use command::ConsoleCommand;
pub(crate) use page::OpenPage;

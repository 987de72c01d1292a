//! `piton up`: serves agents over HTTP.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the server, from its start to its end |
//! | `listen` | the port that it listens on |
//! | `notice` | the file that says where it runs |
//! | `words` | the text that it prints |

mod command;
mod listen;
mod notice;
mod words;

pub(crate) use command::Up;

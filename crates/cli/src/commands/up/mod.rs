//! `piton up`: agents are served over HTTP.
//!
//! | file | holds |
//! |---|---|
//! | `command` | from the start to the end of the server |
//! | `listen` | which port it gets |
//! | `notice` | where others read that it runs |
//! | `words` | what it says at its start |

mod command;
mod listen;
mod notice;
mod words;

pub(crate) use command::Up;

//! The console: a person's window on what agents do, as a web page and the API behind it.
//!
//! | module | holds |
//! |---|---|
//! | `console`, `project_view` | what the console works with; the project that a request is about |
//! | [`route`], [`routes`], `request`, `part_request`, `reply` | the table of routes, each with its use case, request and reply; how to add one |
//! | `call_text` | the parts of a request as text: path and query |
//! | [`demo`] | a run that a scripted agent plays, for a person who has no agent at hand |
//! | [`secret`], [`entrance`] | keys and secrets; who may enter, and the browsers that did |
//! | [`change_ring`], `change_feed` | hints that something changed: the last ones, numbered; and their delivery |
//! | [`http`] | the server: checks, headers, assets, the API, the stream of changes |
//! | `run_file` | a run as one HTML file |
//! | [`bounds`] | every limit of the crate, with its reason |
//!
//! *Invariants*: the console speaks to the runtime alone, and to nothing below it. It shows and settles; it neither
//! starts nor continues a run, and knows no call that would. Nothing is answered to a caller without both halves of
//! its sign-in, except for the page itself. No key or secret is stored, logged or part of an address that is sent.

pub mod bounds;
mod call_text;
mod change_feed;
pub mod change_ring;
mod console;
pub mod demo;
pub mod entrance;
pub mod http;
mod part_request;
mod project_view;
mod reply;
mod request;
pub mod route;
#[cfg(feature = "schemas")]
pub mod route_types;
pub mod routes;
mod run_file;
pub mod secret;

pub use console::{Console, ConsolePorts};
pub use http::{Listener, serve};
pub use project_view::ConsoleProject;
pub use run_file::run_file;

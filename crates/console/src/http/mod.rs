//! The server of the console.
//!
//! *Invariants*: it listens on this machine alone. A page from elsewhere reaches nothing: `Host` must be ours, and so
//! must `Origin` where a browser sends one. Every reply carries the headers that keep a page from running anything but
//! our own script. Everything that a browser can make the server hold is bounded.
//!
//! | file | holds |
//! |---|---|
//! | `listener` | the address, and the origins that the console has |
//! | `connections` | connections, their limit, and the end of those that send nothing |
//! | `origin` | the check of `Host`, `Origin` and `Sec-Fetch-Site` |
//! | `headers` | the headers of every reply |
//! | `assets` | the page |
//! | `api` | the routes: sign-in, body, reply, `ETag` |
//! | `sign_in` | entering, leaving, and the check of both halves of a sign-in |
//! | `problem` | errors, and their status |
//! | `change_events` | the stream of changes |
//! | `serve` | all parts put together |

mod api;
mod assets;
mod change_events;
mod connections;
mod headers;
mod listener;
mod origin;
mod problem;
mod serve;
mod sign_in;

pub use listener::{Listener, Origin};
pub use serve::serve;
pub use sign_in::SECRET_HEADER;

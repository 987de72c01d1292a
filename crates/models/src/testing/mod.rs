//! A model server on a real socket, for tests. It speaks every wire format, whole and in pieces, answers and fails as
//! scripted, and records its requests.

mod formats;
mod http;
mod reply;
mod server;

pub use http::SeenRequest;
pub use reply::{ScriptedReply, ServerFault};
pub use server::ModelServer;

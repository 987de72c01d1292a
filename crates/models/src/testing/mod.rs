//! A model server on a real socket, for tests. It speaks every wire format, whole and in pieces, answers and fails as
//! scripted, and records its requests.

mod anthropic;
mod http;
mod ollama;
mod openai;
mod reply;
mod server;

pub use reply::{ScriptedReply, ServerFault};
pub use server::{ModelServer, SeenRequest};

//! A model server on a real socket, for tests: it speaks every wire format, whole and in pieces, answers what it
//! is told to, fails as it is told to, and remembers what it was sent.

mod anthropic;
mod http;
mod ollama;
mod openai;
mod reply;
mod server;

pub use reply::{ScriptedReply, ServerFault};
pub use server::{ModelServer, SeenRequest};

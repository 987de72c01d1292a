//! Real providers, over HTTP.
//!
//! * `openai`, `anthropic`, `ollama`: each wire format, as pure functions from and to JSON.
//! * `format`: what the formats have in common, and an answer while it is put together.
//! * `failure`: errors without secrets.
//! * `client`, `streaming`: the calls themselves, and the frames of a stream.
//!
//! *Invariants*: answers are measured as they arrive, and a stream that ends before its format says so was cut.

mod anthropic;
mod client;
mod failure;
mod format;
mod ollama;
mod openai;
mod streaming;

pub use client::Providers;

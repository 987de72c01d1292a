//! Real providers, over HTTP.
//!
//! * `openai`, `anthropic`, `ollama`: each wire format, as pure functions from and to JSON.
//! * `frames`: splitting the bytes of a stream into frames.
//! * `failure`: errors without secrets.
//! * `client`, `call`, `streaming`: the calls themselves.
//!
//! *Invariants*: answers are measured as they arrive, and a stream that ends before its format says so was cut.

mod anthropic;
mod call;
mod client;
mod draft;
mod failure;
mod format;
mod frames;
mod ollama;
mod openai;
mod streaming;

pub use client::Providers;

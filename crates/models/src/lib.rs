//! Language models behind one trait, whatever their provider.
//!
//! A durable runtime must own every call of a model: what was sent, what came back, what it cost, and whether
//! trying again is safe. So there is one shape for all of it, and each provider's own format stays behind
//! [`ModelClient`].
//!
//! * [`message`], [`tool`], [`options`], [`request`]: what is sent.
//! * [`answer`], [`stream`]: what comes back, whole or piece by piece.
//! * [`client`]: the trait.
//! * [`provider`]: who answers: names, settings and keys.
//! * [`retry`], [`retry_client`]: when a call is repeated, and a client that does so.
//! * [`scripted`]: a client that plays answers, for tests and demonstrations.
//! * [`rehearsed`]: a client that answers by rules, for flows that are tried out without a provider.
//! * `providers` (feature of that name): the client that speaks to real providers.
//! * `testing` (feature of that name): a model server on a real socket.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: a key is read when a call needs it, goes into the call, and is in no `Debug`, error or log. An
//! answer is complete or an error: a stream that ends early is never taken for a short answer. Only
//! `providers`, the reading of keys and `testing` have effects.

pub mod answer;
pub mod bounds;
pub mod client;
mod error;
pub mod message;
pub mod options;
pub mod provider;
#[cfg(feature = "providers")]
mod providers;
pub mod rehearsed;
pub mod request;
pub mod retry;
pub mod retry_client;
pub mod scripted;
pub mod stream;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tool;

pub use answer::{Answer, Finish, Usage};
pub use client::{BoxFuture, ModelClient};
pub use error::{Error, Redaction};
pub use message::Message;
pub use options::Options;
pub use provider::{ProviderName, ProviderSettings, WireFormat};
#[cfg(feature = "providers")]
pub use providers::Providers;
pub use rehearsed::{Rehearsed, Rule, Then};
pub use request::Request;
pub use retry::Backoff;
pub use retry_client::Retrying;
pub use scripted::Scripted;
pub use stream::{AnswerPart, AnswerStream};
pub use tool::{ToolCall, ToolChoice, ToolSpec};

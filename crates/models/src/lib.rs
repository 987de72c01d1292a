//! Language models behind one trait, whatever their provider.
//!
//! A durable runtime must own every call to a model: what was sent, what came back, what it cost, and whether trying
//! again is safe. So there is one form for all of it, and each provider's own format stays behind [`ModelClient`].
//!
//! * [`message`], [`tool`], [`options`], [`request`]: the request.
//! * [`answer`], [`stream`]: the answer, whole or piece by piece.
//! * [`client`]: the trait.
//! * [`provider`]: names, settings and keys of providers.
//! * [`retry`], [`retry_client`]: the rule for repeating a call, and a client that follows it.
//! * [`scripted`]: a client that plays back answers, for tests and demonstrations.
//! * [`rehearsed`]: a client that answers by rules, to try out flows without a provider.
//! * `providers` (feature of that name): the client for real providers.
//! * `testing` (feature of that name): a model server on a real socket.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: a key is read when a call needs it, goes into that call, and appears in no `Debug`, error or log. An
//! answer is complete or an error: a stream that ends early is never taken for a short answer. Only `providers`, the
//! reading of keys and `testing` have effects.

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

//! Language models behind one trait, whatever their provider.
//!
//! A durable runtime must own every call to a model: what was sent, what came back, what it cost, and whether trying
//! again is safe. So there is one form for all of it, and each provider's own format stays behind [`ModelClient`].
//!
//! ```
//! use piton_models::{Error, Message, ModelClient, Request, Scripted};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! // A provider, a rehearsal and a script are one trait: a flow does not know which of them answers.
//! let model: &dyn ModelClient = &Scripted::with_texts(&["Prices fell 3 %."]);
//! let answer = model.complete(&Request::new(vec![Message::user("What did prices do?")])).await?;
//! assert_eq!(answer.text, "Prices fell 3 %.");
//!
//! // What no provider would accept is refused before anything is sent.
//! let refused = model.complete(&Request::new(vec![Message::system("Be brief.")])).await;
//! assert!(matches!(refused, Err(Error::Request { .. })));
//! # Ok::<(), Error>(())
//! # }).unwrap();
//! ```
//!
//! * [`message`], [`request`]: the request.
//! * [`answer`]: the answer.
//! * [`client`]: the trait, and answers that arrive piece by piece.
//! * [`provider`]: names, settings and keys of providers.
//! * [`retry`]: a client that repeats calls, and its rule.
//! * [`scripted`]: clients that answer without a provider, from a script or by rules.
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
mod key;
pub mod message;
pub mod provider;
#[cfg(feature = "providers")]
mod providers;
pub mod request;
pub mod retry;
pub mod scripted;
#[cfg(feature = "testing")]
pub mod testing;

pub use answer::{Answer, Finish, Usage};
pub use client::{AnswerPart, AnswerStream, BoxFuture, ModelClient};
pub use error::{Error, redacted};
pub use message::{Message, ToolCall, ToolChoice, ToolSpec};
pub use provider::{ProviderName, ProviderSettings, WireFormat};
pub use request::{Options, Request};
pub use retry::{Backoff, Retrying};
pub use scripted::{Rehearsed, Rule, Scripted, Then};

#[cfg(feature = "providers")]
pub use providers::Providers;

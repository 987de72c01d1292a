//! The pure kernel of Piton: everything that all other crates must agree on, byte for byte.
//!
//! A durable runtime rests on a few promises that hold only if they are kept everywhere in the same way: one encoding
//! of a value, one digest of an encoding, one text form of an id, one shape of an error. This crate keeps each of them
//! in one place, and makes the wrong way fail to compile.
//!
//! ```
//! use piton_core::canonical::encode;
//! use piton_core::{Digest, RunId};
//! use serde_json::json;
//!
//! // Two spellings of one value are the same bytes, so they have the same digest.
//! let one = encode(&json!({ "b": 1.0, "a": "x" }))?;
//! let other = encode(&json!({ "a": "x", "b": 1 }))?;
//! assert_eq!(one.as_str(), r#"{"a":"x","b":1}"#);
//! assert_eq!(Digest::of(&one), Digest::of(&other));
//!
//! // An id is parsed once, where it enters. One of another kind is not accepted in its place.
//! assert!("sess_00000000000000000000000000".parse::<RunId>().is_err());
//! # Ok::<(), piton_core::CanonicalError>(())
//! ```
//!
//! * [`canonical`]: RFC 8785 JSON, written straight from [`serde::Serialize`] to bytes. There is no other way to create
//!   [`CanonicalBytes`], so having them proves how they were written.
//! * [`digest`]: SHA-256 over [`CanonicalBytes`] or [`FileBytes`], and over nothing else. A digest of "some string"
//!   does not compile, because two callers would format that string differently.
//! * [`id`]: every id, digest reference and index is its own type, parsed once at the edge.
//! * [`base32`]: the text of ids and short tokens.
//! * [`budget`]: limits on text, measured in UTF-8 bytes, and one way to cut a text.
//! * [`visible()`]: foreign text for display to a person, with invisible characters escaped.
//! * [`pattern`]: namespaces and the patterns that select them, matched in bounded time.
//! * [`error`]: the one envelope that a person or an agent reads when something fails.
//! * [`keep_numbers`], [`refuse_lost_numbers`]: the numbers of a JSON text that no reader preserves, as strings or as
//!   an error.
//! * [`closed_set!`]: enums with names that are part of a format.
//! * [`nearest()`]: the known names that an unknown one may have been meant for.
//! * [`tool_card`]: the description of a tool that agents call, and its JSON Schemas.
//! * [`Provenance`]: the step of a workflow at which something was written.
//! * [`port`]: the effects that pure code may request (time, waiting, entropy, notices), as traits.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: nothing here reads a file, a clock, a source of randomness or the environment, and nothing here
//! depends on an async runtime. The same input gives the same bytes on every machine.
//!
//! *Limitations*: hashing is here because it is a pure function. Keyed hashing is not, because keys belong to the
//! crates that hold them.

pub mod base32;
pub mod bounds;
pub mod budget;
pub mod canonical;
mod closed_set;
pub mod digest;
mod display;
pub mod error;
pub mod id;
mod json_numbers;
mod nearest;
pub mod pattern;
pub mod port;
mod provenance;
mod text_form;
pub mod tool_card;

pub use budget::{BoundedText, TextTooLong, byte_len, truncate};
pub use canonical::{CanonicalBytes, CanonicalError};
pub use closed_set::UnknownValue;
pub use digest::{Digest, DigestBuilder, DigestError, Digestible, FileBytes};
pub use display::{is_ignorable, shell_word, shorten, visible};
pub use error::{Code, Details, DetailsError, Domain, Envelope, MeasuredSize, Retry};
pub use id::{
    AttemptId, BundleId, ChangeId, ContextId, DedupeKey, DivergenceId, EventId, EventIndex, GapId,
    IdError, IdProblem, ManifestIndex, NodeId, ObservationId, OutputId, RunId, SessionId,
    SnapshotRef, TraceId, WorkflowHash, WorkflowId,
};
pub use json_numbers::{LostNumber, keep_numbers, refuse_lost_numbers};
pub use nearest::{did_you_mean, nearest};
pub use pattern::{Namespace, Pattern, PatternError};
pub use port::{Clock, Entropy, NoTrace, Notice, Sleep, Timer, TimestampMs, Trace};
pub use provenance::Provenance;

/// Support for the exported macros; not part of the public interface.
#[doc(hidden)]
pub mod macro_support {
    pub use schemars;
    pub use serde;

    pub use crate::text_form::ParseVisitor;
}

//! Canonical JSON: the one encoding of a value that is hashed, compared and stored (RFC 8785).
//!
//! The encoder is a [`serde::Serializer`] that writes straight into a byte vector. Objects are
//! written in the order in which their entries arrive, and put into canonical order at their end
//! only if they were not in it already; a sorted map, which is what `serde_json` holds, costs no
//! more than plain JSON.
//!
//! *Invariants*: two equal values give equal bytes, whatever the order of their keys. Everything that
//! is written can be read back by `serde_json` and encodes to the same bytes again. What has no
//! faithful canonical form is refused, never rounded, renamed or dropped ([`CanonicalError`]).
//!
//! *Limitations*: the encoder cannot see duplicate keys in foreign text that `serde_json` has already
//! parsed into a map, because the parser keeps the last of them. `f32` values are written as the
//! double they are equal to (`0.1_f32` is `0.10000000149011612`).

mod array;
mod bytes;
mod encoder;
mod error;
mod key;
mod number;
mod object;
mod text;

pub use bytes::{CanonicalBytes, encode, encode_into};
pub use error::CanonicalError;

//! Canonical JSON (RFC 8785): the one encoding of a value that is hashed, compared and stored.
//!
//! The encoder is a [`serde::Serializer`] that writes straight into a byte vector. The entries of an object are written
//! in the order of their arrival. They are sorted at its end, and only if they were not in canonical order already. A
//! sorted map, which is what `serde_json` holds, therefore costs no more than plain JSON.
//!
//! *Invariants*: two equal values give equal bytes, whatever the order of their keys. All output can be read back by
//! `serde_json` and encodes to the same bytes again. A value without a faithful canonical form is refused; nothing is
//! rounded, renamed or dropped ([`CanonicalError`]).
//!
//! *Limitations*: the encoder cannot see duplicate keys in foreign text that `serde_json` has already parsed into a
//! map, because the parser keeps the last of them. `f32` values are written as the double that they are equal to
//! (`0.1_f32` is `0.10000000149011612`).

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

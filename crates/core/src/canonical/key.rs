//! Keys of objects: which values may be keys, and how keys compare.
//!
//! *Invariants*: keys are ordered by their UTF-16 code units, as RFC 8785 requires. UTF-8 bytes have the same order,
//! with one exception: UTF-16 puts the characters beyond U+FFFF before U+E000 to U+FFFF. Only the first byte of a
//! character can distinguish the two ranges ([`utf16_rank`]). Keys without characters from U+E000 on are compared as
//! bytes.

use std::cmp::Ordering;
use std::fmt::Display;

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use super::error::CanonicalError;
use super::text::write_string;

/// Smallest first byte in UTF-8 of a character from U+E000 on.
const FIRST_BYTE_FROM_E000: u8 = 0xee;

/// Position of a key in the output.
#[derive(Clone, Copy)]
pub(super) struct KeySpan {
    /// Position of its opening quote.
    pub(super) start: usize,
    /// Position after its closing quote.
    end: usize,
    form: KeyOrder,
}

/// Relation between the order of a key's bytes in the output and its canonical order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KeyOrder {
    /// The bytes order like the UTF-16 units.
    Plain,
    /// The bytes order like the UTF-16 units once they are ranked: the key has a character from U+E000 on.
    High,
    /// The bytes have no such order: the key has an escape.
    Escaped,
}

impl KeySpan {
    /// Appends a key with its quotes.
    #[inline]
    pub(super) fn write(key: &str, out: &mut Vec<u8>) -> Self {
        let start = out.len();
        // The form is determined once, while the key is at hand, so that comparisons need not look for it.
        let form = if write_string(key, out) {
            KeyOrder::Escaped
        } else if !key.is_ascii() && key.bytes().any(|byte| byte >= FIRST_BYTE_FROM_E000) {
            KeyOrder::High
        } else {
            KeyOrder::Plain
        };
        Self { start, end: out.len(), form }
    }

    /// Returns the key as written, without quotes.
    #[inline]
    fn written<'o>(&self, out: &'o [u8]) -> &'o [u8] {
        &out[self.start + 1..self.end - 1]
    }

    /// Compares two keys in `out`.
    #[inline]
    pub(super) fn compare(&self, other: &Self, out: &[u8]) -> Ordering {
        let (left, right) = (self.written(out), other.written(out));
        // The cheapest comparison that is correct for both keys. The variants are ordered by cost.
        match self.form.max(other.form) {
            KeyOrder::Plain => left.cmp(right),
            KeyOrder::High => compare_ranks(left.iter().copied(), right.iter().copied()),
            KeyOrder::Escaped => compare_ranks(read_back(left), read_back(right)),
        }
    }

    /// Returns the key itself, without quotes and escapes.
    pub(super) fn text(&self, out: &[u8]) -> String {
        String::from_utf8(read_back(self.written(out)).collect())
            .expect("a key was written from a string")
    }
}

/// Compares two UTF-8 texts in the order of their UTF-16 forms.
fn compare_ranks(left: impl Iterator<Item = u8>, right: impl Iterator<Item = u8>) -> Ordering {
    left.map(utf16_rank).cmp(right.map(utf16_rank))
}

/// Moves the first bytes of U+E000 to U+FFFF (0xee and 0xef) behind those of all other characters, the last of which is
/// 0xf4.
const fn utf16_rank(byte: u8) -> u8 {
    match byte {
        0xee | 0xef => byte + 0x10,
        _ => byte,
    }
}

/// Reverses [`write_string`].
fn read_back(written: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = written.iter().copied();
    std::iter::from_fn(move || match rest.next()? {
        b'\\' => Some(read_escape(&mut rest)),
        itself => Some(itself),
    })
}

/// Reads the part of an escape after the backslash.
fn read_escape(rest: &mut impl Iterator<Item = u8>) -> u8 {
    match rest.next().expect("an escape has a letter") {
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'f' => 0x0c,
        b'r' => b'\r',
        b'u' => rest.take(4).fold(0, |code, digit| {
            let digit = char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            code * 16 + digit.expect("four hex digits of a control character were written")
        }),
        itself => itself,
    }
}

/// Appends a value that is a string in JSON; refuses every other value as a key.
pub(super) struct KeyWriter<'o> {
    pub(super) out: &'o mut Vec<u8>,
}

/// Result of the start of an array or object, which is never a key.
type NoKey = Impossible<KeySpan, CanonicalError>;

/// Defines serializer methods that refuse a value as a key.
macro_rules! refuse {
    ($($method:ident($($type:ty),*) -> $ok:ty => $found:literal,)+) => {
        $(fn $method(self, $(_: $type),*) -> Result<$ok, CanonicalError> {
            Err(CanonicalError::NonStringKey { found: $found })
        })+
    };
}

impl Serializer for KeyWriter<'_> {
    type Ok = KeySpan;
    type Error = CanonicalError;
    type SerializeSeq = NoKey;
    type SerializeTuple = NoKey;
    type SerializeTupleStruct = NoKey;
    type SerializeTupleVariant = NoKey;
    type SerializeMap = NoKey;
    type SerializeStruct = NoKey;
    type SerializeStructVariant = NoKey;

    refuse! {
        serialize_bool(bool) -> KeySpan => "a boolean",
        serialize_i8(i8) -> KeySpan => "an integer",
        serialize_i16(i16) -> KeySpan => "an integer",
        serialize_i32(i32) -> KeySpan => "an integer",
        serialize_i64(i64) -> KeySpan => "an integer",
        serialize_i128(i128) -> KeySpan => "an integer",
        serialize_u8(u8) -> KeySpan => "an integer",
        serialize_u16(u16) -> KeySpan => "an integer",
        serialize_u32(u32) -> KeySpan => "an integer",
        serialize_u64(u64) -> KeySpan => "an integer",
        serialize_u128(u128) -> KeySpan => "an integer",
        serialize_f32(f32) -> KeySpan => "a float",
        serialize_f64(f64) -> KeySpan => "a float",
        serialize_bytes(&[u8]) -> KeySpan => "a byte array",
        serialize_none() -> KeySpan => "null",
        serialize_unit() -> KeySpan => "null",
        serialize_unit_struct(&'static str) -> KeySpan => "null",
        serialize_seq(Option<usize>) -> NoKey => "an array",
        serialize_tuple(usize) -> NoKey => "an array",
        serialize_tuple_struct(&'static str, usize) -> NoKey => "an array",
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> NoKey => "an object",
        serialize_map(Option<usize>) -> NoKey => "an object",
        serialize_struct(&'static str, usize) -> NoKey => "an object",
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> NoKey => "an object",
    }

    fn serialize_char(self, value: char) -> Result<KeySpan, CanonicalError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<KeySpan, CanonicalError> {
        Ok(KeySpan::write(value, self.out))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<KeySpan, CanonicalError> {
        self.serialize_str(&value.to_string())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<KeySpan, CanonicalError> {
        Err(CanonicalError::NonStringKey { found: "optional" })
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<KeySpan, CanonicalError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<KeySpan, CanonicalError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<KeySpan, CanonicalError> {
        Err(CanonicalError::NonStringKey { found: "an object" })
    }
}

//! The serializer that writes canonical JSON.
//!
//! *Invariants*: the output is only ever appended to, except that an object reorders its own bytes when it closes.
//! After an error the output is unusable; the caller truncates it.

use serde::Serialize;
use serde::ser::Serializer;

use super::array::ArrayWriter;
use super::error::CanonicalError;
use super::number::{write_float, write_integer};
use super::object::{ObjectEntry, ObjectWriter};
use super::text::write_string;
use crate::bounds::DEPTH_MAX;

/// Prefix of the names of `serde_json`'s private forms.
const RAW_JSON_PREFIX: &str = "$serde_json::private::";

/// Number of entries that are open at once in most encodings. Growing step by step would cost more than the space.
const ENTRIES: usize = 32;

/// An encoding in progress.
pub(super) struct Encoder<'o> {
    pub(super) out: &'o mut Vec<u8>,
    /// Entries of all open objects.
    pub(super) entries: Vec<ObjectEntry>,
    /// Buffer in which an object is rebuilt if its entries did not arrive in order.
    pub(super) scratch: Vec<u8>,
    depth: usize,
}

/// Position of an array or object. The content of an enum variant stands in an object of one entry, which has to be
/// closed after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrap {
    Bare,
    Variant,
}

impl<'o> Encoder<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, entries: Vec::with_capacity(ENTRIES), scratch: Vec::new(), depth: 0 }
    }

    #[inline]
    pub(super) fn descend(&mut self) -> Result<(), CanonicalError> {
        // The bound turns a stack overflow in the recursive serializers into an error.
        if self.depth == DEPTH_MAX {
            return Err(CanonicalError::TooDeep);
        }
        self.depth += 1;
        Ok(())
    }

    #[inline]
    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    fn wrap_variant(&mut self, variant: &str) -> Result<(), CanonicalError> {
        self.descend()?;
        // An object of one entry is always in order, so it needs no place on the stack of entries.
        self.out.push(b'{');
        write_string(variant, self.out);
        self.out.push(b':');
        Ok(())
    }

    #[inline]
    pub(super) fn unwrap_variant(&mut self, wrap: Wrap) {
        if wrap == Wrap::Variant {
            self.out.push(b'}');
            self.ascend();
        }
    }
}

/// Defines the serializer methods for the integer types.
macro_rules! write_integers {
    ($($method:ident($type:ty),)+) => {
        $(#[inline]
        fn $method(self, value: $type) -> Result<(), CanonicalError> {
            write_integer(value, self.out)
        })+
    };
}

impl<'e, 'o> Serializer for &'e mut Encoder<'o> {
    type Ok = ();
    type Error = CanonicalError;
    type SerializeSeq = ArrayWriter<'e, 'o>;
    type SerializeTuple = ArrayWriter<'e, 'o>;
    type SerializeTupleStruct = ArrayWriter<'e, 'o>;
    type SerializeTupleVariant = ArrayWriter<'e, 'o>;
    type SerializeMap = ObjectWriter<'e, 'o>;
    type SerializeStruct = ObjectWriter<'e, 'o>;
    type SerializeStructVariant = ObjectWriter<'e, 'o>;

    write_integers! {
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), CanonicalError> {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), CanonicalError> {
        // Widening is exact, so no value is rounded here.
        write_float(f64::from(value), self.out)
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<(), CanonicalError> {
        write_float(value, self.out)
    }

    fn serialize_char(self, value: char) -> Result<(), CanonicalError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), CanonicalError> {
        write_string(value, self.out);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), CanonicalError> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<(), CanonicalError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), CanonicalError> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), CanonicalError> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), CanonicalError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), CanonicalError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), CanonicalError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), CanonicalError> {
        self.wrap_variant(variant)?;
        value.serialize(&mut *self)?;
        self.unwrap_variant(Wrap::Variant);
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, CanonicalError> {
        ArrayWriter::open(self, Wrap::Bare)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, CanonicalError> {
        ArrayWriter::open(self, Wrap::Bare)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, CanonicalError> {
        ArrayWriter::open(self, Wrap::Bare)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, CanonicalError> {
        self.wrap_variant(variant)?;
        ArrayWriter::open(self, Wrap::Variant)
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, CanonicalError> {
        ObjectWriter::open(self, Wrap::Bare)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStruct, CanonicalError> {
        // These structs smuggle finished JSON text through serde. Their bytes would bypass every rule of the encoder.
        if name.starts_with(RAW_JSON_PREFIX) {
            return Err(CanonicalError::RawJson);
        }
        ObjectWriter::open(self, Wrap::Bare)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, CanonicalError> {
        self.wrap_variant(variant)?;
        ObjectWriter::open(self, Wrap::Variant)
    }
}

//! Arrays, and everything that serde represents as one.

use serde::Serialize;
use serde::ser::{SerializeSeq, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant};

use super::encoder::{Encoder, Wrap};
use super::error::CanonicalError;

/// An open array.
pub(super) struct ArrayWriter<'e, 'o> {
    encoder: &'e mut Encoder<'o>,
    empty: bool,
    wrap: Wrap,
}

impl<'e, 'o> ArrayWriter<'e, 'o> {
    #[inline]
    pub(super) fn open(encoder: &'e mut Encoder<'o>, wrap: Wrap) -> Result<Self, CanonicalError> {
        encoder.descend()?;
        encoder.out.push(b'[');
        Ok(Self { encoder, empty: true, wrap })
    }

    fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CanonicalError> {
        if !self.empty {
            self.encoder.out.push(b',');
        }
        self.empty = false;
        value.serialize(&mut *self.encoder)
    }

    #[inline]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "it is the whole body of four trait methods that return a result"
    )]
    fn close(self) -> Result<(), CanonicalError> {
        self.encoder.out.push(b']');
        self.encoder.ascend();
        self.encoder.unwrap_variant(self.wrap);
        Ok(())
    }
}

/// Implements the forms of an array that serde tells apart and JSON does not.
macro_rules! array_forms {
    ($($form:ident::$method:ident,)+) => {$(
        impl $form for ArrayWriter<'_, '_> {
            type Ok = ();
            type Error = CanonicalError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CanonicalError> {
                self.write(value)
            }

            fn end(self) -> Result<(), CanonicalError> {
                self.close()
            }
        }
    )+};
}

array_forms! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

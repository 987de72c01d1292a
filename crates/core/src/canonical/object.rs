//! Objects, and everything that serde represents as one. Entries are written as they arrive, and sorted at the end of
//! the object if they did not arrive in order.
//!
//! *Invariants*: the encoder's stack holds the entries of the open objects, the innermost on top. An object leaves the
//! stack as it found it. All objects of one encoding share the stack and the scratch buffer, so an object needs no
//! allocation of its own.

use std::cmp::Ordering;

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, SerializeStructVariant};

use super::encoder::{Encoder, Wrap};
use super::error::CanonicalError;
use super::key::{KeySpan, KeyWriter};

/// One entry of an open object: the position of its key and the end of its value.
#[derive(Clone, Copy)]
pub(super) struct ObjectEntry {
    key: KeySpan,
    end: usize,
}

/// An open object.
pub(super) struct ObjectWriter<'e, 'o> {
    encoder: &'e mut Encoder<'o>,
    /// Start of this object's entries on the stack.
    first: usize,
    sorted: bool,
    wrap: Wrap,
}

impl<'e, 'o> ObjectWriter<'e, 'o> {
    #[inline]
    pub(super) fn open(encoder: &'e mut Encoder<'o>, wrap: Wrap) -> Result<Self, CanonicalError> {
        encoder.descend()?;
        encoder.out.push(b'{');
        Ok(Self { first: encoder.entries.len(), encoder, sorted: true, wrap })
    }

    fn write_key<K: Serialize + ?Sized>(&mut self, key: &K) -> Result<(), CanonicalError> {
        self.separate();
        let out = &mut *self.encoder.out;
        let key = key.serialize(KeyWriter { out })?;
        self.push_entry(key)
    }

    /// Ends the previous entry.
    #[inline]
    fn separate(&mut self) {
        let end = self.encoder.out.len();
        if let Some(previous) = self.encoder.entries[self.first..].last_mut() {
            previous.end = end;
            self.encoder.out.push(b',');
        }
    }

    #[inline]
    fn push_entry(&mut self, key: KeySpan) -> Result<(), CanonicalError> {
        let Encoder { out, entries, .. } = &mut *self.encoder;
        // While the entries arrive in order, one comparison with the previous key finds every duplicate. Once they do
        // not, `reorder` looks for duplicates after sorting.
        if self.sorted
            && let Some(previous) = entries[self.first..].last()
        {
            match previous.key.compare(&key, out) {
                Ordering::Less => {}
                Ordering::Equal => return Err(CanonicalError::duplicate(&key.text(out))),
                Ordering::Greater => self.sorted = false,
            }
        }
        // The end of the value is not known yet; `separate` or `reorder` sets it.
        entries.push(ObjectEntry { key, end: 0 });
        out.push(b':');
        Ok(())
    }

    fn write_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), CanonicalError> {
        self.begin_field(key)?;
        self.write_value(value)
    }

    /// Writes the key of the next field. It is a function of its own, shared by the fields of all types: most fields
    /// are written once and then not for a while, and code that has to be fetched first is slow in proportion to its
    /// size.
    #[inline(never)]
    fn begin_field(&mut self, key: &'static str) -> Result<(), CanonicalError> {
        self.separate();
        let key = KeySpan::write(key, self.encoder.out);
        self.push_entry(key)
    }

    fn write_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CanonicalError> {
        value.serialize(&mut *self.encoder)
    }

    #[inline(never)]
    fn close(mut self) -> Result<(), CanonicalError> {
        if !self.sorted {
            self.reorder()?;
        }
        self.encoder.entries.truncate(self.first);
        self.encoder.out.push(b'}');
        self.encoder.ascend();
        self.encoder.unwrap_variant(self.wrap);
        Ok(())
    }

    /// Sorts the entries and rearranges their bytes accordingly.
    fn reorder(&mut self) -> Result<(), CanonicalError> {
        let Encoder { out, entries, scratch, .. } = &mut *self.encoder;
        let entries = &mut entries[self.first..];
        let [first, .., last] = entries else {
            return Ok(());
        };
        let body = first.key.start;
        // The last entry is not followed by a separator, so its end was never set.
        last.end = out.len();

        // Only the small entries are sorted; the bytes that they point to stay in place until all are in order.
        entries.sort_unstable_by(|left, right| left.key.compare(&right.key, out));
        for pair in entries.windows(2) {
            if pair[0].key.compare(&pair[1].key, out) == Ordering::Equal {
                return Err(CanonicalError::duplicate(&pair[0].key.text(out)));
            }
        }

        // Rebuild the body in the scratch buffer: entries have different lengths and cannot be swapped in place.
        scratch.clear();
        scratch.reserve(out.len() - body + 1);
        for entry in entries.iter() {
            scratch.extend_from_slice(&out[entry.key.start..entry.end]);
            scratch.push(b',');
        }
        scratch.pop();
        out.truncate(body);
        out.extend_from_slice(scratch);
        Ok(())
    }
}

impl SerializeMap for ObjectWriter<'_, '_> {
    type Ok = ();
    type Error = CanonicalError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Self::Error> {
        self.write_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error> {
        self.write_value(value)
    }

    fn end(self) -> Result<(), Self::Error> {
        self.close()
    }
}

/// Implements the forms of an object with known fields that serde tells apart and JSON does not.
macro_rules! struct_forms {
    ($($form:ident,)+) => {$(
        impl $form for ObjectWriter<'_, '_> {
            type Ok = ();
            type Error = CanonicalError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), CanonicalError> {
                self.write_field(key, value)
            }

            fn end(self) -> Result<(), CanonicalError> {
                self.close()
            }
        }
    )+};
}

struct_forms! {
    SerializeStruct,
    SerializeStructVariant,
}

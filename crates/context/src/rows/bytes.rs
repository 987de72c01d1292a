//! Reads and writes values byte by byte.

use piton_core::Digest;

use crate::tree::Preimage;

/// Size of a seal, which shows whether a row was changed where not all of it is part of an id.
pub(crate) const SEAL_BYTES: usize = 8;

/// Computes the seal of bytes of a form.
pub(crate) fn seal(form: &str, bytes: &[u8]) -> [u8; SEAL_BYTES] {
    let mut preimage = Preimage::new(form);
    preimage.field(bytes);
    let digest = preimage.finish();
    *digest.as_bytes().first_chunk().expect("a digest has 32 bytes")
}

/// Appends a number: eight bytes, most significant first, so that keys sort like numbers.
pub(crate) fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_be_bytes());
}

/// Appends bytes after their length.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes values from the front of bytes. Every method returns `None` if too few bytes are left.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(usize::try_from(count).ok()?)
    }

    pub(crate) fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest::from_bytes)
    }

    /// Returns the value if no bytes are left.
    pub(crate) fn end<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }
}

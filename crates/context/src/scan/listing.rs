//! What a directory lists.

use std::os::fd::AsFd;

use rustix::{
    fs::{FileType, RawDir},
    io::Errno,
};

use crate::bounds::LISTING_BYTES;

/// An entry as the directory lists it.
pub(super) struct Listed {
    pub(super) name: Box<[u8]>,
    /// What it was when it was listed; some file systems do not say.
    pub(super) file_type: FileType,
}

/// The names in a directory, without `.` and `..`, in no order. `buffer` is kept for its memory.
pub(super) fn list(directory: impl AsFd, buffer: &mut Vec<u8>) -> Result<Vec<Listed>, Errno> {
    let mut listed = Vec::new();
    buffer.clear();
    buffer.reserve(LISTING_BYTES);
    let mut reader = RawDir::new(directory, buffer.spare_capacity_mut());
    while let Some(entry) = reader.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            listed.push(Listed { name: name.into(), file_type: entry.file_type() });
        }
    }
    Ok(listed)
}

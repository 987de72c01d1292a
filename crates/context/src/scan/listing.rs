//! Listing of a directory's entries.

use std::os::fd::AsFd;

use rustix::{
    fs::{FileType, RawDir},
    io::Errno,
};

use crate::bounds::LISTING_BYTES;

/// An entry as the directory listing reports it.
pub(super) struct Listed {
    pub(super) name: Box<[u8]>,
    /// Type at the time of the listing. Some file systems do not report it.
    pub(super) file_type: FileType,
}

/// Lists the names in a directory, without `.` and `..`, in no particular order. `buffer` is reused to save
/// allocations.
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

//! Files of the project, as a model gets them.
#![expect(clippy::disallowed_methods, reason = "reads the files that models are asked about")]

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use piton_core::{Digest, digest::FileBytes};

use crate::bounds::GENERATE_FILE_BYTES_MAX;

/// Returns the text of a file, if it is still the one that was scanned, or the reason that there is none.
pub(super) fn text(path: &Path, content: Digest) -> Result<String, String> {
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        File::open(path)?.take(GENERATE_FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    };
    let bytes = read(path).map_err(|error| format!("it cannot be read: {error}"))?;
    if bytes.len() as u64 > GENERATE_FILE_BYTES_MAX {
        return Err(format!("it has more than {GENERATE_FILE_BYTES_MAX} bytes"));
    }
    // The frame will be bound to the scanned digest, so the model must see exactly those bytes.
    if Digest::of(&FileBytes(&bytes)) != content {
        return Err("it was changed since the scan; run the command again".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "it is not a text".to_owned())
}

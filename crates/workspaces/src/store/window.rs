//! Some lines of a text, from a reader, in bounded memory.
//!
//! Pure but for the reader: every Store hands in its own.

use std::io::{self, BufRead, BufReader, Read};

use piton_core::{Digest, DigestBuilder};

use super::{Fault, NotTextKind};
use crate::bounds::{
    LINE_BYTES_KEPT, LINE_CHARACTERS_MAX, READ_BUFFER_BYTES, SNIFF_BYTES, WHOLE_BYTES_MAX,
};

/// Which lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first line, counted from one.
    pub first: u64,
    /// How many lines, at most.
    pub lines_max: u64,
    /// How many bytes of text, at most.
    pub bytes_max: usize,
}

/// The lines that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowRead {
    /// The lines, without line ends; long ones are cut and say so.
    pub lines: Vec<String>,
    /// The number of the first line.
    pub first: u64,
    /// The number of lines of the file, if it was read to its end.
    pub total: Option<u64>,
    /// Whether there is more after the last line here.
    pub more: bool,
    /// The size of the file.
    pub bytes: u64,
    /// The digest of the file, if it was read to its end.
    pub digest: Option<Digest>,
}

/// Reads a window from a file of `size` bytes. A file that grows while it is read ends at its size;
/// one that has no size but content, as in `/proc`, ends at [`WHOLE_BYTES_MAX`].
pub fn read_window(reader: impl Read, size: u64, window: Window) -> Result<WindowRead, Fault> {
    let cap = if size == 0 { WHOLE_BYTES_MAX } else { size };
    let reader = BufReader::with_capacity(READ_BUFFER_BYTES, reader.take(cap));
    read_buffered(reader, size, window)
}

/// The same of bytes that are in memory.
pub fn read_window_of(bytes: &[u8], window: Window) -> Result<WindowRead, Fault> {
    read_buffered(bytes, bytes.len() as u64, window)
}

fn read_buffered(reader: impl BufRead, size: u64, window: Window) -> Result<WindowRead, Fault> {
    let whole = size <= WHOLE_BYTES_MAX;
    let mut lines = Lines::new(reader, whole);
    let mut kept: Vec<String> = Vec::new();
    let mut room = window.bytes_max;
    let mut number = 0;
    let mut more = false;
    while let Some(line) = lines.next(size)? {
        number += 1;
        if number < window.first {
            continue;
        }
        let full = kept.len() as u64 == window.lines_max;
        let text = if more || full { None } else { Some(clip(line)) };
        if let Some(text) = text.filter(|text| text.len() < room || kept.is_empty()) {
            room = room.saturating_sub(text.len() + 1);
            kept.push(text);
            continue;
        }
        more = true;
        if !whole {
            break;
        }
    }
    let ended = whole || !more;
    if kept.is_empty() && !(number == 0 && window.first == 1) {
        return Err(Fault::PastEnd { lines: number });
    }
    Ok(WindowRead {
        lines: kept,
        first: window.first,
        total: ended.then_some(number),
        more,
        bytes: if whole { lines.read } else { size },
        digest: lines.digest.map(DigestBuilder::finish),
    })
}

/// One line as it was read: the start of it, and how long it was.
struct Line {
    start: String,
    bytes: u64,
}

struct Lines<R> {
    reader: R,
    read: u64,
    digest: Option<DigestBuilder>,
    /// How much of what the reader holds is in the digest already.
    hashed: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R, whole: bool) -> Self {
        Self { reader, read: 0, digest: whole.then(DigestBuilder::new), hashed: 0 }
    }

    /// The next line, or nothing at the end. Keeps the start of a long one only.
    fn next(&mut self, size: u64) -> Result<Option<Line>, Fault> {
        let (mut start, mut bytes) = (Vec::new(), 0);
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(Fault::Io),
            };
            if buffer.is_empty() {
                return if bytes == 0 {
                    Ok(None)
                } else {
                    check_text(start, bytes, size).map(Some)
                };
            }
            if self.read == 0
                && memchr::memchr(0, &buffer[..buffer.len().min(SNIFF_BYTES)]).is_some()
            {
                return Err(Fault::NotText { bytes: size, kind: NotTextKind::Binary });
            }
            let end = memchr::memchr(b'\n', buffer);
            let taken = end.map_or(buffer.len(), |at| at + 1);
            let text = &buffer[..end.unwrap_or(buffer.len())];
            let room = LINE_BYTES_KEPT.saturating_sub(start.len());
            start.extend_from_slice(&text[..text.len().min(room)]);
            bytes += taken as u64;
            // Everything that was brought at once is hashed at once, not line by line.
            if let Some(digest) = &mut self.digest
                && self.hashed == 0
            {
                digest.update(buffer);
                self.hashed = buffer.len();
            }
            self.hashed = self.hashed.saturating_sub(taken);
            self.read += taken as u64;
            self.reader.consume(taken);
            if end.is_some() {
                return check_text(start, bytes - 1, size).map(Some);
            }
        }
    }
}

/// The line, unless it is not UTF-8 in what was kept of it.
fn check_text(start: Vec<u8>, bytes: u64, size: u64) -> Result<Line, Fault> {
    let refused = |kind| Err(Fault::NotText { bytes: size, kind });
    let whole = bytes == start.len() as u64;
    let is_binary = memchr::memchr(0, &start).is_some();
    let start = match String::from_utf8(start) {
        Ok(start) => start,
        // The end of what was kept may lie inside a character.
        Err(error) if error.utf8_error().error_len().is_none() && !whole => {
            let end = error.utf8_error().valid_up_to();
            let mut start = error.into_bytes();
            start.truncate(end);
            String::from_utf8(start).expect("it is valid up to there")
        }
        Err(_) if is_binary => return refused(NotTextKind::Binary),
        Err(_) => return refused(NotTextKind::OtherEncoding),
    };
    if is_binary { refused(NotTextKind::Binary) } else { Ok(Line { start, bytes }) }
}

/// The line as it is shown: cut if it is long, with the number of bytes that are left out.
fn clip(line: Line) -> String {
    let Line { start: mut text, bytes } = line;
    let end = if text.len() > LINE_CHARACTERS_MAX {
        text.char_indices().nth(LINE_CHARACTERS_MAX).map_or(text.len(), |(end, _)| end)
    } else {
        text.len()
    };
    let left_out = bytes - end as u64;
    text.truncate(end);
    if left_out > 0 {
        return format!("{text}… [{left_out} more bytes in this line]");
    }
    if text.ends_with('\r') {
        text.pop();
    }
    text
}

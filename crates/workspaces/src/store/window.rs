//! Windows of lines of a text, read in bounded memory.
//!
//! Everything here is pure except for the reader, which each Store supplies.

use std::io;
use std::io::{BufRead, BufReader, Read};

use piton_core::{Digest, DigestBuilder};

use super::{NotTextKind, StoreFault};
use crate::bounds::{
    LINE_BYTES_KEPT, LINE_CHARACTERS_MAX, READ_BUFFER_BYTES, SNIFF_BYTES, WHOLE_BYTES_MAX,
};

/// A range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of the first line, starting at one.
    pub first: u64,
    /// Maximum number of lines.
    pub lines_max: u64,
    /// Maximum number of bytes of text.
    pub bytes_max: usize,
}

/// The lines of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowRead {
    /// Lines without line endings. Long ones are shortened and say so.
    pub lines: Vec<String>,
    /// Number of the first line.
    pub first: u64,
    /// Number of lines of the file, if it was read to its end.
    pub total: Option<u64>,
    /// Set if there is more after the last line.
    pub more: bool,
    /// Size of the file.
    pub bytes: u64,
    /// Digest of the file, if it was read to its end.
    pub digest: Option<Digest>,
}

/// Reads a window from a file of `size` bytes. A file that grows meanwhile ends at its size. One without a size but
/// with content, as in `/proc`, ends at [`WHOLE_BYTES_MAX`].
pub fn read_window(reader: impl Read, size: u64, window: Window) -> Result<WindowRead, StoreFault> {
    let cap = if size == 0 { WHOLE_BYTES_MAX } else { size };
    let reader = BufReader::with_capacity(READ_BUFFER_BYTES, reader.take(cap));
    read_buffered(reader, size, window)
}

/// Like [`read_window`], for bytes in memory.
pub fn read_window_of(bytes: &[u8], window: Window) -> Result<WindowRead, StoreFault> {
    let size = bytes.len() as u64;
    match plain_text(bytes) {
        Some(text) if size <= WHOLE_BYTES_MAX => read_text(text, window),
        _ => read_buffered(bytes, size, window),
    }
}

/// Returns the bytes as text, if nothing in them needs a closer look.
fn plain_text(bytes: &[u8]) -> Option<&str> {
    let is_binary = memchr::memchr(0, bytes).is_some();
    str::from_utf8(bytes).ok().filter(|_| !is_binary)
}

/// Reads a window from plain text. Most files are small and plain: their bytes are checked at once, not line by line.
fn read_text(text: &str, window: Window) -> Result<WindowRead, StoreFault> {
    let mut gathered = Gathered::new(window);
    let mut rest = text;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        let kept = line.floor_char_boundary(LINE_BYTES_KEPT);
        gathered.take(WindowLine { start: &line[..kept], bytes: line.len() as u64 });
        rest = end.map_or("", |end| &rest[end + 1..]);
    }
    let mut digest = DigestBuilder::new();
    digest.update(text.as_bytes());
    gathered.finish(true, text.len() as u64, Some(digest.finish()))
}

fn read_buffered(
    reader: impl BufRead,
    size: u64,
    window: Window,
) -> Result<WindowRead, StoreFault> {
    let whole = size <= WHOLE_BYTES_MAX;
    let mut lines = LineReader::new(reader, whole);
    let mut gathered = Gathered::new(window);
    while let Some(line) = lines.next(size)? {
        gathered.take(line);
        // The rest of a small file is still read, for its digest and its number of lines. A large file ends here.
        if gathered.more && !whole {
            break;
        }
    }
    let bytes = if whole { lines.read } else { size };
    gathered.finish(whole, bytes, lines.digest.map(DigestBuilder::finish))
}

/// The lines of a window, collected one by one.
struct Gathered {
    window: Window,
    lines: Vec<String>,
    /// Number of bytes of text that still fit.
    room: usize,
    /// Number of lines seen.
    number: u64,
    more: bool,
}

impl Gathered {
    fn new(window: Window) -> Self {
        Self { window, lines: Vec::new(), room: window.bytes_max, number: 0, more: false }
    }

    /// Adds the next line, if it is in the window and fits.
    fn take(&mut self, line: WindowLine<'_>) {
        self.number += 1;
        if self.more || self.number < self.window.first {
            return;
        }
        if self.lines.len() as u64 == self.window.lines_max {
            self.more = true;
            return;
        }
        let text = clip(line);
        // The first line is always kept, however long, or a reader could never get past it.
        if text.len() < self.room || self.lines.is_empty() {
            self.room = self.room.saturating_sub(text.len() + 1);
            self.lines.push(text);
        } else {
            self.more = true;
        }
    }

    /// Returns the window of a file of `bytes` bytes. Without `whole`, reading stopped where there is more.
    fn finish(
        self,
        whole: bool,
        bytes: u64,
        digest: Option<Digest>,
    ) -> Result<WindowRead, StoreFault> {
        let Self { window, lines, number, more, .. } = self;
        // An empty file has no lines, and reading it from its first line is no error.
        if lines.is_empty() && !(number == 0 && window.first == 1) {
            return Err(StoreFault::PastEnd { lines: number });
        }
        let total = (whole || !more).then_some(number);
        Ok(WindowRead { lines, first: window.first, total, more, bytes, digest })
    }
}

/// The kept start of a line, and the length of the whole line.
#[derive(Clone, Copy)]
struct WindowLine<'a> {
    start: &'a str,
    bytes: u64,
}

struct LineReader<R> {
    reader: R,
    read: u64,
    digest: Option<DigestBuilder>,
    /// Number of bytes in the reader's buffer that the digest covers already.
    hashed: usize,
    /// Start of the current line.
    start: Vec<u8>,
}

impl<R: BufRead> LineReader<R> {
    fn new(reader: R, whole: bool) -> Self {
        Self {
            reader,
            read: 0,
            digest: whole.then(DigestBuilder::new),
            hashed: 0,
            start: Vec::new(),
        }
    }

    /// Returns the next line, or `None` at the end. Only the start of a long line is kept.
    fn next(&mut self, size: u64) -> Result<Option<WindowLine<'_>>, StoreFault> {
        self.start.clear();
        let mut bytes = 0;
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(StoreFault::Io),
            };
            if buffer.is_empty() {
                return if bytes == 0 {
                    Ok(None)
                } else {
                    check_text(&self.start, bytes, size).map(Some)
                };
            }
            // Binary data is recognized by its first bytes, before any of it is collected as a line.
            if self.read == 0
                && memchr::memchr(0, &buffer[..buffer.len().min(SNIFF_BYTES)]).is_some()
            {
                return Err(StoreFault::NotText { bytes: size, kind: NotTextKind::Binary });
            }
            let end = memchr::memchr(b'\n', buffer);
            let taken = end.map_or(buffer.len(), |at| at + 1);
            let text = &buffer[..end.unwrap_or(buffer.len())];
            let room = LINE_BYTES_KEPT.saturating_sub(self.start.len());
            self.start.extend_from_slice(&text[..text.len().min(room)]);
            bytes += taken as u64;
            // A filled buffer is hashed at once, not line by line.
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
                return check_text(&self.start, bytes - 1, size).map(Some);
            }
        }
    }
}

/// Returns the line, unless its kept part is not UTF-8.
fn check_text(start: &[u8], bytes: u64, size: u64) -> Result<WindowLine<'_>, StoreFault> {
    let refused = |kind| Err(StoreFault::NotText { bytes: size, kind });
    if memchr::memchr(0, start).is_some() {
        return refused(NotTextKind::Binary);
    }
    let whole = bytes == start.len() as u64;
    let text = match str::from_utf8(start) {
        Ok(text) => text,
        // The kept part may end inside a character.
        Err(error) if error.error_len().is_none() && !whole => {
            str::from_utf8(&start[..error.valid_up_to()]).expect("it is valid up to there")
        }
        Err(_) => return refused(NotTextKind::OtherEncoding),
    };
    Ok(WindowLine { start: text, bytes })
}

/// Returns the line as displayed: shortened if it is long, with the number of omitted bytes.
fn clip(line: WindowLine<'_>) -> String {
    let WindowLine { start, bytes } = line;
    let end = if start.len() > LINE_CHARACTERS_MAX {
        start.char_indices().nth(LINE_CHARACTERS_MAX).map_or(start.len(), |(end, _)| end)
    } else {
        start.len()
    };
    let (shown, left_out) = (&start[..end], bytes - end as u64);
    if left_out > 0 {
        return format!("{shown}… [{left_out} more bytes in this line]");
    }
    shown.strip_suffix('\r').unwrap_or(shown).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of up to three pieces, some of them too long for a line or not text.
    fn files() -> Vec<Vec<u8>> {
        let (long, wide) = ("x".repeat(LINE_BYTES_KEPT + 5), "é".repeat(LINE_BYTES_KEPT / 2 + 1));
        let pieces: [&[u8]; 9] = [
            b"",
            b"a",
            b"\n",
            b"b\r\n",
            "é".as_bytes(),
            b"\0",
            b"\xff",
            long.as_bytes(),
            wide.as_bytes(),
        ];
        let mut files = vec![Vec::new()];
        for _ in 0..3 {
            let longer = files.iter().flat_map(|file| pieces.map(|piece| [file, piece].concat()));
            files = longer.collect();
        }
        files
    }

    #[test]
    fn a_file_in_memory_is_read_as_one_that_comes_line_by_line() {
        for file in files() {
            for (first, lines_max, bytes_max) in
                [(1, 2, 100), (2, 1, 100), (1, 9, 3), (1, 9, 1 << 20)]
            {
                let window = Window { first, lines_max, bytes_max };
                let by_line = read_window(&*file, file.len() as u64, window);
                assert_eq!(read_window_of(&file, window), by_line, "{window:?}");
            }
        }
    }
}

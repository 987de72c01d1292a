//! Some lines of a text, from a reader, in bounded memory.
//!
//! Pure but for the reader: every Store hands in its own.

use std::io::{self, BufRead, BufReader, Read};

use piton_core::{Digest, DigestBuilder};

use super::{NotTextKind, StoreFault};
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
pub fn read_window(reader: impl Read, size: u64, window: Window) -> Result<WindowRead, StoreFault> {
    let cap = if size == 0 { WHOLE_BYTES_MAX } else { size };
    let reader = BufReader::with_capacity(READ_BUFFER_BYTES, reader.take(cap));
    read_buffered(reader, size, window)
}

/// The same of bytes that are in memory.
pub fn read_window_of(bytes: &[u8], window: Window) -> Result<WindowRead, StoreFault> {
    let size = bytes.len() as u64;
    match plain_text(bytes) {
        Some(text) if size <= WHOLE_BYTES_MAX => read_text(text, window),
        _ => read_buffered(bytes, size, window),
    }
}

/// The bytes as text, if nothing in them needs a closer look.
fn plain_text(bytes: &[u8]) -> Option<&str> {
    let is_binary = memchr::memchr(0, bytes).is_some();
    str::from_utf8(bytes).ok().filter(|_| !is_binary)
}

/// Most files are small and plain: all of their bytes are checked at once, not line by line.
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
        if gathered.more && !whole {
            break;
        }
    }
    let bytes = if whole { lines.read } else { size };
    gathered.finish(whole, bytes, lines.digest.map(DigestBuilder::finish))
}

/// The lines of a window as they come by.
struct Gathered {
    window: Window,
    lines: Vec<String>,
    /// How many bytes of text there is still room for.
    room: usize,
    /// How many lines came by.
    number: u64,
    more: bool,
}

impl Gathered {
    fn new(window: Window) -> Self {
        Self { window, lines: Vec::new(), room: window.bytes_max, number: 0, more: false }
    }

    /// Takes the next line, if it is wanted and there is room for it.
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
        if text.len() < self.room || self.lines.is_empty() {
            self.room = self.room.saturating_sub(text.len() + 1);
            self.lines.push(text);
        } else {
            self.more = true;
        }
    }

    /// What was found in a file of so many bytes. One that was not read as a `whole` ends where there is more.
    fn finish(
        self,
        whole: bool,
        bytes: u64,
        digest: Option<Digest>,
    ) -> Result<WindowRead, StoreFault> {
        let Self { window, lines, number, more, .. } = self;
        if lines.is_empty() && !(number == 0 && window.first == 1) {
            return Err(StoreFault::PastEnd { lines: number });
        }
        let total = (whole || !more).then_some(number);
        Ok(WindowRead { lines, first: window.first, total, more, bytes, digest })
    }
}

/// One line as it was read: the start of it, and how long it was.
#[derive(Clone, Copy)]
struct WindowLine<'a> {
    start: &'a str,
    bytes: u64,
}

struct LineReader<R> {
    reader: R,
    read: u64,
    digest: Option<DigestBuilder>,
    /// How much of what the reader holds is in the digest already.
    hashed: usize,
    /// The start of the line that is being read.
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

    /// The next line, or nothing at the end. Keeps the start of a long one only.
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
                return check_text(&self.start, bytes - 1, size).map(Some);
            }
        }
    }
}

/// The line, unless it is not UTF-8 in what was kept of it.
fn check_text(start: &[u8], bytes: u64, size: u64) -> Result<WindowLine<'_>, StoreFault> {
    let refused = |kind| Err(StoreFault::NotText { bytes: size, kind });
    if memchr::memchr(0, start).is_some() {
        return refused(NotTextKind::Binary);
    }
    let whole = bytes == start.len() as u64;
    let text = match str::from_utf8(start) {
        Ok(text) => text,
        // The end of what was kept may lie inside a character.
        Err(error) if error.error_len().is_none() && !whole => {
            str::from_utf8(&start[..error.valid_up_to()]).expect("it is valid up to there")
        }
        Err(_) => return refused(NotTextKind::OtherEncoding),
    };
    Ok(WindowLine { start: text, bytes })
}

/// The line as it is shown: cut if it is long, with the number of bytes that are left out.
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

    /// Files of up to three pieces, some of them too long for a line or no text.
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

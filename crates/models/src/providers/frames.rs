//! Splitting the bytes of a stream into frames: server-sent events, or lines of JSON.

use crate::provider::WireFormat;

/// One frame of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StreamFrame {
    pub(super) data: String,
}

/// Bytes that do not form a complete frame yet.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    /// The data lines of the event that is arriving.
    data: Vec<String>,
}

impl Frames {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the number of bytes that wait.
    pub(super) fn waiting(&self) -> usize {
        self.bytes.len() + self.data.iter().map(String::len).sum::<usize>()
    }

    /// Returns the next complete frame.
    pub(super) fn next(&mut self, wire: WireFormat) -> Option<StreamFrame> {
        loop {
            // Without a line end the rest stays buffered: a line, or even a character, may be split between two chunks.
            let end = self.bytes.iter().position(|byte| *byte == b'\n')?;
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            // Bytes that are not UTF-8 become replacement characters; parsing decides about the result.
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\r', '\n']);
            if wire == WireFormat::Ollama {
                if !line.trim().is_empty() {
                    return Some(StreamFrame { data: line.to_owned() });
                }
            } else if let Some(data) = line.strip_prefix("data:") {
                // Several data lines belong to one event; an empty line ends it. Other fields and comments are ignored.
                self.data.push(data.strip_prefix(' ').unwrap_or(data).to_owned());
            } else if line.is_empty() && !self.data.is_empty() {
                return Some(StreamFrame { data: std::mem::take(&mut self.data).join("\n") });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(wire: WireFormat, chunks: &[&str]) -> Vec<String> {
        let mut frames = Frames::default();
        let mut found = Vec::new();
        for chunk in chunks {
            frames.add(chunk.as_bytes());
            while let Some(frame) = frames.next(wire) {
                found.push(frame.data);
            }
        }
        found
    }

    #[test]
    fn events_are_found_wherever_the_bytes_are_cut() {
        let text = ": hello\r\nevent: a\r\ndata: {\"x\":1}\r\n\r\ndata: one\ndata: two\n\nid: 7\n\ndata: half";
        let expected = ["{\"x\":1}", "one\ntwo"];
        for cut in 0..=text.len() {
            assert_eq!(all(WireFormat::OpenAi, &[&text[..cut], &text[cut..]]), expected, "{cut}");
        }
    }

    #[test]
    fn lines_are_pieces_where_the_format_has_lines() {
        assert_eq!(
            all(WireFormat::Ollama, &["{\"a\":1}\n\n{\"b\"", ":2}\n{"]),
            ["{\"a\":1}", "{\"b\":2}"]
        );
    }
}

//! Streaming answers.
//!
//! *Invariants*: a stream that ends before its format says so was cut. Nothing is handed out after the first error.

use futures_util::stream;
use reqwest::Response;
use tokio::time::timeout;

use super::client::{ProviderCall, Providers};
use super::format::{AnswerDraft, piece};
use crate::bounds::{ANSWER_BYTES_MAX, STREAM_BYTES_MAX};
use crate::client::{AnswerPart, AnswerStream};
use crate::error::Error;
use crate::provider::WireFormat;
use crate::request::Request;

/// The stage of a stream.
enum Stage {
    Asking(Box<(Providers, Request)>),
    Reading(Box<StreamReader>),
    Over,
}

struct StreamReader {
    call: ProviderCall,
    response: Response,
    frames: Frames,
    draft: AnswerDraft,
    /// Total number of bytes received.
    received: usize,
}

/// Streams the answer to `request`.
pub(super) fn stream(providers: Providers, request: Request) -> AnswerStream {
    let stage = Stage::Asking(Box::new((providers, request)));
    Box::pin(stream::unfold(stage, next))
}

async fn next(stage: Stage) -> Option<(Result<AnswerPart, Error>, Stage)> {
    let mut reading = match stage {
        Stage::Over => return None,
        Stage::Reading(reading) => reading,
        Stage::Asking(asking) => match ask(&asking.0, &asking.1).await {
            Ok(reading) => Box::new(reading),
            // After an error the stream is over, whatever the connection still holds.
            Err(error) => return Some((Err(error), Stage::Over)),
        },
    };
    match reading.next_text().await {
        Ok(Some(words)) => Some((Ok(AnswerPart::Text(words)), Stage::Reading(reading))),
        Ok(None) => Some((reading.done(), Stage::Over)),
        Err(error) => Some((Err(error), Stage::Over)),
    }
}

async fn ask(providers: &Providers, request: &Request) -> Result<StreamReader, Error> {
    let call = providers.call(request)?;
    // This limits the wait for the response. Each frame then has the same limit of its own.
    let sent = timeout(call.patience(), call.send(request, true)).await;
    let response = sent.map_err(|_| call.timeout_error())??;
    let (frames, draft) = (Frames::default(), AnswerDraft::default());
    Ok(StreamReader { call, response, frames, draft, received: 0 })
}

impl StreamReader {
    /// Returns the next text, or `None` when the answer is complete.
    async fn next_text(&mut self) -> Result<Option<String>, Error> {
        let wire = self.call.settings.wire;
        while !self.draft.over {
            let Some(frame) = self.frame().await? else { return self.at_end() };
            let words = piece(wire, &frame, &mut self.draft);
            let words = words.map_err(|flaw| self.call.flaw_error(&flaw))?;
            // Checked after every piece, so that a runaway provider cannot fill the memory.
            if self.draft.bytes() > ANSWER_BYTES_MAX {
                return Err(Error::AnswerTooLong { provider: self.call.provider() });
            }
            // Pieces without text, such as counts and tool arguments, only add to the draft.
            if !words.is_empty() {
                return Ok(Some(words));
            }
        }
        Ok(None)
    }

    /// Returns the next frame, or `None` at the end. Each frame may take as long as the settings say.
    async fn frame(&mut self) -> Result<Option<StreamFrame>, Error> {
        let read = timeout(self.call.patience(), self.next_frame()).await;
        read.unwrap_or_else(|_| Err(self.call.timeout_error()))
    }

    async fn next_frame(&mut self) -> Result<Option<StreamFrame>, Error> {
        loop {
            if let Some(frame) = self.frames.next(self.call.settings.wire) {
                return Ok(Some(frame));
            }
            let read = self.response.chunk().await;
            let Some(bytes) = read.map_err(|error| self.call.network_error(&error))? else {
                return Ok(None);
            };
            self.frames.add(&bytes);
            self.received += bytes.len();
            // Both limits are needed: one for a frame that never ends, one for endless frames without text.
            if self.frames.waiting() > ANSWER_BYTES_MAX || self.received > STREAM_BYTES_MAX {
                return Err(Error::AnswerTooLong { provider: self.call.provider() });
            }
        }
    }

    /// Decides about a stream that ended without its last piece. Some servers with OpenAI's format leave it out; an
    /// answer that gave its reason is complete nevertheless.
    fn at_end(&self) -> Result<Option<String>, Error> {
        let complete = self.call.settings.wire == WireFormat::OpenAi && self.draft.ending.is_some();
        if complete { Ok(None) } else { Err(Error::Cut { provider: self.call.provider() }) }
    }

    fn done(&mut self) -> Result<AnswerPart, Error> {
        let draft = std::mem::take(&mut self.draft);
        let answer = draft.answer(&self.call)?;
        Ok(AnswerPart::Done(Box::new(answer)))
    }
}

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

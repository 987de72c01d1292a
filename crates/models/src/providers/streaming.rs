//! Streaming answers.
//!
//! *Invariants*: a stream that ends before its format says so was cut. Nothing is handed out after the first error.

use futures_util::stream;
use reqwest::Response;
use tokio::time::timeout;

use super::call::ProviderCall;
use super::client::Providers;
use super::draft::AnswerDraft;
use super::format::piece;
use super::frames::{Frames, StreamFrame};
use crate::bounds::{ANSWER_BYTES_MAX, STREAM_BYTES_MAX};
use crate::error::Error;
use crate::provider::WireFormat;
use crate::request::Request;
use crate::stream::{AnswerPart, AnswerStream};

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
    let response = sent.map_err(|_| call.failing().timeout())??;
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
            let words = words.map_err(|flaw| self.call.failing().flaw(&flaw))?;
            // Checked after every piece, so that a runaway provider cannot fill the memory.
            if self.draft.bytes() > ANSWER_BYTES_MAX {
                return Err(self.call.failing().too_long());
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
        read.unwrap_or_else(|_| Err(self.call.failing().timeout()))
    }

    async fn next_frame(&mut self) -> Result<Option<StreamFrame>, Error> {
        loop {
            if let Some(frame) = self.frames.next(self.call.settings.wire) {
                return Ok(Some(frame));
            }
            let read = self.response.chunk().await;
            let Some(bytes) = read.map_err(|error| self.call.failing().network(&error))? else {
                return Ok(None);
            };
            self.frames.add(&bytes);
            self.received += bytes.len();
            // Both limits are needed: one for a frame that never ends, one for endless frames without text.
            if self.frames.waiting() > ANSWER_BYTES_MAX || self.received > STREAM_BYTES_MAX {
                return Err(self.call.failing().too_long());
            }
        }
    }

    /// Decides about a stream that ended without its last piece. Some servers with OpenAI's format leave it out; an
    /// answer that gave its reason is complete nevertheless.
    fn at_end(&self) -> Result<Option<String>, Error> {
        let complete = self.call.settings.wire == WireFormat::OpenAi && self.draft.ending.is_some();
        if complete { Ok(None) } else { Err(self.call.failing().cut()) }
    }

    fn done(&mut self) -> Result<AnswerPart, Error> {
        let draft = std::mem::take(&mut self.draft);
        let answer = draft.answer(&self.call.failing())?;
        Ok(AnswerPart::Done(Box::new(answer)))
    }
}

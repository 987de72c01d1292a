//! Answers piece by piece.
//!
//! *Invariants*: what the library takes for an end without a reason is a cut. Nothing is handed out after the
//! first error.

use futures_util::{StreamExt as _, stream};
use genai::chat::{ChatStream, ChatStreamEvent, StreamEnd};

use super::providers::{Call, Providers};
use super::receive::{Received, answer};
use super::send;
use crate::bounds::ANSWER_BYTES_MAX;
use crate::error::Error;
use crate::provider::Wire;
use crate::request::Request;
use crate::stream::{AnswerStream, Part};

/// How far a stream is.
enum Stage {
    Asking(Box<(Providers, Request)>),
    Reading(Box<Reading>),
    Over,
}

struct Reading {
    call: Call,
    events: ChatStream,
    bytes: usize,
}

/// The answer to `request`, piece by piece.
pub(super) fn stream(providers: Providers, request: Request) -> AnswerStream {
    let stage = Stage::Asking(Box::new((providers, request)));
    Box::pin(stream::unfold(stage, |stage| async { next(stage).await }))
}

async fn next(stage: Stage) -> Option<(Result<Part, Error>, Stage)> {
    let mut reading = match stage {
        Stage::Over => return None,
        Stage::Reading(reading) => reading,
        Stage::Asking(asking) => match ask(&asking.0, &asking.1).await {
            Ok(reading) => Box::new(reading),
            Err(error) => return Some((Err(error), Stage::Over)),
        },
    };
    match reading.part().await {
        Ok(part @ Part::Text(_)) => Some((Ok(part), Stage::Reading(reading))),
        last => Some((last, Stage::Over)),
    }
}

async fn ask(providers: &Providers, request: &Request) -> Result<Reading, Error> {
    let call = providers.call(request)?;
    let options = send::options(request, call.timeout());
    let asked = call.client.exec_chat_stream(call.target(), send::chat(request), Some(&options));
    let events = asked.await.map_err(|error| call.failing().error(&error))?.stream;
    Ok(Reading { call, events, bytes: 0 })
}

impl Reading {
    /// The next piece that says something.
    async fn part(&mut self) -> Result<Part, Error> {
        loop {
            let event = self.events.next().await.ok_or_else(|| self.call.failing().cut())?;
            match event.map_err(|error| self.call.failing().error(&error))? {
                ChatStreamEvent::Chunk(chunk) if !chunk.content.is_empty() => {
                    self.count(chunk.content.len())?;
                    return Ok(Part::Text(chunk.content));
                }
                ChatStreamEvent::ReasoningChunk(chunk) => self.count(chunk.content.len())?,
                ChatStreamEvent::End(end) => return self.done(end),
                _ => self.count(1)?,
            }
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes += bytes;
        if self.bytes > ANSWER_BYTES_MAX {
            return Err(Error::AnswerTooLong { provider: self.call.settings.name.clone() });
        }
        Ok(())
    }

    /// Ollama's streams end with a reason, unless they were cut: then the library makes up an end.
    fn done(&self, end: StreamEnd) -> Result<Part, Error> {
        if self.call.settings.wire == Wire::Ollama && end.captured_stop_reason.is_none() {
            return Err(self.call.failing().cut());
        }
        let answer = answer(Received {
            provider: self.call.settings.name.clone(),
            model: self.call.model.clone(),
            content: end.captured_content,
            stop: end.captured_stop_reason,
            usage: end.captured_usage,
        })?;
        Ok(Part::Done(Box::new(answer)))
    }
}

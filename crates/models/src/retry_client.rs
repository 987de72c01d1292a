//! A client that repeats calls that are safe to repeat.
//!
//! *Invariants*: a stream is restarted only while no part of it was handed out. A part that a caller has seen is never
//! taken back.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use piton_core::Timer;

use crate::answer::Answer;
use crate::client::{BoxFuture, ModelClient};
use crate::error::Error;
use crate::request::Request;
use crate::retry::Backoff;
use crate::stream::{AnswerPart, AnswerStream};

/// Repeats the calls of another client.
#[derive(Clone)]
pub struct Retrying {
    inner: Arc<dyn ModelClient>,
    backoff: Backoff,
    timer: Arc<dyn Timer>,
}

impl Retrying {
    /// Creates a client that repeats the calls of `inner` according to `backoff`, waiting with `timer` in between.
    pub fn new(inner: Arc<dyn ModelClient>, backoff: Backoff, timer: Arc<dyn Timer>) -> Self {
        Self { inner, backoff, timer }
    }

    async fn try_until_final(&self, request: &Request) -> Result<Answer, Error> {
        let mut made = 1;
        loop {
            let error = match self.inner.complete(request).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            // Errors after which the provider may have done the work end here: only the caller may decide to pay twice.
            let Some(wait) = self.backoff.wait(made, &error) else { return Err(error) };
            self.timer.sleep(wait).await;
            made += 1;
        }
    }
}

impl ModelClient for Retrying {
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(self.try_until_final(request))
    }

    fn stream(&self, request: &Request) -> AnswerStream {
        let attempt = StreamAttempt {
            client: self.clone(),
            request: request.clone(),
            parts: self.inner.stream(request),
            made: 1,
            handed_out: false,
        };
        Box::pin(stream::unfold(Some(attempt), |attempt| async { attempt?.next().await }))
    }
}

/// A stream that may still be restarted.
struct StreamAttempt {
    client: Retrying,
    request: Request,
    parts: AnswerStream,
    made: u32,
    handed_out: bool,
}

impl StreamAttempt {
    async fn next(mut self) -> Option<(Result<AnswerPart, Error>, Option<Self>)> {
        loop {
            let error = match self.parts.next().await? {
                Ok(part) => {
                    // From here on a restart would repeat text that the caller has already seen.
                    self.handed_out = true;
                    return Some((Ok(part), Some(self)));
                }
                Err(error) => error,
            };
            let wait = self.client.backoff.wait(self.made, &error);
            // The error ends the stream: `None` as the next state yields nothing more.
            let Some(wait) = wait.filter(|_| !self.handed_out) else {
                return Some((Err(error), None));
            };
            self.client.timer.sleep(wait).await;
            self.made += 1;
            // Replacing the stream drops the failed one, which ends its call.
            self.parts = self.client.inner.stream(&self.request);
        }
    }
}

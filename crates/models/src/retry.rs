//! A client that repeats calls that are safe to repeat, and the rule for that.
//!
//! *Invariants*: only calls that are safe to repeat are repeated ([`Error::is_safe_to_repeat`]). If a provider asks for
//! a longer wait than [`BACKOFF_MAX_MS`], the call is not repeated here: the caller gets the error with the wait. A stream
//! is restarted only while no part of it was handed out. A part that a caller has seen is never taken back.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use piton_core::Timer;

use crate::answer::Answer;
use crate::bounds::{ATTEMPTS_DEFAULT, BACKOFF_FIRST_MS, BACKOFF_MAX_MS};
use crate::client::{AnswerPart, AnswerStream, BoxFuture, ModelClient};
use crate::error::Error;
use crate::request::Request;

/// Number of attempts, and the length of the waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Total number of attempts, at least one.
    pub attempts: u32,
    /// The first wait in milliseconds; each further one is twice as long.
    pub first_ms: u64,
    /// The longest wait in milliseconds.
    pub max_ms: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { attempts: ATTEMPTS_DEFAULT, first_ms: BACKOFF_FIRST_MS, max_ms: BACKOFF_MAX_MS }
    }
}

impl Backoff {
    /// Returns the wait after attempt number `made` (starting at 1) failed with `error`, or `None` to give up.
    pub fn wait(&self, made: u32, error: &Error) -> Option<Duration> {
        if made >= self.attempts || !error.is_safe_to_repeat() {
            return None;
        }
        // The shift is capped so that it cannot overflow; the limit applies long before.
        let doubled = self.first_ms.saturating_mul(1 << (made.saturating_sub(1)).min(32));
        let own = doubled.min(self.max_ms);
        // Never repeat sooner than the provider asks, nor wait longer than the limit on its behalf.
        match error.retry_after_ms() {
            Some(asked) if asked > self.max_ms => None,
            Some(asked) => Some(Duration::from_millis(asked.max(own))),
            None => Some(Duration::from_millis(own)),
        }
    }
}

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

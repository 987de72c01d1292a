//! The port to language models.

use std::future::Future;
use std::pin::Pin;

use crate::answer::Answer;
use crate::error::Error;
use crate::request::Request;
use crate::stream::AnswerStream;

/// The return type of asynchronous methods of the port.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers requests to models.
///
/// Contract:
/// - An answer is complete, or it is an error.
/// - A request that breaks a rule of [`Request::check`] is refused before anything is sent.
/// - Dropping the future or the stream ends the call.
pub trait ModelClient: Send + Sync {
    /// Requests a whole answer.
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>>;

    /// Requests an answer piece by piece. A failure is an item of the stream, the first or a later one.
    fn stream(&self, request: &Request) -> AnswerStream;
}

//! The port to language models.

use std::future::Future;
use std::pin::Pin;

use crate::answer::Answer;
use crate::error::Error;
use crate::request::Request;
use crate::stream::AnswerStream;

/// What an asynchronous method of the port returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who answers requests to models.
///
/// Promise:
/// - An answer is complete, or it is an error.
/// - A request that breaks a rule of [`Request::check`] is refused before anything is sent.
/// - Dropping the future or the stream ends the call.
pub trait ModelClient: Send + Sync {
    /// Asks for a whole answer.
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>>;

    /// Asks for an answer piece by piece. A failure is an item of the stream, the first or a later one.
    fn stream(&self, request: &Request) -> AnswerStream;
}

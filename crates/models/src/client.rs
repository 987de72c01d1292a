//! The port to language models, and answers that arrive piece by piece.

use std::future::Future;
use std::pin::Pin;

use futures_util::{Stream, stream};

use crate::answer::Answer;
use crate::error::Error;
use crate::request::Request;

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

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerPart {
    /// The next words.
    Text(String),
    /// The whole answer. Nothing follows it.
    Done(Box<Answer>),
}

/// The pieces of one answer, in order.
///
/// Contract: the stream ends after exactly one [`AnswerPart::Done`] or one error, whichever comes first. The texts
/// before a `Done` make up its text.
pub type AnswerStream = Pin<Box<dyn Stream<Item = Result<AnswerPart, Error>> + Send>>;

/// Streams an existing answer: its words one by one, then the whole.
pub(crate) fn played(answer: Result<Answer, Error>) -> AnswerStream {
    let parts = match answer {
        Err(error) => vec![Err(error)],
        Ok(answer) => {
            let words =
                answer.text.split_inclusive(' ').map(|word| AnswerPart::Text(word.to_owned()));
            let words: Vec<AnswerPart> = words.collect();
            words.into_iter().chain([AnswerPart::Done(Box::new(answer))]).map(Ok).collect()
        }
    };
    Box::pin(stream::iter(parts))
}

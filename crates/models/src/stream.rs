//! Answers that come piece by piece.

use std::pin::Pin;

use futures_util::Stream;

use crate::answer::Answer;
use crate::error::Error;

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// The next words.
    Text(String),
    /// The whole answer; nothing comes after it.
    Done(Box<Answer>),
}

/// The pieces of one answer, in order.
///
/// Promise: it ends after exactly one [`Part::Done`] or one error, whichever comes first. The texts before a
/// `Done` are its text.
pub type AnswerStream = Pin<Box<dyn Stream<Item = Result<Part, Error>> + Send>>;

//! The person beside an agent, as far as its client allows asking them.

use futures_util::future::BoxFuture;

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonQuestion {
    /// Everything that the person needs to know, in plain words.
    pub message: String,
    pub form: AnswerForm,
    /// Identifies the question in a repetition of the call, if the client repeats the call to bring the answer.
    pub state: String,
}

/// Input that a person may give besides yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// An optional remark.
    Remark,
    /// The answer that is asked for.
    Answer,
    /// No field at all, so that a secret cannot be typed into one.
    Nothing,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElicitationAnswer {
    /// Yes, with the text that they wrote.
    Yes(Option<String>),
    No,
    /// They closed the question, or did not answer in time.
    Nothing,
    /// They are asked after this call, and its repetition brings the answer.
    Later,
}

/// The person beside an agent.
pub trait Person: Send + Sync {
    /// True if the client passes questions on to the person.
    fn can_be_asked(&self) -> bool;

    /// Asks the person a question. May wait for minutes; once per call.
    fn ask<'a>(&'a self, asked: &'a PersonQuestion) -> BoxFuture<'a, ElicitationAnswer>;

    /// Returns the state of the question that this repetition of a call answers. It is untrusted: any client can send
    /// anything.
    fn answered(&self) -> Option<&str>;
}

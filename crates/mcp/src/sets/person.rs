//! The person beside an agent, as far as its client lets them be asked.

use futures_util::future::BoxFuture;

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonQuestion {
    /// Everything that they need to know, in plain words.
    pub message: String,
    /// What they may say beside yes and no.
    pub form: AnswerForm,
    /// Says in a repetition of the call what it was about, where a client repeats the call to bring the answer.
    pub state: String,
}

/// What a person may say beside yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// A remark, if they like.
    Remark,
    /// An answer, which is what they are asked for.
    Answer,
    /// Nothing: there is no field that a secret could be typed into.
    Nothing,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElicitationAnswer {
    /// Yes, with what they wrote.
    Yes(Option<String>),
    /// No.
    No,
    /// Nothing: they closed the question, or did not answer in time.
    Nothing,
    /// They are asked after this call, and its repetition brings what they say.
    Later,
}

/// The person beside an agent.
pub trait Person: Send + Sync {
    /// Whether the client puts questions to them.
    fn can_be_asked(&self) -> bool;

    /// Puts a question to them. May wait for minutes; once for each call.
    fn ask<'a>(&'a self, asked: &'a PersonQuestion) -> BoxFuture<'a, ElicitationAnswer>;

    /// The state of the question that this repetition of a call brings the answer to. Anybody can send anything.
    fn answered(&self) -> Option<&str>;
}

//! A client that plays answers in order and remembers what it was asked, for tests and demonstrations.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

use crate::answer::{Answer, Finish, Usage};
use crate::client::{BoxFuture, ModelClient};
use crate::error::Error;
use crate::provider::ProviderName;
use crate::request::Request;
use crate::stream::{AnswerStream, played};
use crate::tool::ToolCall;

/// Plays answers. When the script is over, every further request is refused.
#[derive(Debug, Default)]
pub struct Scripted {
    script: Mutex<VecDeque<Result<Answer, Error>>>,
    asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// A client that plays `script`.
    pub fn new(script: impl IntoIterator<Item = Result<Answer, Error>>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()), asked: Mutex::default() }
    }

    /// A client that says these texts one after the other.
    pub fn with_texts(texts: &[&str]) -> Self {
        Self::new(texts.iter().map(|text| Ok(Self::text(text))))
    }

    /// An answer in words.
    pub fn text(text: &str) -> Answer {
        Answer {
            provider: ProviderName::scripted(),
            model: "scripted".to_owned(),
            text: text.to_owned(),
            tool_calls: Vec::new(),
            finish: Finish::Complete,
            usage: Usage::default(),
        }
    }

    /// An answer that calls one tool.
    pub fn call(name: &str, arguments: Value) -> Answer {
        let call = ToolCall { id: format!("call-{name}"), name: name.to_owned(), arguments };
        Answer { tool_calls: vec![call], finish: Finish::ToolCalls, ..Self::text("") }
    }

    /// What it was asked so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.asked).clone()
    }

    fn play(&self, request: &Request) -> Result<Answer, Error> {
        request.check()?;
        lock(&self.asked).push(request.clone());
        let over = || Error::NotConfigured { what: "the script of answers is over".to_owned() };
        lock(&self.script).pop_front().ok_or_else(over)?
    }
}

/// The data behind a mutex; a panic while it was held left it whole, because every change is one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl ModelClient for Scripted {
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(std::future::ready(self.play(request)))
    }

    /// The words of the answer one by one, then the answer.
    fn stream(&self, request: &Request) -> AnswerStream {
        played(self.play(request))
    }
}

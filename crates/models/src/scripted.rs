//! A client that plays back answers in order and records its requests, for tests and demonstrations.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

use crate::answer::{Answer, Finish, Usage};
use crate::client::{AnswerStream, BoxFuture, ModelClient, played};
use crate::error::Error;
use crate::provider::ProviderName;
use crate::request::Request;
use crate::tool::ToolCall;

/// Plays back answers. At the end of the script, every further request is refused.
#[derive(Debug, Default)]
pub struct Scripted {
    script: Mutex<VecDeque<Result<Answer, Error>>>,
    asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// Creates a client that plays back `script`.
    pub fn new(script: impl IntoIterator<Item = Result<Answer, Error>>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()), asked: Mutex::default() }
    }

    /// Creates a client that answers with these texts in order.
    pub fn with_texts(texts: &[&str]) -> Self {
        Self::new(texts.iter().map(|text| Ok(Self::text(text))))
    }

    /// Creates an answer with text.
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

    /// Creates an answer that calls one tool.
    pub fn call(name: &str, arguments: Value) -> Answer {
        let call = ToolCall { id: format!("call-{name}"), name: name.to_owned(), arguments };
        Answer { tool_calls: vec![call], finish: Finish::ToolCalls, ..Self::text("") }
    }

    /// Returns the requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.asked).clone()
    }

    fn play(&self, request: &Request) -> Result<Answer, Error> {
        request.check()?;
        // Recorded even if the script has no answer left.
        lock(&self.asked).push(request.clone());
        let over = || Error::NotConfigured { what: "the script of answers is over".to_owned() };
        lock(&self.script).pop_front().ok_or_else(over)?
    }
}

/// Locks a mutex. A panic while it was held leaves the data intact, because every change is a single call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl ModelClient for Scripted {
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(std::future::ready(self.play(request)))
    }

    /// Streams the words of the answer one by one, then the whole answer.
    fn stream(&self, request: &Request) -> AnswerStream {
        played(self.play(request))
    }
}

//! Clients that answer without a provider.
//!
//! * [`Scripted`] plays back answers in order and records its requests, for tests and demonstrations.
//! * [`Rehearsed`] answers by rules, to try out flows.
//!
//! *Invariants*: a rehearsed client keeps no position in a script. The same request gets the same answer in every
//! process, so a flow that is resumed or run again receives the same answers.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::{Answer, Finish, Usage};
use crate::bounds::RULES_MAX;
use crate::client::{AnswerStream, BoxFuture, ModelClient, played};
use crate::error::Error;
use crate::message::{Message, ToolCall};
use crate::provider::ProviderName;
use crate::request::Request;

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

/// A rule with a condition and an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    /// Texts that must all occur in the conversation. Without any, the rule always matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    #[serde(flatten)]
    pub then: Then,
}

/// The answer of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Then {
    /// Answers with this text.
    Say(String),
    /// Calls this tool.
    Call { name: String, arguments: Value },
}

/// Answers with the first rule that matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsed {
    rules: Vec<Rule>,
}

impl Rehearsed {
    /// Creates a client that answers by these rules.
    pub fn new(rules: Vec<Rule>) -> Result<Self, Error> {
        let mut problems = Vec::new();
        if rules.is_empty() || rules.len() > RULES_MAX {
            problems
                .push(format!("rehearsed has {} rules; 1 to {RULES_MAX} are taken", rules.len()));
        }
        for (place, rule) in rules.iter().enumerate() {
            if rule.when.iter().any(String::is_empty) {
                problems.push(format!("rehearsed[{place}].when has an empty text"));
            }
        }
        if problems.is_empty() { Ok(Self { rules }) } else { Err(Error::Settings { problems }) }
    }

    fn answer(&self, request: &Request) -> Result<Answer, Error> {
        request.check()?;
        let said: Vec<&str> = request.messages.iter().map(Message::text).collect();
        let fits = |rule: &&Rule| {
            rule.when.iter().all(|wanted| said.iter().any(|text| text.contains(wanted)))
        };
        let rule = self.rules.iter().find(fits).ok_or_else(|| Error::NotConfigured {
            what: "no rule of the rehearsal fits the request".to_owned(),
        })?;
        Ok(match &rule.then {
            Then::Say(text) => Scripted::text(text),
            Then::Call { name, arguments } => Scripted::call(name, arguments.clone()),
        })
    }
}

impl ModelClient for Rehearsed {
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(std::future::ready(self.answer(request)))
    }

    /// Streams the words of the answer one by one, then the whole answer.
    fn stream(&self, request: &Request) -> AnswerStream {
        played(self.answer(request))
    }
}

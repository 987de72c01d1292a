//! A client that answers by rules, to try out flows without a provider.
//!
//! *Invariants*: it keeps no position in a script. The same request gets the same answer in every process, so a flow
//! that is resumed or run again receives the same answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::bounds::RULES_MAX;
use crate::client::{AnswerStream, BoxFuture, ModelClient, played};
use crate::error::Error;
use crate::message::Message;
use crate::request::Request;
use crate::scripted::Scripted;

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

//! The person beside an agent: questions for them, and how the client is made to ask.
//!
//! Before the revision 2026-07-28, the client is asked while the call waits. From that revision on, the call ends with
//! the question, and the client repeats it with the answer.
//!
//! *Invariants*: only clients that declare forms are asked. Anything that a client sends in place of an answer is not
//! an answer.

use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Value, json};

use crate::bounds::{PERSON_ANSWER_LENGTH_MAX, PERSON_WAIT};

/// Name of the question among the input requests of a call.
const QUESTION: &str = "person";

/// Field of the form that the person fills in.
const FIELD: &str = "answer";

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
    Accepted(Option<String>),
    Declined,
    /// They closed the question, or did not answer in time.
    NoAnswer,
    /// They are asked after this call, and its repetition brings the answer.
    Deferred,
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

/// The person at the client of the agent that made a call, asked by elicitation.
pub(crate) struct AtClient<'a> {
    context: &'a RequestContext<RoleServer>,
    /// Set when the client repeats a call to bring an answer.
    repeats: bool,
    /// Answer that came with a repetition.
    brought: Option<ElicitResult>,
    state: Option<String>,
    to_ask: Mutex<Option<PersonQuestion>>,
}

impl<'a> AtClient<'a> {
    pub(crate) fn new(
        context: &'a RequestContext<RoleServer>,
        request: &CallToolRequestParams,
    ) -> Self {
        // Revisions are dates, so they compare as text.
        let repeats = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let brought = request.input_responses.as_ref().and_then(|sent| sent.get(QUESTION));
        let brought = brought.and_then(|sent| serde_json::from_value(sent.clone()).ok());
        // The state counts only together with an answer; on its own it would claim an answer that no one gave.
        let state = request.request_state.clone().filter(|_| repeats && brought.is_some());
        Self { context, repeats, brought, state, to_ask: Mutex::default() }
    }

    /// Returns the question that must be answered before the call can be.
    pub(crate) fn into_question(self) -> Option<InputRequiredResult> {
        let asked = self.to_ask.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let request = InputRequest::Elicitation(ElicitRequest::new(params(&asked)));
        let requests = [(QUESTION.to_owned(), request)].into_iter().collect();
        Some(InputRequiredResult::new(Some(requests), Some(asked.state)))
    }

    async fn ask_now(&self, asked: &PersonQuestion) -> ElicitationAnswer {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params(asked)));
        let options = PeerRequestOptions::with_timeout(PERSON_WAIT);
        let Ok(waiting) = self.context.peer.send_cancellable_request(request, options).await else {
            // A client that cannot be reached, or that does not answer in time, gives no answer; the question stays
            // open.
            return ElicitationAnswer::NoAnswer;
        };
        match waiting.await_response().await {
            Ok(ClientResult::ElicitResult(said)) => elicitation_answer(said, asked.form),
            _ => ElicitationAnswer::NoAnswer,
        }
    }
}

impl Person for AtClient<'_> {
    fn can_be_asked(&self) -> bool {
        has_forms(self.context)
    }

    fn ask<'a>(&'a self, asked: &'a PersonQuestion) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async move {
            match &self.brought {
                Some(said) if self.repeats => elicitation_answer(said.clone(), asked.form),
                _ if self.repeats => {
                    // Remember the question. The call ends with it, and the client repeats the call with the answer.
                    let mut to_ask = self.to_ask.lock().unwrap_or_else(PoisonError::into_inner);
                    *to_ask = Some(asked.clone());
                    ElicitationAnswer::Deferred
                }
                _ => self.ask_now(asked).await,
            }
        })
    }

    fn answered(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// True if the client shows forms to a person. A client that names no way of asking means forms.
fn has_forms(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let asking = capabilities.as_ref().and_then(|known| known.elicitation.as_ref());
    asking.is_some_and(|asking| asking.form.is_some() || asking.url.is_none())
}

fn params(asked: &PersonQuestion) -> ElicitRequestParams {
    let field = |title: &str, description: &str| {
        json!({
            "type": "string",
            "title": title,
            "description": description,
            "maxLength": PERSON_ANSWER_LENGTH_MAX,
        })
    };
    let schema = match asked.form {
        AnswerForm::Remark => {
            let remark = field("Remark", "For the agent, if you like. It is recorded.");
            json!({ "type": "object", "properties": { FIELD: remark } })
        }
        AnswerForm::Answer => {
            let answer = field("Answer", "It is recorded, so never a secret.");
            json!({ "type": "object", "properties": { FIELD: answer }, "required": [FIELD] })
        }
        AnswerForm::Nothing => json!({ "type": "object", "properties": {} }),
    };
    let requested_schema: ElicitationSchema =
        serde_json::from_value(schema).expect("forms have at most one field, of text");
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        // Parts of the message may come from an agent, so invisible characters are shown.
        message: piton_core::visible(&asked.message).into_owned(),
        requested_schema,
    }
}

fn elicitation_answer(said: ElicitResult, form: AnswerForm) -> ElicitationAnswer {
    let written = said.content.as_ref().and_then(|content| content.get(FIELD));
    let written = written.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    match (said.action, form, written) {
        (ElicitationAction::Decline, _, _) => ElicitationAnswer::Declined,
        // A yes without the requested answer is not an answer.
        (ElicitationAction::Accept, AnswerForm::Answer, None) => ElicitationAnswer::NoAnswer,
        (ElicitationAction::Accept, AnswerForm::Nothing, _) => ElicitationAnswer::Accepted(None),
        (ElicitationAction::Accept, _, written) => {
            ElicitationAnswer::Accepted(written.map(str::to_owned))
        }
        _ => ElicitationAnswer::NoAnswer,
    }
}

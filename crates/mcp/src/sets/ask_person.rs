//! Asks a person what a run waits for.
//!
//! *Invariants*: the answer is recorded in the same way as by the command line. It is reported in a notice of the reply, whose
//! body stays as it is on record. A question that fails does not fail the call.

use piton_core::error::sentence;
use piton_runtime::Connection;
use piton_runtime::reply::{Question, Reply, ReplyNotice, UserOnlyDependency};
use piton_runtime::request::PersonVerdict;

use crate::person::{AnswerForm, ElicitationAnswer, Person, PersonQuestion};

/// Asks the person what the run of a reply waits for, if it does, and adds the result to the notices of the reply.
/// Returns true if they settled it.
pub(super) async fn ask(connection: &Connection, person: &dyn Person, reply: &mut Reply) -> bool {
    if !person.can_be_asked() {
        return false;
    }
    let Ok(Some(question)) = connection.question(&reply.body).await else { return false };
    let asked = PersonQuestion {
        message: message(&question),
        form: form(question.reason),
        state: reply.body.state_token.clone(),
    };
    let (verdict, next) = match person.ask(&asked).await {
        ElicitationAnswer::Accepted(said) => {
            let verdict = said.map_or(PersonVerdict::Approved, PersonVerdict::Answered);
            (verdict, "Continue with the call after `Next:`.")
        }
        ElicitationAnswer::Declined => {
            // A no counts even if it cannot be recorded.
            reply.is_agreed = Some(false);
            let reason = "they said no when they were asked".to_owned();
            let next = "Do not continue this run. Ask them what to do instead.";
            (PersonVerdict::Refused(reason), next)
        }
        ElicitationAnswer::NoAnswer => {
            let message = "The person was asked and did not answer. The run waits for them: ask them yourself.";
            reply.notices.push(ReplyNotice::PersonAsked { message: message.to_owned() });
            return false;
        }
        ElicitationAnswer::Deferred => return false,
    };
    let settled = connection.answer_question(&question, verdict).await;
    let message = match &settled {
        Ok(settled) => {
            reply.is_agreed.get_or_insert(true);
            // The person's own words stay apart from the instructions to the agent.
            format!("{}\n{next}", sentence(&settled.summary.replace('\n', "\n  ")))
        }
        Err(refused) => format!(
            "The person was asked, but what they said could not be recorded: {} {}",
            refused.message, refused.suggestion
        ),
    };
    reply.notices.push(ReplyNotice::PersonAsked { message });
    settled.is_ok()
}

/// Returns the form for a question. A text field is shown only where the answer is not a secret.
fn form(reason: UserOnlyDependency) -> AnswerForm {
    match reason {
        UserOnlyDependency::Approval | UserOnlyDependency::EnvironmentAction => AnswerForm::Remark,
        UserOnlyDependency::Artifact | UserOnlyDependency::Choice => AnswerForm::Answer,
        UserOnlyDependency::SecretOrToken | UserOnlyDependency::AccountAccess => {
            AnswerForm::Nothing
        }
    }
}

/// Formats the question, with where it comes from.
fn message(question: &Question) -> String {
    let Question { run, title, reason, words, excerpt, .. } = question;
    let place = run.step.map_or_else(String::new, |step| format!(", step {step} of {}", run.of));
    let head = format!("{} ({}{place}: {title})", run.label, run.workflow_id);
    let Some(words) = words else {
        return format!(
            "{head} wants your confirmation before the agent does this step. It says:\n\n{excerpt}"
        );
    };
    let how = match reason {
        UserOnlyDependency::Approval => "asks for your consent",
        UserOnlyDependency::Choice => "asks you to choose",
        UserOnlyDependency::Artifact => "needs something that only you have",
        UserOnlyDependency::EnvironmentAction => "needs you to do something",
        UserOnlyDependency::SecretOrToken => {
            "needs a secret to be put in place; say yes when it is, and never write it here"
        }
        UserOnlyDependency::AccountAccess => "needs access to be given; say yes when it is",
    };
    format!("{head} {how}:\n\n{words}")
}

//! Asks a person what a run waits for.
//!
//! *Invariants*: the answer is recorded in the same way as by the command line. It is reported beside the reply, whose
//! body stays as it is on record. A question that fails does not fail the call.

use piton_core::error::sentence;
use piton_runtime::Connection;
use piton_runtime::reply::{Question, RunAnswer, UserOnlyDependency};
use piton_runtime::request::PersonReply;

use crate::sets::person::{AnswerForm, ElicitationAnswer, Person, PersonQuestion};

/// Asks the person what the run of an answer waits for, if it does, and adds the result beside the answer. Returns true
/// if they settled it.
pub(super) async fn ask(
    connection: &Connection,
    person: &dyn Person,
    answer: &mut RunAnswer,
) -> bool {
    if !person.can_be_asked() {
        return false;
    }
    let Ok(Some(question)) = connection.question(&answer.body).await else { return false };
    let asked = PersonQuestion {
        message: message(&question),
        form: form(question.reason),
        state: answer.body.state_token.clone(),
    };
    let (say, next) = match person.ask(&asked).await {
        ElicitationAnswer::Yes(said) => {
            let say = said.map_or(PersonReply::Approve {}, |text| PersonReply::Answer { text });
            (say, "Continue with the call after `Next:`.")
        }
        ElicitationAnswer::No => {
            // A no counts even if it cannot be recorded.
            answer.beside.is_agreed = Some(false);
            let text = "they said no when they were asked".to_owned();
            (PersonReply::Refuse { text }, "Do not continue this run. Ask them what to do instead.")
        }
        ElicitationAnswer::Nothing => {
            let words = "The person was asked and did not answer. The run waits for them: ask them yourself.";
            answer.beside.person = Some(words.to_owned());
            return false;
        }
        ElicitationAnswer::Later => return false,
    };
    let settled = connection.answer_question(&question, say).await;
    let words = match &settled {
        Ok(settled) => {
            answer.beside.is_agreed.get_or_insert(true);
            // The person's own words stay apart from the instructions to the agent.
            format!("{}\n{next}", sentence(&settled.summary.replace('\n', "\n  ")))
        }
        Err(refused) => format!(
            "The person was asked, but what they said could not be recorded: {} {}",
            refused.message, refused.suggestion
        ),
    };
    answer.beside.person = Some(words);
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

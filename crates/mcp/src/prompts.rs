//! The prompts of a connection: one for each workflow that can be started. Clients offer them as slash commands.
//!
//! *Limitations*: workflow files that change while no call reads them are noticed by the next call that does.

use std::sync::{Mutex, PoisonError};

use piton_core::Envelope;
use piton_runtime::Connection;
use piton_runtime::reply::WorkflowEntry;
use piton_runtime::request::ListWorkflows;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};

/// The argument of every prompt.
const GOAL: &str = "goal";

/// The prompts that a client knows.
#[derive(Debug, Default)]
pub(crate) struct KnownPrompts(Mutex<Option<Vec<Prompt>>>);

impl KnownPrompts {
    /// Records the prompts that the client gets now.
    pub(crate) fn listed(&self, prompts: &[Prompt]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(prompts.to_vec());
    }

    /// Records the prompts that there are now. Returns true if the client knows others.
    pub(crate) fn note(&self, prompts: &[Prompt]) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that never asked is not told of changes.
        let is_other = known.as_ref().is_some_and(|known| known != prompts);
        if is_other {
            *known = Some(prompts.to_vec());
        }
        is_other
    }
}

/// Returns the prompts of a connection, by name.
pub(crate) fn prompts(connection: &Connection) -> Result<Vec<Prompt>, Envelope> {
    Ok(workflows(connection)?.iter().map(prompt).collect())
}

/// Returns the text of a prompt; nothing if there is none of that name.
pub(crate) fn filled_prompt(
    connection: &Connection,
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<Option<GetPromptResult>, Envelope> {
    let workflows = workflows(connection)?;
    let Some(entry) = workflows.iter().find(|entry| entry.workflow_id == name) else {
        return Ok(None);
    };
    let goal = arguments.and_then(|arguments| arguments.get(GOAL)).and_then(Value::as_str);
    let goal = goal.map(str::trim).filter(|goal| !goal.is_empty());
    let message = PromptMessage::new_text(Role::User, text(entry, goal));
    let result = GetPromptResult::new(vec![message]);
    Ok(Some(match &entry.description {
        Some(description) => result.with_description(description),
        None => result,
    }))
}

fn workflows(connection: &Connection) -> Result<Vec<WorkflowEntry>, Envelope> {
    Ok(connection.list_workflows(&ListWorkflows::default())?.workflows)
}

fn prompt(entry: &WorkflowEntry) -> Prompt {
    let goal = PromptArgument::new(GOAL)
        .with_title("Goal")
        .with_description("What the run is to reach, in one line")
        .with_required(false);
    let description = entry.description.as_ref().or(entry.when_to_use.as_ref());
    let prompt = Prompt::new(&entry.workflow_id, description, Some(vec![goal]));
    match &entry.name {
        Some(name) => prompt.with_title(name),
        None => prompt,
    }
}

/// Returns what the agent is asked to do.
fn text(entry: &WorkflowEntry, goal: Option<&str>) -> String {
    let id = &entry.workflow_id;
    let (task, call) = match goal {
        Some(goal) => (
            // Some clients pass on only the first word that a person types.
            format!(
                "Work with Piton's workflow `{id}` toward this goal: {goal}\n\nIf I typed more words after the command \
                 than this goal has, then all of them are the goal."
            ),
            json!({ "workflowId": id, "goal": goal }).to_string(),
        ),
        None => (
            format!(
                "Work with Piton's workflow `{id}` on what we are talking about. If you do not know what that is, ask \
                 me first."
            ),
            format!("{{\"workflowId\":\"{id}\",\"goal\":\"(what it is to reach, in one line)\"}}"),
        ),
    };
    format!(
        "{task}\n\nFirst call the tool start_workflow with {call}. Then do what each reply asks and make the call after \
         its `Next:`, until a reply says that the run is done."
    )
}

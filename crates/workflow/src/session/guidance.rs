//! The guidance for a whole workflow in a reply: in full where an agent begins to read, and a reminder elsewhere.
//!
//! Every pinned prompt holds the guidance, so a snapshot says by itself what counts at its step. A reply that follows
//! another one replaces it by one line with the call that shows it again.
//!
//! *Invariants*: the record decides which form a reply has, never the connection, so a repeated call gives the same
//! reply. A prompt is never made longer.
//!
//! *Limitations*: guidance ends at its first blank line, as everything behind it in a prompt begins with one. Of
//! guidance that holds a blank line itself, or is filled in with one, the rest stays.

use std::ops::Range;

use crate::compile::{CompiledWorkflow, META_GUIDANCE};
use crate::snapshot::PendingStep;
use crate::source::Dialect;

/// The form that the guidance has in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GuidanceForm {
    /// For an agent that has not read it on this branch, or may have lost it.
    Full,
    /// For an agent that has read it.
    Reminder,
}

/// Returns the prompt of a step with a line in place of the guidance. `read` is the call that shows it.
pub(super) fn remind(workflow: &CompiledWorkflow, pending: &PendingStep, read: &str) -> String {
    let prompt = pending.prompt.as_str();
    let Some(section) = section(workflow, prompt) else { return prompt.to_owned() };
    let line =
        format!("\n\nThe guidance for the whole workflow still counts. To read it again: {read}");
    if line.len() >= section.len() {
        return prompt.to_owned();
    }
    [&prompt[..section.start], &line, &prompt[section.end..]].concat()
}

/// Locates the guidance for the whole workflow in a prompt.
fn section(workflow: &CompiledWorkflow, prompt: &str) -> Option<Range<usize>> {
    if workflow.dialect != Dialect::Classic {
        return None;
    }
    // Guidance is the same in every step. An author may have written the same heading into a prompt of their own.
    let mut compiled = workflow.steps.iter().map(|step| Some(&step.prompt[last(&step.prompt)?]));
    let shared = compiled.next()??;
    if !compiled.all(|section| section == Some(shared)) {
        return None;
    }
    // It is not found as it was compiled if its variables were filled in.
    prompt.rfind(shared).map(|at| at..at + shared.len()).or_else(|| last(prompt))
}

/// Locates the last section with the heading of the guidance.
fn last(prompt: &str) -> Option<Range<usize>> {
    let heading = format!("\n\n## {META_GUIDANCE}\n");
    let start = prompt.rfind(&heading)?;
    let body = start + heading.len();
    Some(start..prompt[body..].find("\n\n").map_or(prompt.len(), |length| body + length))
}

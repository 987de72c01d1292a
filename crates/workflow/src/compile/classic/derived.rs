//! Steps that follow from others: the verification and the audit after a step, work for several agents, and
//! the synthesis of their results.
//!
//! *Invariants*: the id of such a step is that of its origin, `--`, and the kind of the derived step. It runs
//! under the same condition and has the same access as its origin.

use std::fmt::Write as _;

use crate::compile::prompt::section;
use crate::compile::step::Fragment;
use crate::name::StepId;
use crate::source::classic::{Delegation, Parallel, Synthesis};
use crate::source::{FromSource, Pointer, Problems, Prompt, Task};

/// Returns the id `<of>--<what>`.
pub(super) fn joined_id(
    of: &StepId,
    what: &str,
    at: &Pointer,
    problems: &mut Problems,
) -> Option<StepId> {
    let id = serde_json::Value::String(format!("{of}--{what}"));
    StepId::read(&id, &at.field("id"), problems)
}

/// Returns the steps that follow `task`.
pub(super) fn after(task: &Task, problems: &mut Problems) -> Vec<Task> {
    let Task { at, id, title, .. } = task;
    let mut prompts = Vec::new();
    if let Some(verification) = &task.verification {
        let mut prompt = format!("Check what the step \"{title}\" brought.");
        if let Some(command) = &verification.command {
            write!(prompt, " Run this, and report what it printed:\n\n```\n{command}\n```")
                .expect("writing to a string does not fail");
        }
        if let Some(more) = &verification.prompt {
            prompt.extend(["\n\n", more]);
        }
        prompts.push(("verification", format!("Verify: {title}"), prompt));
    }
    if let Some(audit) = &task.audit {
        let mut prompt = format!(
            "Look at what the step \"{title}\" brought as somebody who did not do it, and name what is wrong."
        );
        if let Some(more) = &audit.prompt {
            prompt.extend(["\n\n", more]);
        }
        prompt.push_str(&section("Look at this", &audit.rubric));
        prompts.push(("audit", format!("Audit: {title}"), prompt));
    }
    let derived = |(what, title, prompt): (&str, String, String)| {
        let id = joined_id(id, what, at, problems)?;
        // A step that was skipped leaves nothing to check, so the condition is the same.
        let run_condition = task.run_condition.clone();
        let base = Task::new(at.clone(), id, title, Prompt::Text(prompt));
        let (access, model_tier) = (task.access.clone(), task.model_tier);
        Some(Task { run_condition, notes_optional: true, access, model_tier, ..base })
    };
    prompts.into_iter().filter_map(derived).collect()
}

/// Returns the step that hands out the work, and the one that joins the results.
pub(super) fn delegating(parallel: &Parallel, problems: &mut Problems) -> Vec<Task> {
    let Parallel { at, id, title, .. } = parallel;
    let prompt = "Hand each of the following pieces of work to an agent of its own, and let them work side by \
                  side. If you cannot, do them yourself, one after the other. Write down what each came to.";
    let base = Task::new(at.clone(), id.clone(), title.clone(), Prompt::Text(prompt.to_owned()));
    let handing_out = Task {
        // One fragment per piece of work, since each has a condition of its own.
        fragments: parallel.delegations.iter().enumerate().map(piece).collect(),
        run_condition: parallel.run_condition.clone(),
        confirmation: parallel.confirmation.clone(),
        notes_optional: parallel.notes_optional,
        model_tier: parallel.model_tier,
        ..base
    };
    let joining = parallel.synthesis.as_ref().and_then(|synthesis| {
        let Synthesis { at, prompt, contract } = synthesis;
        let id = joined_id(id, "synthesis", &parallel.at, problems)?;
        let text = prompt.clone().unwrap_or_else(|| {
            format!(
                "Join what the agents of the step \"{title}\" brought. Say where they agree, where they do \
                 not, and what decides between them."
            )
        });
        let base = Task::new(at.clone(), id, format!("Join: {title}"), Prompt::Text(text));
        let run_condition = parallel.run_condition.clone();
        Some(Task { contract: contract.clone(), run_condition, notes_optional: true, ..base })
    });
    [handing_out].into_iter().chain(joining).collect()
}

/// Renders one piece of work as a fragment.
fn piece((index, delegation): (usize, &Delegation)) -> Fragment {
    let mut text = format!("### Run the workflow `{}`", delegation.workflow_id);
    let mut line = |line: String| text.extend(["\n- ", &line]);
    if let Some(goal) = &delegation.goal {
        line(format!("Goal: {goal}"));
    }
    for (from, to) in &delegation.context_mapping {
        line(format!("Pass on `{from}` of the context as `{to}`: {{{{{from}}}}}"));
    }
    if let Some(args) = &delegation.args {
        line(format!("Arguments: {args}"));
    }
    if let Some(tier) = delegation.model_tier {
        line(format!("Model: {tier}"));
    }
    if !delegation.allowed_tools.is_empty() {
        line(format!("Allowed tools: {}", delegation.allowed_tools.join(", ")));
    }
    let id = format!("delegation-{}", index + 1);
    Fragment { id, when: delegation.run_condition.clone(), text }
}

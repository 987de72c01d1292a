//! The text that an agent reads: the parts of a step's prompt, and the opening before the first one.

use std::fmt::Write as _;

use crate::compile::assessment::{Assessment, Consequence};
use crate::source::shipped::{FileReference, ShippedTask, ShippedWorkflow};

/// Renders `title` as a heading with one line for each of `items`; empty without items.
pub(super) fn section(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    format!("\n\n## {title}\n- {}", items.join("\n- "))
}

/// Adds to `text` what the fields of the step put before and after it.
pub(super) fn around(task: &ShippedTask, text: &str, meta_guidance: &[String]) -> String {
    let role = task.agent_role.as_ref().map(|role| format!("Your role: {role}\n\n"));
    let mut prompt = role.unwrap_or_default() + text;
    prompt.push_str(&section("Guidance", &task.guidance));
    if task.ask_for_files {
        prompt.push_str("\n\nAsk for the files that you need and do not have.");
    }
    // The arguments are already JSON text, bounded when the file was read.
    let calls = task.function_calls.iter().map(|call| {
        let name = &call.reference.name;
        if call.args.is_empty() {
            format!("{name}()")
        } else {
            format!("{name}() with {}", call.args)
        }
    });
    prompt.push_str(&section("Call these functions", &calls.collect::<Vec<_>>()));
    prompt.push_str(&section("Throughout this workflow", meta_guidance));
    prompt
}

/// Returns the text that an agent reads before the first step of a run.
pub(super) fn opening(workflow: &ShippedWorkflow) -> String {
    let reference = |reference: &FileReference| {
        let FileReference { title, source, purpose, authoritative, from_package } = reference;
        let place =
            if *from_package { "beside the workflow file" } else { "in the project directory" };
        let weight = if *authoritative { "; what it says counts" } else { "" };
        format!("{title} (`{source}`, {place}{weight}): {purpose}")
    };
    let references: Vec<_> = workflow.references.iter().map(reference).collect();
    let parts = [
        section("Make sure of this first, and say what is missing", &workflow.preconditions),
        section("Ask this first, unless you know the answers", &workflow.clarification_prompts),
        section("Read what you need of these files", &references),
    ];
    parts.concat().trim_start().to_owned()
}

/// Renders the requirements of a step's assessments.
pub(super) fn assessments(assessments: &[&Assessment], consequences: &[Consequence]) -> String {
    if assessments.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n\n---\n**ASSESSMENTS (System):**\nHand in an artifact of this form for each assessment, with one of \
         the levels for each dimension:\n{\"kind\": \"wr.assessment\", \"assessmentId\": …, \"dimensions\": \
         {…: {\"level\": …, \"rationale\": …}}, \"summary\": …}",
    );
    let mut add = |line: String| text.push_str(&line);
    for Assessment { id, purpose, dimensions } in assessments {
        add(format!("\n- `{id}`: {purpose}"));
        for dimension in dimensions {
            let levels = dimension.levels.join(" | ");
            let optional = if dimension.required { "" } else { " (optional)" };
            let (id, purpose) = (&dimension.id, &dimension.purpose);
            add(format!("\n  - `{id}`{optional}: {levels}. {purpose}"));
        }
    }
    for Consequence { any_equals_level, for_assessment, guidance } in consequences {
        let of = for_assessment.as_ref().map(|id| format!(" of `{id}`")).unwrap_or_default();
        write!(text, "\n- If a dimension{of} is at `{any_equals_level}`: {guidance}")
            .expect("writing to a string does not fail");
    }
    text
}

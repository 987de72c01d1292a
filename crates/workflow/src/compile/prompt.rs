//! Prompts: sections with every text filled in, and the text that an agent reads.
//!
//! *Invariants*: the requirements on a step's output are part of its prompt, so they are part of what is
//! pinned; there is no other field for them. They come from the contract or the criteria, never from what the
//! author wrote in the prompt.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use piton_core::canonical::encode;
use piton_core::{Digest, byte_len};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definitions::Definitions;
use super::step::{Assessment, Consequence};
use crate::bounds::{REF_BYTES_MAX, STEP_REF_BYTES_MAX};
use crate::contract::ContractDefinition;
use crate::contract::criteria::{Criterion, requirements};
use crate::name::LoopId;
use crate::source::classic::{ClassicWorkflow, FileReference};
use crate::source::{Blocks, Item, Pointer, ProblemCode, Problems, PromptPart, RefId, Task};

/// A prompt in sections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledBlocks {
    /// What the step is to reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<CompiledItem>,
    /// What it must keep to.
    pub constraints: Vec<CompiledItem>,
    /// What to do, in order.
    pub procedure: Vec<CompiledItem>,
    /// What to submit, by name.
    pub output_required: BTreeMap<String, String>,
    /// What to check at the end.
    pub verify: Vec<CompiledItem>,
}

/// One item of a section.
pub type CompiledItem = Vec<CompiledPart>;

/// A part of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum CompiledPart {
    /// What the author wrote.
    Text {
        /// The text.
        text: String,
    },
    /// What came from the catalogue.
    Ref {
        /// Under which name.
        ref_id: RefId,
        /// The digest of the text.
        ref_content_hash: Digest,
        /// Its size in bytes.
        bytes: usize,
        /// The text.
        text: String,
    },
}

impl CompiledPart {
    fn text(&self) -> &str {
        match self {
            Self::Text { text } | Self::Ref { text, .. } => text,
        }
    }
}

/// Returns the digest of a text that was included in a prompt.
pub(super) fn text_digest(text: &str) -> Digest {
    Digest::of(&encode(text).expect("a text has a canonical form"))
}

/// Fills in the texts that `blocks` refer to.
pub(super) fn resolve(
    blocks: &Blocks,
    at: &Pointer,
    definitions: &Definitions,
    problems: &mut Problems,
) -> CompiledBlocks {
    let mut injected_bytes = 0;
    let mut item = |item: &Item| -> CompiledItem {
        item.0
            .iter()
            .filter_map(|part| resolve_part(part, definitions, &mut injected_bytes, problems))
            .collect()
    };
    let compiled = CompiledBlocks {
        goal: blocks.goal.as_ref().map(&mut item),
        constraints: blocks.constraints.iter().map(&mut item).collect(),
        procedure: blocks.procedure.iter().map(&mut item).collect(),
        output_required: blocks.output_required.clone(),
        verify: blocks.verify.iter().map(&mut item).collect(),
    };
    // The budget is for the step as a whole, so it is checked after all of its parts were counted.
    if injected_bytes > STEP_REF_BYTES_MAX {
        let reason = format!(
            "the step takes in {injected_bytes} bytes of texts, {STEP_REF_BYTES_MAX} are allowed"
        );
        let fix = "refer to fewer texts, or split the step";
        problems.report(&at.field("promptBlocks"), ProblemCode::OverBudget, reason, fix);
    }
    compiled
}

fn resolve_part(
    part: &PromptPart,
    definitions: &Definitions,
    injected_bytes: &mut usize,
    problems: &mut Problems,
) -> Option<CompiledPart> {
    let (id, at) = match part {
        PromptPart::Text(text) => return Some(CompiledPart::Text { text: text.clone() }),
        PromptPart::Ref { id, at } => (id, at),
    };
    let Some(text) = definitions.refs.get(id) else {
        let known: Vec<_> = definitions.refs.keys().map(RefId::as_str).collect();
        let fix = format!("use one of: {}", known.join(", "));
        let reason = format!("there is no text `{id}`");
        problems.report(at, ProblemCode::UnresolvedReference, reason, fix);
        return None;
    };
    let bytes = byte_len(text);
    if bytes > REF_BYTES_MAX {
        let reason = format!("the text `{id}` has {bytes} bytes, {REF_BYTES_MAX} are allowed");
        problems.report(at, ProblemCode::OverBudget, reason, "refer to a shorter text");
    }
    *injected_bytes += bytes;
    let (ref_id, text) = (id.clone(), text.clone());
    Some(CompiledPart::Ref { ref_id, ref_content_hash: text_digest(&text), bytes, text })
}

/// Renders the sections as one text.
pub(super) fn render_blocks(blocks: &CompiledBlocks) -> String {
    let text = |item: &CompiledItem| item.iter().map(CompiledPart::text).collect::<String>();
    let bullet = |item: &CompiledItem| format!("- {}", text(item));
    let numbered = |(index, item): (usize, &CompiledItem)| format!("{}. {}", index + 1, text(item));
    let output = |(name, value): (&String, &String)| format!("- **{name}**: {value}");
    let sections: [(&str, Vec<String>); 5] = [
        ("Goal", blocks.goal.iter().map(text).collect()),
        ("Constraints", blocks.constraints.iter().map(bullet).collect()),
        ("Procedure", blocks.procedure.iter().enumerate().map(numbered).collect()),
        ("Output Required", blocks.output_required.iter().map(output).collect()),
        ("Verify", blocks.verify.iter().map(bullet).collect()),
    ];
    // An empty section would be a heading without text.
    let filled = sections.into_iter().filter(|(_, lines)| !lines.is_empty());
    let sections: Vec<_> =
        filled.map(|(title, lines)| format!("## {title}\n{}", lines.join("\n"))).collect();
    sections.join("\n\n")
}

/// Returns the section of a prompt that states the requirements of a contract; for a loop-control contract
/// also the loop.
pub(super) fn contract_section(contract: &ContractDefinition, decides: Option<&LoopId>) -> String {
    let requirements = contract.requirements();
    let decides = decides
        .map(|loop_id| format!("\n- The loop that this step decides about: \"{loop_id}\""))
        .unwrap_or_default();
    format!("\n\n---\n**OUTPUT REQUIREMENTS (System):**\n{requirements}{decides}")
}

/// Returns the section of a prompt that states the requirements of criteria; empty without criteria.
pub(super) fn criteria_section(criteria: &[Criterion]) -> String {
    let requirements = requirements(criteria);
    if requirements.listed.is_empty() {
        return String::new();
    }
    let mut section = String::from("\n\n---\nOUTPUT REQUIREMENTS:");
    for requirement in &requirements.listed {
        section.push_str("\n- ");
        section.push_str(requirement);
    }
    if requirements.left_out > 0 {
        write!(section, "\n- and {} more", requirements.left_out)
            .expect("writing to a string does not fail");
    }
    section
}

/// Renders `title` as a heading with one line for each of `items`; empty without items.
pub(super) fn section(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    format!("\n\n## {title}\n- {}", items.join("\n- "))
}

/// Heading of the guidance for the whole workflow.
pub(crate) const META_GUIDANCE: &str = "Throughout this workflow";

/// Adds to `text` what the fields of the step put before and after it.
pub(super) fn around_prompt(task: &Task, text: &str, meta_guidance: &[String]) -> String {
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
    prompt.push_str(&section(META_GUIDANCE, meta_guidance));
    prompt
}

/// Returns the text that an agent reads before the first step of a run.
pub(super) fn opening(workflow: &ClassicWorkflow) -> String {
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
pub(super) fn assessments_section(
    assessments: &[&Assessment],
    consequences: &[Consequence],
) -> String {
    if assessments.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n\n---\n**ASSESSMENTS (System):**\nSubmit an artifact of this form for each assessment, with one of \
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

//! The parts of a prompt as an agent read it, each with its origin.
//!
//! A snapshot keeps the rendered prompt, and the compiled step keeps everything that was put into it. Here the pieces
//! are found again, so that a reader sees which words are the author's.
//!
//! *Invariants*: the parts, one after the other, are the prompt.
//!
//! *Limitations*: in the classic dialect, a piece with variables is not found again once they are filled in, and counts
//! as the author's.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::function::section;
use super::prompt::{
    CompiledPart, assessments_section, contract_section, criteria_section, text_digest,
};
use super::step::{Addition, Assessment, CompiledStep};
use super::workflow::CompiledWorkflow;
use crate::bounds::FUNCTIONS_BYTES_MAX;

piton_core::closed_set! {
    /// Where a part of a prompt came from.
    pub enum PromptOrigin {
        /// The author of the workflow wrote it, or it was filled in.
        Author => "author",
        /// A text of the catalogue that the author refers to.
        Reference => "reference",
        /// A feature that the author switched on.
        Feature => "feature",
        /// The introduction of the workflow, before its first step.
        Opening => "opening",
        /// A fragment whose condition holds.
        Fragment => "fragment",
        /// The assessments that the step asks for.
        Assessments => "assessments",
        /// The requirements on the output.
        Requirements => "requirements",
        /// The need for a person.
        Person => "person",
        /// The access of the step.
        Access => "access",
        /// The definitions of functions.
        Functions => "functions",
    }
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptPiece {
    /// Where it came from.
    pub origin: PromptOrigin,
    /// The text of the catalogue, the feature or the fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text.
    pub text: String,
}

impl CompiledWorkflow {
    /// Returns the parts of `prompt`, which is that of `step` as an agent read it.
    pub fn prompt_pieces(&self, step: &CompiledStep, prompt: &str) -> Vec<PromptPiece> {
        let mut found = FoundPieces { prompt, spans: Vec::new() };
        for (name, text) in references(step) {
            found.mark(PromptOrigin::Reference, Some(name), &text);
        }
        for addition in &step.additions {
            found.mark_addition(addition);
        }
        found.mark(PromptOrigin::Opening, None, &self.opening);
        for fragment in &step.fragments {
            let text = format!("\n\n---\n{}", fragment.text);
            found.mark(PromptOrigin::Fragment, Some(fragment.id.clone()), &text);
        }
        let asked = |one: &&Assessment| step.assessment_refs.contains(&one.id);
        let assessments: Vec<_> = self.assessments.iter().filter(asked).collect();
        let assessments = assessments_section(&assessments, &step.consequences);
        found.mark(PromptOrigin::Assessments, None, &assessments);
        match self.contract_of(step) {
            Some(contract) => found.mark_block(&contract_section(contract, None)),
            None => found.mark_block(&criteria_section(&step.validation_criteria)),
        }
        if let Some(need) = &step.needs_user {
            found.mark(PromptOrigin::Person, None, &need.section());
        }
        if let Some(access) = &step.access {
            found.mark(PromptOrigin::Access, None, &access.section());
        }
        let functions = section(&self.functions_of(step), FUNCTIONS_BYTES_MAX);
        found.mark(PromptOrigin::Functions, None, &functions);
        found.into_pieces()
    }
}

/// Returns the texts of the catalogue that a step refers to, with their names.
fn references(step: &CompiledStep) -> Vec<(String, String)> {
    let Some(blocks) = &step.prompt_blocks else { return Vec::new() };
    let items = blocks.goal.iter().chain(&blocks.constraints).chain(&blocks.procedure);
    let parts = items.chain(&blocks.verify).flatten();
    let reference = |part: &CompiledPart| match part {
        CompiledPart::Ref { ref_id, text, .. } => Some((ref_id.to_string(), text.clone())),
        CompiledPart::Text { .. } => None,
    };
    parts.filter_map(reference).collect()
}

/// The pieces that were found in a prompt so far.
struct FoundPieces<'a> {
    prompt: &'a str,
    spans: Vec<(Range<usize>, PromptOrigin, Option<String>)>,
}

impl FoundPieces<'_> {
    /// Marks the first free occurrence of a text.
    fn mark(&mut self, origin: PromptOrigin, name: Option<String>, text: &str) {
        if text.is_empty() {
            return;
        }
        let occurrences = self.prompt.match_indices(text).map(|(at, _)| at..at + text.len());
        let free = occurrences.into_iter().find(|span| self.is_free(span));
        self.spans.extend(free.map(|span| (span, origin, name)));
    }

    /// Marks the text of a feature, of which the workflow keeps the digest and the size.
    fn mark_addition(&mut self, addition: &Addition) {
        let Addition { feature_id, content_digest, bytes } = addition;
        // Each added text begins a paragraph, so few places have to be tried.
        let starts = self.prompt.match_indices("\n\n").map(|(at, _)| at);
        let span = starts.map(|at| at..at + bytes).find(|span| {
            let text = self.prompt.get(span.clone());
            text.is_some_and(|text| text_digest(text) == *content_digest) && self.is_free(span)
        });
        let name = Some(feature_id.to_string());
        self.spans.extend(span.map(|span| (span, PromptOrigin::Feature, name)));
    }

    /// Marks the requirements, with the lines behind them that depend on where the step is.
    fn mark_block(&mut self, text: &str) {
        let Some(start) = self.prompt.rfind(text).filter(|_| !text.is_empty()) else { return };
        let end = start + text.len();
        let more = self.prompt[end..].find("\n\n").unwrap_or(self.prompt.len() - end);
        let span = start..end + more;
        if self.is_free(&span) {
            self.spans.push((span, PromptOrigin::Requirements, None));
        }
    }

    fn is_free(&self, span: &Range<usize>) -> bool {
        self.spans.iter().all(|(taken, ..)| span.end <= taken.start || taken.end <= span.start)
    }

    /// Returns the whole prompt in pieces. Whatever was not found is the author's.
    fn into_pieces(mut self) -> Vec<PromptPiece> {
        self.spans.sort_by_key(|(span, ..)| span.start);
        let (mut pieces, mut end) = (Vec::new(), 0);
        let authored = |text: &str| PromptPiece {
            origin: PromptOrigin::Author,
            name: None,
            text: text.to_owned(),
        };
        for (span, origin, name) in self.spans {
            if end < span.start {
                pieces.push(authored(&self.prompt[end..span.start]));
            }
            end = span.end;
            pieces.push(PromptPiece { origin, name, text: self.prompt[span].to_owned() });
        }
        if end < self.prompt.len() {
            pieces.push(authored(&self.prompt[end..]));
        }
        pieces
    }
}

//! Functions: names for a piece of work, defined once and referred to by prompts.
//!
//! *Invariants*: definitions are shown by scope (the step's, the loop's, the workflow's) and then by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use piton_core::{IdError, IdProblem, byte_len, truncate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::NAME_BYTES_MAX;
use crate::name::{LoopId, StepId};
use crate::source::{Function, FunctionReference, ProblemCode, Problems};

piton_core::checked_text! {
    /// The name of a function: letters, digits and `_`, not starting with a digit.
    pub struct FunctionName: IdError, "the name of a function", "^[A-Za-z_][A-Za-z0-9_]*$", NAME_BYTES_MAX,
    |text| check_name(text).map_err(|problem| IdError { kind: "FunctionName", problem })
}

fn check_name(text: &str) -> Result<(), IdProblem> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.is_empty() {
        Err(IdProblem::Empty)
    } else if text.len() > NAME_BYTES_MAX {
        Err(IdProblem::TooLong { max_bytes: NAME_BYTES_MAX })
    } else if text.bytes().all(allowed) && !text.as_bytes()[0].is_ascii_digit() {
        Ok(())
    } else {
        Err(IdProblem::Character { allowed: "letters, digits and `_`, and no digit first" })
    }
}

/// Where a function is defined, and so where it is known. Inner scopes come first.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum FunctionScope {
    /// In one step.
    Step {
        /// The step.
        step_id: StepId,
    },
    /// In every step of a loop.
    Loop {
        /// The loop.
        loop_id: LoopId,
    },
    /// In every step.
    Workflow,
}

/// Which function: two scopes may each have one of the same name.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FunctionKey {
    /// Where it is defined.
    pub scope: FunctionScope,
    /// Its name.
    pub name: FunctionName,
}

/// A function and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FunctionDefinition {
    /// Which one.
    pub key: FunctionKey,
    /// What the name stands for.
    pub definition: String,
}

/// Maximum length of the note about omitted definitions, in bytes.
const NOTE_BYTES_MAX: usize = 48;

/// Renders `functions` as a section of a prompt of at most `budget_bytes`, in the given order. Whatever does
/// not fit is cut, and the definitions that are not complete are counted.
pub fn section(functions: &[&FunctionDefinition], budget_bytes: usize) -> String {
    if functions.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n\n---\nFUNCTION DEFINITIONS:");
    let mut ends = Vec::with_capacity(functions.len());
    for function in functions {
        write!(text, "\n- {}(): {}", function.key.name, function.definition)
            .expect("writing to a string does not fail");
        // The end of each definition, to count the ones that a cut reaches.
        ends.push(byte_len(&text));
    }
    if byte_len(&text) <= budget_bytes {
        return text;
    }
    let mut cut = truncate(&text, budget_bytes.saturating_sub(NOTE_BYTES_MAX)).into_owned();
    // The marker is not part of the kept text. A definition is complete only if it ends before the marker
    // begins.
    let kept = byte_len(&cut) - byte_len(piton_core::budget::TRUNCATION_MARKER).min(byte_len(&cut));
    let omitted = ends.iter().filter(|&&end| end > kept).count();
    let plural = if omitted == 1 { "" } else { "s" };
    let note = format!("\nOmitted {omitted} function definition{plural}.");
    // With a budget smaller than the note, the bare cut has to do.
    if byte_len(&cut) + byte_len(&note) <= budget_bytes {
        cut.push_str(&note);
    }
    cut
}

/// The functions of a workflow during lowering.
#[derive(Default)]
pub(super) struct Functions(BTreeMap<FunctionKey, Declared>);

struct Declared {
    definition: String,
    used: bool,
}

/// Returns the scopes in which a step looks for functions: its own, the loops `around` it from the inside
/// out, and the workflow.
pub(super) fn scopes(own: FunctionScope, around: &[LoopId]) -> Vec<FunctionScope> {
    let loops = around.iter().rev();
    let loops = loops.map(|loop_id| FunctionScope::Loop { loop_id: loop_id.clone() });
    [own].into_iter().chain(loops).chain([FunctionScope::Workflow]).collect()
}

impl Functions {
    /// Declares `functions` of `scope`. Their names must be distinct.
    pub(super) fn declare(
        &mut self,
        functions: &[Function],
        scope: &FunctionScope,
        problems: &mut Problems,
    ) {
        for Function { at, name, definition } in functions {
            let key = FunctionKey { scope: scope.clone(), name: name.clone() };
            let declared = Declared { definition: definition.clone(), used: false };
            if self.0.insert(key, declared).is_some() {
                let reason = format!("the function `{name}` is defined twice here");
                let fix = "remove one of the definitions";
                problems.report(&at.field("name"), ProblemCode::DuplicateId, reason, fix);
            }
        }
    }

    /// Returns the functions that `references` name, each from the innermost of `scopes`, in display order.
    pub(super) fn referenced(
        &mut self,
        references: &[FunctionReference],
        scopes: &[FunctionScope],
        problems: &mut Problems,
    ) -> Vec<FunctionKey> {
        let mut found = BTreeSet::new();
        for reference in references {
            match self.find(&reference.name, scopes) {
                Some(key) => drop(found.insert(key)),
                // A definition that could not be read may be the one that is meant.
                None if problems.any_in_field("functionDefinitions") => {}
                None => {
                    let reason = format!("there is no function `{}` here", reference.name);
                    let fix =
                        "define it in `functionDefinitions` of the step, a loop or the workflow";
                    let code = ProblemCode::UnresolvedReference;
                    problems.report(&reference.at, code, reason, fix);
                }
            }
        }
        displayed(found, scopes)
    }

    /// Returns the functions of `scopes` that `text` mentions as `name(`, in display order.
    pub(super) fn mentioned(&mut self, text: &str, scopes: &[FunctionScope]) -> Vec<FunctionKey> {
        let names: BTreeSet<_> = self.0.keys().map(|key| key.name.clone()).collect();
        let mentioned = names.iter().filter(|name| mentions(text, name.as_str()));
        let found = mentioned.filter_map(|name| self.find(name, scopes)).collect();
        displayed(found, scopes)
    }

    fn find(&mut self, name: &FunctionName, scopes: &[FunctionScope]) -> Option<FunctionKey> {
        scopes.iter().find_map(|scope| {
            let key = FunctionKey { scope: scope.clone(), name: name.clone() };
            // `?` moves on to the next scope. Only the definition that is found counts as used.
            self.0.get_mut(&key)?.used = true;
            Some(key)
        })
    }

    /// Returns the names that no step refers to.
    pub(super) fn unused(&self) -> impl Iterator<Item = &FunctionName> {
        self.0.iter().filter(|(_, function)| !function.used).map(|(key, _)| &key.name)
    }

    /// Returns every function, by scope and name.
    pub(super) fn into_definitions(self) -> Vec<FunctionDefinition> {
        let definition =
            |(key, Declared { definition, .. })| FunctionDefinition { key, definition };
        self.0.into_iter().map(definition).collect()
    }
}

/// Sorts `keys` by their position in `scopes`, then by name.
pub(super) fn displayed(keys: BTreeSet<FunctionKey>, scopes: &[FunctionScope]) -> Vec<FunctionKey> {
    let mut keys: Vec<_> = keys.into_iter().collect();
    let rank = |key: &FunctionKey| scopes.iter().position(|scope| *scope == key.scope);
    keys.sort_by(|one, other| (rank(one), &one.name).cmp(&(rank(other), &other.name)));
    keys
}

/// True if `text` contains `name(` as a separate word.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let inside = |character: char| character.is_alphanumeric() || character == '_';
        !text[..at].ends_with(inside) && text[at + name.len()..].starts_with('(')
    })
}

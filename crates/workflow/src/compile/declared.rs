//! The functions that a workflow declares, and those that its steps refer to.

use std::collections::{BTreeMap, BTreeSet};

use super::function::{FunctionDefinition, FunctionKey, FunctionName, FunctionScope};
use crate::name::LoopId;
use crate::source::strict::{Function, FunctionReference};
use crate::source::{ProblemCode, Problems};

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

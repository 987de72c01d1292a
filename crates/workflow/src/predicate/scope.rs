//! What predicates and prompts are asked about: what a run was told, and the variables of its loops.

use serde_json::{Map, Value};

/// The context of a run, and over it the variables of the loops that it is in.
#[derive(Clone, Debug)]
pub struct PredicateScope<'a> {
    context: &'a Map<String, Value>,
    /// Variables of loops, those of inner loops last.
    variables: Vec<(String, Value)>,
}

impl<'a> PredicateScope<'a> {
    /// A scope outside of loops.
    pub const fn new(context: &'a Map<String, Value>) -> Self {
        Self { context, variables: Vec::new() }
    }

    /// The scope with one more variable, which hides others of its name.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.variables.push((name.to_owned(), value));
        self
    }

    /// The value at `path`: the variable of that very name or, at a path such as `plan.files.0`, what stands
    /// there inside of one.
    pub fn get(&self, path: &str) -> Option<&Value> {
        if let Some(value) = self.variable(path) {
            return Some(value);
        }
        let mut parts = path.split('.');
        let mut value = self.variable(parts.next()?)?;
        for part in parts {
            value = match value {
                Value::Object(entries) => entries.get(part)?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    fn variable(&self, name: &str) -> Option<&Value> {
        let own = self.variables.iter().rev().find(|(own, _)| own == name);
        own.map(|(_, value)| value).or_else(|| self.context.get(name))
    }
}

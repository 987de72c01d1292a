//! The values that predicates and prompts refer to: the context of a run and the variables of its loops.

use serde_json::{Map, Value};

/// The context of a run, overlaid with the variables of the loops that it is in.
#[derive(Clone, Debug)]
pub struct PredicateScope<'a> {
    context: &'a Map<String, Value>,
    /// Variables of loops, those of inner loops last.
    variables: Vec<(String, Value)>,
}

impl<'a> PredicateScope<'a> {
    /// Creates a scope outside of loops.
    pub const fn new(context: &'a Map<String, Value>) -> Self {
        Self { context, variables: Vec::new() }
    }

    /// Returns the scope with one more variable, which hides others of its name.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.variables.push((name.to_owned(), value));
        self
    }

    /// Returns the value at `path`: the variable of exactly that name or, for a path such as `plan.files.0`,
    /// the value at that place inside a variable.
    pub fn get(&self, path: &str) -> Option<&Value> {
        // A key of the context may itself contain dots, and then it wins over the path.
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
        // Inner loops come last, so the search from the end finds the innermost variable.
        let own = self.variables.iter().rev().find(|(own, _)| own == name);
        own.map(|(_, value)| value).or_else(|| self.context.get(name))
    }
}

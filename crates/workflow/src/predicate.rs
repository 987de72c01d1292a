//! Conditions on the context of a run, for steps, loops, fragments and rules.
//!
//! A [`Predicate`] is typed data, read when a workflow is compiled. It is evaluated in a [`PredicateScope`]:
//! the context of the run, overlaid with the variables of the loops that the run is in.
//!
//! Equality is lenient, because agents write `"5"` for 5 and `"Yes"` for true: texts are compared without
//! case and outer spaces, a text that reads as a number equals that number, and `true`, `yes` and `1` equal
//! true as `false`, `no` and `0` equal false. Only numbers are ordered.
//!
//! *Invariants*: pure and total. A predicate has an answer in any scope, and an absent variable is the same
//! as a null one.

use std::fmt::{self, Formatter};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::contract::criteria::Pattern;

piton_core::closed_set! {
    /// How a variable is compared with a value. The names are those of the file.
    pub enum Comparison {
        /// They are equal, leniently.
        Equals => "equals",
        /// They are not.
        NotEquals => "not_equals",
        /// Both are numbers, and the variable is larger.
        Gt => "gt",
        /// Both are numbers, and the variable is not smaller.
        Gte => "gte",
        /// Both are numbers, and the variable is smaller.
        Lt => "lt",
        /// Both are numbers, and the variable is not larger.
        Lte => "lte",
        /// The variable is a text or a list that holds the value.
        Contains => "contains",
        /// The value is a list that holds the variable.
        In => "in",
        /// Both are texts, and the variable begins with the value.
        StartsWith => "startsWith",
        /// Both are texts, and the variable ends with the value.
        EndsWith => "endsWith",
    }
}

/// What must hold of what a run was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Predicate {
    /// A variable is there and does not say no.
    Set {
        /// The variable.
        variable: String,
    },
    /// A variable compares with a value in a certain way.
    Compare {
        /// The variable.
        variable: String,
        /// The way.
        operator: Comparison,
        /// The value.
        operand: Value,
    },
    /// A variable is a text that matches a pattern somewhere.
    Matches {
        /// The variable.
        variable: String,
        /// The pattern.
        pattern: Pattern,
    },
    /// All of several hold. Of none, all do.
    All {
        /// Which.
        of: Vec<Predicate>,
    },
    /// At least one of several holds.
    Any {
        /// Which.
        of: Vec<Predicate>,
    },
    /// Another one does not hold.
    Not {
        /// Which.
        of: Box<Predicate>,
    },
}

impl Predicate {
    /// Returns the conjunction of the two; an absent one always holds.
    pub(crate) fn both(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(Self::All { of: vec![one, other] }),
            (one, other) => one.or(other),
        }
    }
}

impl Predicate {
    /// True if it holds in `scope`.
    pub fn holds(&self, scope: &PredicateScope<'_>) -> bool {
        // An absent variable is the same as null, so every predicate has an answer.
        let value = |variable: &str| scope.get(variable).unwrap_or(&Value::Null);
        match self {
            Self::Set { variable } => is_yes(value(variable)),
            Self::Compare { variable, operator, operand } => {
                compare(*operator, value(variable), operand)
            }
            Self::Matches { variable, pattern } => {
                value(variable).as_str().is_some_and(|text| pattern.is_match(text))
            }
            Self::All { of } => of.iter().all(|part| part.holds(scope)),
            Self::Any { of } => of.iter().any(|part| part.holds(scope)),
            Self::Not { of } => !of.holds(scope),
        }
    }
}

fn compare(operator: Comparison, value: &Value, operand: &Value) -> bool {
    match operator {
        Comparison::Equals => equal(value, operand),
        Comparison::NotEquals => !equal(value, operand),
        Comparison::Gt => ordered(value, operand, |value, operand| value > operand),
        Comparison::Gte => ordered(value, operand, |value, operand| value >= operand),
        Comparison::Lt => ordered(value, operand, |value, operand| value < operand),
        Comparison::Lte => ordered(value, operand, |value, operand| value <= operand),
        Comparison::Contains => match value {
            Value::Array(items) => items.iter().any(|item| equal(item, operand)),
            _ => texts(value, operand, |value, operand| value.contains(operand)),
        },
        Comparison::In => match operand {
            Value::Array(items) => items.iter().any(|item| equal(value, item)),
            _ => false,
        },
        Comparison::StartsWith => {
            texts(value, operand, |value, operand| value.starts_with(operand))
        }
        Comparison::EndsWith => texts(value, operand, |value, operand| value.ends_with(operand)),
    }
}

fn ordered(value: &Value, operand: &Value, holds: impl Fn(f64, f64) -> bool) -> bool {
    value.as_f64().zip(operand.as_f64()).is_some_and(|(value, operand)| holds(value, operand))
}

fn texts(value: &Value, operand: &Value, holds: impl Fn(&str, &str) -> bool) -> bool {
    let texts = value.as_str().zip(operand.as_str());
    texts.is_some_and(|(value, operand)| holds(&plain(value), &plain(operand)))
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => plain(one) == plain(other),
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(text), Value::Number(number))
        | (Value::Number(number), Value::String(text)) => {
            text.trim().parse().ok().is_some_and(|read: f64| number.as_f64() == Some(read))
        }
        // A boolean equals whatever reads as that boolean.
        (Value::Bool(truth), other) | (other, Value::Bool(truth)) => {
            reads_as(other) == Some(*truth)
        }
        (one, other) => one == other,
    }
}

/// Returns the truth value that a value stands for, if any.
fn reads_as(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Value::String(text) => match plain(text).as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// True if a value is present and does not mean no.
fn is_yes(value: &Value) -> bool {
    let blank = match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    };
    !blank && reads_as(value) != Some(false)
}

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

impl fmt::Display for Predicate {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { variable } => write!(formatter, "`{variable}` is set"),
            Self::Compare { variable, operator, operand } => {
                write!(formatter, "`{variable}` {} {operand}", operator.describe())
            }
            Self::Matches { variable, pattern } => {
                write!(formatter, "`{variable}` matches {}", pattern.as_str())
            }
            Self::All { of } if of.is_empty() => formatter.write_str("always"),
            Self::All { of } => joined(of, " and ", formatter),
            Self::Any { of } => joined(of, " or ", formatter),
            Self::Not { of } => write!(formatter, "not ({of})"),
        }
    }
}

fn joined(of: &[Predicate], word: &str, formatter: &mut Formatter<'_>) -> fmt::Result {
    for (index, part) in of.iter().enumerate() {
        if index > 0 {
            formatter.write_str(word)?;
        }
        match part {
            Predicate::All { of } | Predicate::Any { of } if of.len() > 1 => {
                write!(formatter, "({part})")?;
            }
            _ => write!(formatter, "{part}")?,
        }
    }
    Ok(())
}

impl Comparison {
    const fn describe(self) -> &'static str {
        match self {
            Self::Equals => "is",
            Self::NotEquals => "is not",
            Self::Gt => "is above",
            Self::Gte => "is at least",
            Self::Lt => "is below",
            Self::Lte => "is at most",
            Self::Contains => "contains",
            Self::In => "is one of",
            Self::StartsWith => "begins with",
            Self::EndsWith => "ends with",
        }
    }
}

//! Evaluation of predicates.
//!
//! Equality is lenient, because agents write `"5"` for 5 and `"Yes"` for true: texts are compared without
//! case and outer spaces, a text that reads as a number equals that number, and `true`, `yes` and `1` equal
//! true as `false`, `no` and `0` equal false. Only numbers are ordered.

use serde_json::Value;

use super::data::{Comparison, Predicate};
use super::scope::PredicateScope;

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

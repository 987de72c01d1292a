//! Conditions on the context of a run: `{"var": …, "equals": …}`, joined by `and`, `or` and `not`.
//!
//! Several operators in one object must all hold. An object without any tests whether the variable is set,
//! and an empty one always holds.

use piton_core::BoundedText;
use piton_core::canonical::encode;
use serde_json::Value;

use super::Name;
use crate::bounds::{OPERAND_BYTES_MAX, PREDICATE_DEPTH_MAX, PREDICATE_PARTS_MAX, RULE_BYTES_MAX};
use crate::predicate::{Comparison, Predicate};
use crate::source::problem::{FILL_OR_REMOVE, ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, wrong_type};
use crate::source::{Pointer, criteria};

impl FromSource for Predicate {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        read(value, at, 0, problems)
    }
}

fn read(value: &Value, at: &Pointer, depth: usize, problems: &mut Problems) -> Option<Predicate> {
    if depth > PREDICATE_DEPTH_MAX {
        let reason = format!("conditions lie deeper than {PREDICATE_DEPTH_MAX} inside each other");
        problems.report(at, ProblemCode::TooDeep, reason, "join them to fewer");
        return None;
    }
    let mut object = ObjectReader::open(value, at, problems)?;
    let mut parts = Vec::new();
    for name in ["and", "or"] {
        let Some(listed) = object.raw(name) else {
            continue;
        };
        let of = list(listed, &at.field(name), depth + 1, object.problems);
        let join = |of| if name == "and" { Predicate::All { of } } else { Predicate::Any { of } };
        parts.push(of.map(join));
    }
    if let Some(inner) = object.raw("not") {
        let inner = read(inner, &at.field("not"), depth + 1, object.problems);
        parts.push(inner.map(|of| Predicate::Not { of: Box::new(of) }));
    }
    comparisons(&mut object, &mut parts);
    object.finish();
    // A part that could not be read makes the whole unreadable: leaving it out would weaken the condition.
    let mut of = parts.into_iter().collect::<Option<Vec<_>>>()?;
    Some(if of.len() == 1 { of.remove(0) } else { Predicate::All { of } })
}

fn list(
    value: &Value,
    at: &Pointer,
    depth: usize,
    problems: &mut Problems,
) -> Option<Vec<Predicate>> {
    let Value::Array(items) = value else {
        wrong_type(value, at, "a list of conditions", problems);
        return None;
    };
    if items.is_empty() {
        problems.report(at, ProblemCode::Empty, "there is no condition", FILL_OR_REMOVE);
    }
    if items.len() > PREDICATE_PARTS_MAX {
        let reason =
            format!("there are {} conditions, {PREDICATE_PARTS_MAX} are allowed", items.len());
        problems.report(at, ProblemCode::TooMany, reason, "join some of them");
    }
    let items = items.iter().take(PREDICATE_PARTS_MAX).enumerate();
    let read: Vec<_> =
        items.map(|(index, item)| read(item, &at.item(index), depth, problems)).collect();
    read.into_iter().collect()
}

/// Reads the comparisons that the object makes with its variable.
fn comparisons(object: &mut ObjectReader<'_, '_>, parts: &mut Vec<Option<Predicate>>) {
    // Asked separately, because a variable that could not be read is still named.
    let named = object.has("var");
    let variable = object.optional::<Name>("var").map(BoundedText::into_string);
    let mut asked = false;
    for (&operator, &name) in Comparison::ALL.iter().zip(Comparison::NAMES) {
        let Some(operand) = object.raw(name) else {
            continue;
        };
        asked = true;
        let operand = self::operand(operator, operand, &object.at(name), object.problems);
        let compare = |(variable, operand)| Predicate::Compare { variable, operator, operand };
        parts.push(variable.clone().zip(operand).map(compare));
    }
    if let Some(pattern) = object.optional::<BoundedText<RULE_BYTES_MAX>>("matches") {
        asked = true;
        let pattern = criteria::pattern(pattern.as_str(), &object.at("matches"), object.problems);
        let matches = |(variable, pattern)| Predicate::Matches { variable, pattern };
        parts.push(variable.clone().zip(pattern).map(matches));
    } else {
        // A pattern that could not be read was still a question, so the variable is not taken as merely set.
        asked |= object.has("matches");
    }
    match (named, asked) {
        (false, true) => object.missing("var"),
        (true, false) => parts.push(variable.map(|variable| Predicate::Set { variable })),
        _ => {}
    }
}

/// Reads the value that a variable is compared with, in its one canonical form.
fn operand(
    operator: Comparison,
    value: &Value,
    at: &Pointer,
    problems: &mut Problems,
) -> Option<Value> {
    let wanted = match (operator, value) {
        (Comparison::Gt | Comparison::Gte | Comparison::Lt | Comparison::Lte, value)
            if !value.is_number() =>
        {
            Some("a number")
        }
        (Comparison::In, value) if !value.is_array() => Some("a list"),
        (Comparison::StartsWith | Comparison::EndsWith, value) if !value.is_string() => {
            Some("a text")
        }
        _ => None,
    };
    if let Some(wanted) = wanted {
        wrong_type(value, at, wanted, problems);
        return None;
    }
    match encode(value) {
        Err(error) => {
            let fix = "write a smaller number, or a text";
            problems.report(at, ProblemCode::OutOfRange, error.to_string(), fix);
            None
        }
        Ok(bytes) if bytes.len() > OPERAND_BYTES_MAX => {
            let reason =
                format!("the value has {} bytes, {OPERAND_BYTES_MAX} are allowed", bytes.len());
            problems.report(at, ProblemCode::TooLong, reason, "compare with a shorter value");
            None
        }
        // Reading the canonical form back gives equal operands equal bytes, and so equal workflow hashes.
        Ok(bytes) => Some(serde_json::from_str(bytes.as_str()).expect("canonical JSON reads back")),
    }
}

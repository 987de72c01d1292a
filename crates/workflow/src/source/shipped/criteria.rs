//! Validation criteria: rules over the notes, joined by `and`, `or` and `not`, each with an optional
//! condition.

use piton_core::BoundedText;
use serde_json::Value;

use crate::bounds::{RULE_BYTES_MAX, RULE_DEPTH_MAX, RULES_MAX};
use crate::contract::criteria::Criterion;
use crate::source::Pointer;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{ObjectReader, text, wrong_type};
use crate::source::shared_messages::CONTRACT_INSTEAD;
use crate::source::strict::{length, regex};

type RuleText = BoundedText<RULE_BYTES_MAX>;

/// Reads the rules of a step: one, or a list of rules that must all hold.
pub(super) fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Vec<Criterion> {
    match value {
        Value::Array(rules) => list(rules, at, 0, problems),
        rule => one(rule, at, 0, problems).into_iter().collect(),
    }
}

fn list(rules: &[Value], at: &Pointer, depth: usize, problems: &mut Problems) -> Vec<Criterion> {
    problems.check_rules(at, rules.len());
    let read = |(index, rule)| one(rule, &at.item(index), depth, problems);
    rules.iter().take(RULES_MAX).enumerate().filter_map(read).collect()
}

fn one(value: &Value, at: &Pointer, depth: usize, problems: &mut Problems) -> Option<Criterion> {
    if depth > RULE_DEPTH_MAX {
        let reason = format!("rules lie deeper than {RULE_DEPTH_MAX} inside each other");
        problems.report(at, ProblemCode::TooDeep, reason, "join them to fewer");
        return None;
    }
    let mut object = ObjectReader::open(value, at, problems)?;
    // A rule with a type is a leaf; all others join rules.
    if object.has("type") {
        return leaf(object, problems);
    }
    let mut joined = Vec::new();
    for name in ["and", "or"] {
        let at = object.at(name);
        match object.raw(name) {
            None => {}
            Some(Value::Array(rules)) => {
                let rules = list(rules, &at, depth + 1, problems);
                let is_and = name == "and";
                joined.push(if is_and {
                    Criterion::And { rules }
                } else {
                    Criterion::Or { rules }
                });
            }
            Some(other) => wrong_type(other, &at, "a list of rules", problems),
        }
    }
    if let Some(rule) = object.raw("not") {
        let rule = one(rule, &object.at("not"), depth + 1, problems);
        joined.extend(rule.map(|rule| Criterion::Not { rule: Box::new(rule) }));
    }
    // The fields are checked, not the results: a join that could not be read was already reported.
    let empty = ["and", "or", "not"].iter().all(|name| !object.has(name));
    if empty {
        object.missing("type", problems);
    }
    object.finish(problems);
    match joined.len() {
        0 => None,
        1 => joined.pop(),
        _ => Some(Criterion::And { rules: joined }),
    }
}

/// Reads a rule that is not made of rules.
fn leaf(mut object: ObjectReader<'_>, problems: &mut Problems) -> Option<Criterion> {
    let kind = text(object.raw("type")?, &object.at("type"), problems)?;
    let message = object.required::<RuleText>("message", problems).map(BoundedText::into_string);
    let condition = object.optional("condition", problems);
    let rule = match kind {
        "contains" => {
            let value = object.required::<RuleText>("value", problems);
            value.map(|value| Criterion::Contains { value: value.into_string(), message })
        }
        "regex" => {
            let pattern = object.required::<RuleText>("pattern", problems);
            let flags = flags(&mut object, problems);
            let at = object.at("pattern");
            let pattern = pattern.zip(flags).map(|(pattern, flags)| flags + pattern.as_str());
            pattern.and_then(|pattern| regex(&pattern, message, &at, problems))
        }
        "length" => length(&mut object, message, problems),
        "schema" => {
            let reason = "notes are not checked against a schema";
            let at = object.at("type");
            problems.report(&at, ProblemCode::InlineSchema, reason, CONTRACT_INSTEAD);
            return None;
        }
        other => {
            let reason = format!("`{other}` is not a rule; there are contains, regex and length");
            let fix = "use one of these, or join rules with `and`, `or` and `not`";
            problems.report(&object.at("type"), ProblemCode::UnknownName, reason, fix);
            return None;
        }
    };
    object.finish(problems);
    match condition {
        Some(condition) => rule.map(|rule| Criterion::When { condition, rule: Box::new(rule) }),
        None => rule,
    }
}

/// Reads the flags of a pattern, in the form that precedes it. Flags that only matter for several matches are
/// left out, and so is `u`: patterns always read Unicode.
fn flags(object: &mut ObjectReader<'_>, problems: &mut Problems) -> Option<String> {
    let Some(value) = object.raw("flags") else {
        return Some(String::new());
    };
    let flags = text(value, &object.at("flags"), problems)?;
    if let Some(unknown) = flags.chars().find(|flag| !"dgimsu".contains(*flag)) {
        let reason = format!("`{unknown}` is not a flag of patterns");
        let fix = "use `i`, `m` and `s`";
        problems.report(&object.at("flags"), ProblemCode::UnsupportedPattern, reason, fix);
        return None;
    }
    let kept: String = "ims".chars().filter(|flag| flags.contains(*flag)).collect();
    Some(if kept.is_empty() { kept } else { format!("(?{kept})") })
}

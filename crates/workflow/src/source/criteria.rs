//! Validation criteria: rules over the notes of a step.
//!
//! Both dialects have `contains`, `regex`, `length` and `and`. The classic one also joins rules with `or` and
//! `not`, gives patterns flags and rules a condition, and requires a message with every rule.

use piton_core::BoundedText;
use serde_json::Value;

use super::detect::Dialect;
use super::problem::{CONTRACT_INSTEAD, Pointer, ProblemCode, Problems};
use super::read::{ObjectReader, Whole, wrong_type};
use crate::bounds::{RULE_BYTES_MAX, RULE_DEPTH_MAX, RULE_LENGTH_MAX, RULES_MAX};
use crate::contract::criteria::{Criterion, Pattern};

type RuleText = BoundedText<RULE_BYTES_MAX>;

/// Reads the field `validationCriteria` of a step: one rule, or a list of rules that must all hold.
pub(super) fn read(object: &mut ObjectReader<'_, '_>, dialect: Dialect) -> Vec<Criterion> {
    let at = object.at("validationCriteria");
    let Some(value) = object.raw("validationCriteria") else {
        return Vec::new();
    };
    let mut rules = Rules { dialect, problems: object.problems };
    match value {
        Value::Array(list) => rules.all(list, &at, 0),
        rule => rules.one(rule, &at, 0).into_iter().collect(),
    }
}

struct Rules<'p> {
    dialect: Dialect,
    problems: &'p mut Problems,
}

impl Rules<'_> {
    fn all(&mut self, rules: &[Value], at: &Pointer, depth: usize) -> Vec<Criterion> {
        self.problems.check_rules(at, rules.len());
        let rules = rules.iter().take(RULES_MAX).enumerate();
        rules.filter_map(|(index, rule)| self.one(rule, &at.item(index), depth)).collect()
    }

    fn one(&mut self, value: &Value, at: &Pointer, depth: usize) -> Option<Criterion> {
        if depth > RULE_DEPTH_MAX {
            let reason = format!("rules lie deeper than {RULE_DEPTH_MAX} inside each other");
            self.problems.report(at, ProblemCode::TooDeep, reason, "join them to fewer");
            return None;
        }
        let dialect = self.dialect;
        let mut object = ObjectReader::open(value, at, self.problems)?;
        // A rule with a type is a leaf; all others join rules.
        let joins: &[&'static str] = match dialect {
            Dialect::Strict => &["and"],
            Dialect::Classic => &["and", "or", "not"],
        };
        let is_leaf = object.has("type") || !joins.iter().any(|name| object.has(name));
        if is_leaf {
            return leaf(object, dialect);
        }
        let parts =
            joins.iter().filter_map(|name| Some((*name, object.at(name), object.raw(name)?)));
        let parts: Vec<_> = parts.collect();
        object.finish();
        let mut joined = Vec::new();
        for (name, at, value) in parts {
            match (name, value) {
                ("not", rule) => {
                    let rule = self.one(rule, &at, depth + 1);
                    joined.extend(rule.map(|rule| Criterion::Not { rule: Box::new(rule) }));
                }
                ("and", Value::Array(rules)) => {
                    joined.push(Criterion::And { rules: self.all(rules, &at, depth + 1) });
                }
                (_, Value::Array(rules)) => {
                    joined.push(Criterion::Or { rules: self.all(rules, &at, depth + 1) });
                }
                (_, other) => wrong_type(other, &at, "a list of rules", self.problems),
            }
        }
        match joined.len() {
            0 => None,
            1 => joined.pop(),
            _ => Some(Criterion::And { rules: joined }),
        }
    }
}

/// Reads a rule that is not made of rules.
fn leaf(mut object: ObjectReader<'_, '_>, dialect: Dialect) -> Option<Criterion> {
    let kind = object.required_text("type")?;
    let classic = dialect == Dialect::Classic;
    let message = if classic {
        object.required::<RuleText>("message")
    } else {
        object.optional::<RuleText>("message")
    };
    let message = message.map(BoundedText::into_string);
    let condition = if classic { object.optional("condition") } else { None };
    let rule = match kind {
        "contains" => {
            let value = object.required::<RuleText>("value");
            value.map(|value| Criterion::Contains { value: value.into_string(), message })
        }
        "regex" => {
            let text = object.required::<RuleText>("pattern");
            let flags = if classic { flags(&mut object) } else { Some(String::new()) };
            let at = object.at("pattern");
            let text = text.zip(flags).map(|(text, flags)| flags + text.as_str());
            let pattern = text.and_then(|text| pattern(&text, &at, object.problems));
            pattern.map(|pattern| Criterion::Regex { pattern, message })
        }
        "length" => length(&mut object, message),
        "schema" if classic => {
            let reason = "notes are not checked against a schema";
            object.report("type", ProblemCode::InlineSchema, reason, CONTRACT_INSTEAD);
            return None;
        }
        other => {
            let joins = if classic { "`and`, `or` and `not`" } else { "`and`" };
            let reason = format!("`{other}` is not a rule; there are contains, regex and length");
            let fix = format!("use one of these, or join rules with {joins}");
            object.report("type", ProblemCode::UnknownName, reason, fix);
            return None;
        }
    };
    object.finish();
    match condition {
        Some(condition) => rule.map(|rule| Criterion::When { condition, rule: Box::new(rule) }),
        None => rule,
    }
}

/// Reads the flags of a pattern, in the form that precedes it. Flags that only matter for several matches are
/// left out, and so is `u`: patterns always read Unicode.
fn flags(object: &mut ObjectReader<'_, '_>) -> Option<String> {
    if object.raw("flags").is_none() {
        return Some(String::new());
    }
    let flags = object.required_text("flags")?;
    if let Some(unknown) = flags.chars().find(|flag| !"dgimsu".contains(*flag)) {
        let reason = format!("`{unknown}` is not a flag of patterns");
        object.report("flags", ProblemCode::UnsupportedPattern, reason, "use `i`, `m` and `s`");
        return None;
    }
    let kept: String = "ims".chars().filter(|flag| flags.contains(*flag)).collect();
    Some(if kept.is_empty() { kept } else { format!("(?{kept})") })
}

/// Compiles a pattern, or reports why it is not supported.
pub(super) fn pattern(text: &str, at: &Pointer, problems: &mut Problems) -> Option<Pattern> {
    match Pattern::new(text) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let reason = error.to_string();
            // The message of the parser quotes the pattern over several lines; only its last line is the
            // reason.
            let reason = reason.lines().last().unwrap_or_default().trim();
            let fix =
                "write it without look-around and back-references, and with smaller repetitions";
            problems.report(at, ProblemCode::UnsupportedPattern, reason, fix);
            None
        }
    }
}

fn length(object: &mut ObjectReader<'_, '_>, message: Option<String>) -> Option<Criterion> {
    let mut limit = |name| object.optional::<Whole<0, RULE_LENGTH_MAX>>(name).map(|limit| limit.0);
    match (limit("min"), limit("max")) {
        (None, None) => {
            // A limit that is present but wrong was already reported when it was read.
            if !object.has("min") && !object.has("max") {
                object.missing("min");
            }
            None
        }
        (Some(least), Some(most)) if least > most => {
            let reason = format!("no text has at least {least} and at most {most} characters");
            let fix = "make `min` the smaller number";
            object.report("min", ProblemCode::OutOfRange, reason, fix);
            None
        }
        (min, max) => Some(Criterion::Length { min, max, message }),
    }
}

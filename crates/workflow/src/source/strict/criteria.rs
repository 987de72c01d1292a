//! Validation criteria of the strict dialect.

use piton_core::BoundedText;
use serde_json::Value;

use crate::bounds::{RULE_BYTES_MAX, RULE_DEPTH_MAX, RULE_LENGTH_MAX, RULES_MAX};
use crate::contract::criteria::{Criterion, Pattern};
use crate::source::Pointer;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{ObjectReader, Whole, text, wrong_type};

type RuleText = BoundedText<RULE_BYTES_MAX>;

/// Reads the rules of a step: one, or a list of rules that must all hold.
pub(super) fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Vec<Criterion> {
    match value {
        Value::Array(rules) => read_all(rules, at, 0, problems),
        rule => read_one(rule, at, 0, problems).into_iter().collect(),
    }
}

fn read_all(
    rules: &[Value],
    at: &Pointer,
    depth: usize,
    problems: &mut Problems,
) -> Vec<Criterion> {
    problems.check_rules(at, rules.len());
    let read = |(index, rule)| read_one(rule, &at.item(index), depth, problems);
    rules.iter().take(RULES_MAX).enumerate().filter_map(read).collect()
}

fn read_one(
    value: &Value,
    at: &Pointer,
    depth: usize,
    problems: &mut Problems,
) -> Option<Criterion> {
    let mut object = ObjectReader::open(value, at, problems)?;
    if let Some(rules) = object.raw("and") {
        let at = object.at("and");
        object.finish(problems);
        if depth == RULE_DEPTH_MAX {
            let reason = format!("`and` rules lie deeper than {RULE_DEPTH_MAX} inside each other");
            problems.report(&at, ProblemCode::TooDeep, reason, "join them to one list");
            return None;
        }
        let Value::Array(rules) = rules else {
            wrong_type(rules, &at, "a list of rules", problems);
            return None;
        };
        return Some(Criterion::And { rules: read_all(rules, &at, depth + 1, problems) });
    }
    let Some(kind) = object.raw("type") else {
        object.missing("type", problems);
        return None;
    };
    let message = object.optional::<RuleText>("message", problems).map(BoundedText::into_string);
    let rule = match text(kind, &object.at("type"), problems)? {
        "contains" => {
            let value = object.required::<RuleText>("value", problems);
            value.map(|value| Criterion::Contains { value: value.into_string(), message })
        }
        "regex" => {
            let pattern = object.required::<RuleText>("pattern", problems);
            let at = object.at("pattern");
            pattern.and_then(|pattern| regex(pattern.as_str(), message, &at, problems))
        }
        "length" => length(&mut object, message, problems),
        other => {
            let reason =
                format!("`{other}` is not a rule; there are contains, regex, length and `and`");
            let fix = "use one of these rules";
            problems.report(&object.at("type"), ProblemCode::UnknownName, reason, fix);
            return None;
        }
    };
    object.finish(problems);
    rule
}

pub(crate) fn regex(
    pattern: &str,
    message: Option<String>,
    at: &Pointer,
    problems: &mut Problems,
) -> Option<Criterion> {
    let pattern = self::pattern(pattern, at, problems)?;
    Some(Criterion::Regex { pattern, message })
}

pub(crate) fn pattern(text: &str, at: &Pointer, problems: &mut Problems) -> Option<Pattern> {
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

pub(crate) fn length(
    object: &mut ObjectReader<'_>,
    message: Option<String>,
    problems: &mut Problems,
) -> Option<Criterion> {
    let mut limit = |name| {
        let limit: Option<Whole<0, RULE_LENGTH_MAX>> = object.optional(name, problems);
        limit.map(|limit| limit.0)
    };
    let (min, max) = (limit("min"), limit("max"));
    match (min, max) {
        (None, None) => {
            // A limit that is present but wrong was already reported when it was read.
            if object.raw("min").is_none() && object.raw("max").is_none() {
                object.missing("min", problems);
            }
            None
        }
        (Some(least), Some(most)) if least > most => {
            let reason = format!("no text has at least {least} and at most {most} characters");
            let fix = "make `min` the smaller number";
            problems.report(&object.at("min"), ProblemCode::OutOfRange, reason, fix);
            None
        }
        _ => Some(Criterion::Length { min, max, message }),
    }
}

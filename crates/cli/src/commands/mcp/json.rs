//! Changes one member of an object in a JSON text and leaves the rest as its author wrote it.
//!
//! Comments and trailing commas are allowed, as editors allow them in their configuration.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

/// Line, counted from 1, at which a text stops being JSON that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson {
    pub(super) line: usize,
}

/// JSON with comments and trailing commas, and with nothing else that JSON5 allows.
const FORM: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns the value of `key` in the object `section` of a text, if there is one.
pub(super) fn get(text: &str, section: &str, key: &str) -> Result<Option<Value>, NotJson> {
    let (_, root) = parse(text)?;
    let found = root.object_value(section).and_then(|section| section.get(key));
    Ok(found.and_then(|member| member.to_serde_value()))
}

/// Returns the text with `key` in the object `section` set to `value`.
pub(super) fn set(text: &str, section: &str, key: &str, value: &Value) -> Result<String, NotJson> {
    let (document, root) = parse(text)?;
    // A section that is no object is the author's mistake to correct, not ours to overwrite.
    let servers = root.object_value_or_create(section).ok_or(NotJson { line: 1 })?;
    match servers.get(key) {
        Some(member) if member.to_serde_value().as_ref() == Some(value) => {}
        Some(member) => member.set_value(input(value)),
        None => drop(servers.append(key, input(value))),
    }
    Ok(document.to_string())
}

/// Returns the text without `key` in the object `section`, or nothing if it is not there.
pub(super) fn remove(text: &str, section: &str, key: &str) -> Result<Option<String>, NotJson> {
    let (document, root) = parse(text)?;
    let Some(member) = root.object_value(section).and_then(|section| section.get(key)) else {
        return Ok(None);
    };
    member.remove();
    Ok(Some(document.to_string()))
}

/// Parses a text whose value is an object; a blank one counts as an empty object.
fn parse(text: &str) -> Result<(CstRootNode, CstObject), NotJson> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let document =
        CstRootNode::parse(text, &FORM).map_err(|error| NotJson { line: error.line_display() })?;
    let root = document.object_value().ok_or(NotJson { line: 1 })?;
    Ok((document, root))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value() -> Value {
        json!({ "command": "/bin/piton" })
    }

    #[test]
    fn everything_else_stays_as_it_was_written() {
        let cases = [
            (
                "",
                "{\n  \"servers\": {\n    \"piton\": {\n      \"command\": \"/bin/piton\"\n    }\n  }\n}\n",
            ),
            (
                "{ \"a\": [1,2 , {\"b\":\"}\\\"\"}] }",
                "{\n  \"a\": [1,2 , {\"b\":\"}\\\"\"}],\n  \"servers\": {\n    \"piton\": {\n      \"command\": \"/bin/piton\"\n    }\n  }\n}",
            ),
            (
                "// mine\n{\n  \"servers\": {\n    \"other\": {}, // last\n  },\n}\n",
                "// mine\n{\n  \"servers\": {\n    \"other\": {}, // last\n    \"piton\": {\n      \"command\": \"/bin/piton\",\n    },\n  },\n}\n",
            ),
            (
                "{\"servers\":{\"piton\":{\"old\":true},\"z\":1}}",
                "{\"servers\":{\"piton\":{\n      \"command\": \"/bin/piton\"\n    },\"z\":1}}",
            ),
        ];
        for (text, expected) in cases {
            let changed = set(text, "servers", "piton", &value()).unwrap();
            assert_eq!(changed, expected);
            // What is set is found, and setting it again changes nothing.
            assert!(get(&changed, "servers", "piton").unwrap().is_some(), "{changed}");
            assert_eq!(set(&changed, "servers", "piton", &value()).unwrap(), changed);
        }
    }

    #[test]
    fn what_was_added_can_be_taken_away() {
        let cases = [
            ("{\"servers\":{\"piton\":{}}}", Some("{\"servers\":{}}")),
            ("{\"servers\":{\"a\":1, \"piton\":{}}}", Some("{\"servers\":{\"a\":1}}")),
            ("{\"servers\":{\"piton\":{}, \"a\":1}}", Some("{\"servers\":{ \"a\":1}}")),
            ("{\"servers\":{}}", None),
            ("{}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(remove(text, "servers", "piton").unwrap().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn comments_stay_wherever_they_stand() {
        for text in [
            "{\"servers\": { /* mine */ }}",
            "{\"servers\": {\"a\": 1 /* mine */ }}",
            "{\"servers\": { /* mine */ \"piton\": {}}}",
            "{\"servers\": {\"piton\": {}, // mine\n\"a\": 1}}",
        ] {
            let changed = set(text, "servers", "piton", &value()).unwrap();
            assert!(changed.contains("mine"), "{changed}");
        }
        let commented = "{\"servers\": {\"piton\": {\"command\": \"/bin/piton\" /* mine */}}}";
        assert_eq!(get(commented, "servers", "piton").unwrap(), Some(value()));
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_line() {
        for (text, line) in
            [("[]", 1), ("{\n\"a\" 1}", 2), ("{\"a\":", 1), ("{\n\n\"a\": @}", 3), ("{\"a", 1)]
        {
            assert_eq!(set(text, "servers", "piton", &value()), Err(NotJson { line }), "{text}");
        }
    }
}

//! Changes one member of an object, or one item of a list, in a JSON text and leaves the rest as its author wrote it.
//!
//! Comments and trailing commas are allowed, as editors allow them in their configuration.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use crate::failure::Failure;

/// Line, counted from 1, at which a text stops being JSON that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson {
    pub(super) line: usize,
}

/// Returns the failure for a file that cannot be changed.
pub(super) fn refusal(file: &Path, wrong: NotJson) -> Failure {
    let what =
        format!("{}:{} is not JSON, and the file was left as it is.", file.display(), wrong.line);
    Failure::refused(what, "Fix the line, and run the command again.")
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

/// A list of texts, by the name of the object that holds it, if any, and by its own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListPath {
    pub(super) section: Option<&'static str>,
    pub(super) key: &'static str,
}

/// True if the list of a text has `item`.
pub(super) fn has_item(text: &str, path: ListPath, item: &str) -> Result<bool, NotJson> {
    let (_, root) = parse(text)?;
    Ok(list(&root, path).is_some_and(|(_, list)| position(&list, item).is_some()))
}

/// Returns the text with `item` in the list.
pub(super) fn add_item(text: &str, path: ListPath, item: &str) -> Result<String, NotJson> {
    let (document, root) = parse(text)?;
    // A section or a list of another kind is the author's mistake to correct, not ours to overwrite.
    let wrong = NotJson { line: 1 };
    let holder = match path.section {
        Some(section) => root.object_value_or_create(section).ok_or(wrong)?,
        None => root,
    };
    let list = holder.array_value_or_create(path.key).ok_or(wrong)?;
    if position(&list, item).is_none() {
        list.append(CstInputValue::String(item.to_owned()));
    }
    Ok(document.to_string())
}

/// Returns the text without `item` in the list, or nothing if it is not there. A list and a section that this empties
/// are removed too: an empty list may mean something else than none.
pub(super) fn remove_item(
    text: &str,
    path: ListPath,
    item: &str,
) -> Result<Option<String>, NotJson> {
    let (document, root) = parse(text)?;
    let Some((holder, list)) = list(&root, path) else { return Ok(None) };
    let Some(found) = position(&list, item) else { return Ok(None) };
    found.remove();
    if list.elements().is_empty() {
        holder.get(path.key).expect("the list was found in it").remove();
        let section = path.section.filter(|_| holder.properties().is_empty());
        if let Some(member) = section.and_then(|section| root.get(section)) {
            member.remove();
        }
    }
    Ok(Some(document.to_string()))
}

/// Returns a list, and the object that holds it.
fn list(root: &CstObject, path: ListPath) -> Option<(CstObject, CstArray)> {
    let holder = match path.section {
        Some(section) => root.object_value(section)?,
        None => root.clone(),
    };
    let list = holder.array_value(path.key)?;
    Some((holder, list))
}

fn position(list: &CstArray, item: &str) -> Option<CstNode> {
    let is_item = |node: &CstNode| node.to_serde_value().is_some_and(|value| value == item);
    list.elements().into_iter().find(is_item)
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

    const ALLOW: ListPath = ListPath { section: Some("permissions"), key: "allow" };

    #[test]
    fn an_item_is_added_once_and_taken_away_alone() {
        let meaning = |text: &str| parse(text).unwrap().1.to_serde_value();
        for (text, expected) in [
            ("{}", r#"{"permissions": {"allow": ["mine"]}}"#),
            (
                r#"{"permissions": {"allow": ["a"], "deny": []}}"#,
                r#"{"permissions": {"allow": ["a", "mine"], "deny": []}}"#,
            ),
            (
                "{\n  // own\n  \"permissions\": {\"deny\": [\"b\"]}\n}\n",
                r#"{"permissions": {"deny": ["b"], "allow": ["mine"]}}"#,
            ),
        ] {
            assert!(!has_item(text, ALLOW, "mine").unwrap());
            let added = add_item(text, ALLOW, "mine").unwrap();
            assert_eq!(meaning(&added), meaning(expected), "{added}");
            assert_eq!(added.contains("// own"), text.contains("// own"));
            assert!(has_item(&added, ALLOW, "mine").unwrap());
            assert_eq!(add_item(&added, ALLOW, "mine").unwrap(), added);
            let without = remove_item(&added, ALLOW, "mine").unwrap().unwrap();
            assert_eq!(meaning(&without), meaning(text), "{without}");
            assert_eq!(remove_item(&without, ALLOW, "mine").unwrap(), None);
        }
        let list = ListPath { section: None, key: "list" };
        assert_eq!(add_item("{\"list\":[]}", list, "a:*").unwrap(), "{\"list\":[\"a:*\"]}");
        for wrong in ["{\"permissions\": 1}", "{\"permissions\": {\"allow\": {}}}"] {
            assert_eq!(add_item(wrong, ALLOW, "mine"), Err(NotJson { line: 1 }), "{wrong}");
        }
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

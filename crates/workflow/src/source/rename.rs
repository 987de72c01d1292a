//! Renames workflow ids in the text of a file; everything else stays as its author wrote it, byte for byte.
//!
//! *Invariants*: only the file's own id and whole mentions in values change, never the name of a field. A
//! mention is whole if no character of an id is next to it: `wr.review` is not mentioned in `wr.review_deep`
//! or `wr.review.json`.
//!
//! *Limitations*: an id that is written with escapes (`\u0077r.review`) is not found.

use std::collections::BTreeMap;

/// Returns a workflow file under new ids: its own, and those that it mentions. `renames` maps old ids to new
/// ones; `own` is the new id of the file, if it changes.
pub fn rename_ids(text: &str, own: Option<&str>, renames: &BTreeMap<String, String>) -> String {
    let mut output = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut key = "";
    let mut rest = text;
    // Scans for string literals and brackets only. Parsing and writing the JSON again would lose the author's
    // layout.
    while let Some(at) = rest.find(['"', '{', '[', '}', ']']) {
        let (before, after) = rest.split_at(at);
        output.push_str(before);
        let mark = after.as_bytes()[0];
        if mark != b'"' {
            match mark {
                b'{' | b'[' => depth += 1,
                // The text may be broken JSON, which must not panic.
                _ => depth = depth.saturating_sub(1),
            }
            output.push(char::from(mark));
            rest = &after[1..];
            continue;
        }
        let literal = literal(after);
        let (inside, behind) = (&after[1..=literal], &after[1 + literal..]);
        // A literal followed by a colon is the name of a field.
        let is_key = behind.trim_start_matches('"').trim_start().starts_with(':');
        output.push('"');
        match own {
            _ if is_key => {
                output.push_str(inside);
                key = inside;
            }
            // Depth 1 is the object of the file itself; steps have ids, too.
            Some(own) if depth == 1 && key == "id" => output.push_str(own),
            _ => rename_mentions(inside, renames, &mut output),
        }
        rest = behind;
        // The closing quote. It is missing only in text that is not JSON.
        if let Some(end) = rest.strip_prefix('"') {
            output.push('"');
            rest = end;
        }
    }
    output.push_str(rest);
    output
}

/// Returns the number of bytes between the quote that `text` begins with and the one that ends the literal.
fn literal(text: &str) -> usize {
    let mut escaped = false;
    let ends = text[1..].bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    ends.unwrap_or(text.len() - 1)
}

fn rename_mentions(text: &str, renames: &BTreeMap<String, String>, output: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        // An escape is not part of an id, and neither is the character after its backslash.
        if let Some(escape) = rest.strip_prefix('\\') {
            let length = if escape.starts_with('u') { 6 } else { 2 };
            let end = rest.floor_char_boundary(length.min(rest.len()));
            output.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let word = rest.find(|one: char| !is_of_id(one)).unwrap_or(rest.len());
        if word == 0 {
            let end = rest.chars().next().map_or(rest.len(), char::len_utf8);
            output.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        // A full stop after an id ends a sentence.
        let id = rest[..word].trim_end_matches('.');
        output.push_str(renames.get(id).map_or(id, String::as_str));
        output.push_str(&rest[id.len()..word]);
        rest = &rest[word..];
    }
}

fn is_of_id(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn renames() -> BTreeMap<String, String> {
        [("wr.review", "user.review"), ("wr.plan-b", "user.plan-b")]
            .map(|(from, to)| (from.to_owned(), to.to_owned()))
            .into()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(rename_ids(text, Some("user.own"), &renames()), expected);
    }

    #[test]
    fn the_id_of_the_file_and_whole_mentions_change_and_nothing_else() {
        check(
            r#"{ "id" : "wr.own", "steps":[{"id":"review","workflowId":"wr.review"}] }"#,
            r#"{ "id" : "user.own", "steps":[{"id":"review","workflowId":"user.review"}] }"#,
        );
        check(
            r#"{"prompt":"Use `wr.review`, then\nwr.plan-b. Not wr.review_deep, wr.review.json or xwr.review."}"#,
            r#"{"prompt":"Use `user.review`, then\nuser.plan-b. Not wr.review_deep, wr.review.json or xwr.review."}"#,
        );
        // An escaped quote does not end a text, and a field keeps its name.
        check(
            r#"{"a":"say \"wr.review\" \\","wr.review":"x","b":["wr.review"],"c":{"id":"wr.own"}}"#,
            r#"{"a":"say \"user.review\" \\","wr.review":"x","b":["user.review"],"c":{"id":"wr.own"}}"#,
        );
        check(r#"{"c":"wr.contracts.review"}"#, r#"{"c":"wr.contracts.review"}"#);
        for broken in ["", "{", "\"", "{\"id", "{\"id\":\"", "\\", "\"\\"] {
            let _ = rename_ids(broken, Some("user.own"), &renames());
        }
    }

    /// Renames in the parsed value: an oracle that knows nothing about texts.
    fn by_value(value: &Value) -> Value {
        match value {
            Value::String(text) => json!(renames().get(text).unwrap_or(text)),
            Value::Array(items) => items.iter().map(by_value).collect(),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), by_value(value)));
                Value::Object(fields.collect())
            }
            other => other.clone(),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            Just("wr.review".to_owned()),
            Just("wr.plan-b".to_owned()),
            "[a-z\"\\\\{}\\[\\]:,\n\u{e9} ]{0,8}",
        ];
        let leaf =
            prop_oneof![text.clone().prop_map(Value::String), any::<i32>().prop_map(|n| json!(n))];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map(text.clone(), inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn renaming_the_text_equals_renaming_the_value(value in values(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let renamed = rename_ids(&text.unwrap(), None, &renames());
            prop_assert_eq!(serde_json::from_str::<Value>(&renamed).unwrap(), by_value(&value));
        }
    }
}

//! A tool call as a person types it: `read /docs/a.md limit=5`, or with JSON.

use piton_core::refuse_lost_numbers;
use piton_runtime::workspaces::{Tool, cards};
use serde_json::{Map, Value};

/// Parses a line into a tool and its arguments, or says what is wrong with it. An unknown tool is left to the
/// workspaces, which list the known ones.
pub(super) fn parse(line: &str) -> Result<(String, Value), String> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if rest.starts_with('{') {
        refuse_lost_numbers(rest).map_err(|lost| lost.to_string())?;
        let arguments: Map<String, Value> = serde_json::from_str(rest)
            .map_err(|error| format!("the arguments are no JSON object: {error}"))?;
        return Ok((name.to_owned(), Value::Object(arguments)));
    }
    let words = split_words(rest)?;
    let Ok(tool) = name.parse::<Tool>() else {
        return Ok((name.to_owned(), Value::Object(Map::new())));
    };
    let mut places = positions(tool).iter();
    let mut arguments = Map::new();
    for word in words {
        // `x=1` is a named argument only if the tool has an argument `x`; otherwise it is text, as in `edit /a x=1 y`.
        if let Some((key, value)) = word.split_once('=')
            && let Some(kind) = kind_of(tool, key)
        {
            let text = || Value::from(value);
            let value = if kind == "string" {
                text()
            } else {
                // A value that is neither a number nor a boolean is left to the tool to refuse.
                serde_json::from_str(value).unwrap_or_else(|_| text())
            };
            arguments.insert(key.to_owned(), value);
            continue;
        }
        let key = places.next().ok_or_else(|| {
            let usual = positions(tool).join(", ");
            format!(
                "`{word}` is one word too many: {tool} takes {usual}, then key=value; quote a text with spaces"
            )
        })?;
        arguments.insert((*key).to_owned(), Value::from(word));
    }
    Ok((name.to_owned(), Value::Object(arguments)))
}

/// Returns the arguments that may be typed without their names, in order.
const fn positions(tool: Tool) -> &'static [&'static str] {
    match tool {
        Tool::Ls | Tool::Read | Tool::Stat | Tool::Delete | Tool::Mkdir => &["path"],
        Tool::Write => &["path", "content"],
        Tool::Edit => &["path", "old_string", "new_string"],
        Tool::Glob | Tool::Grep => &["pattern", "path"],
        Tool::Copy | Tool::Move => &["from", "to"],
    }
}

/// Returns the type of an argument in the schema of its tool; `None` if the tool has no such argument.
fn kind_of(tool: Tool, name: &str) -> Option<String> {
    let card = cards(&[tool]).remove(0);
    let field = card.schema.get("properties")?.get(name)?;
    field.get("type")?.as_str().map(str::to_owned)
}

/// Splits a line into words. Quotes keep spaces; inside double quotes `\n`, `\t`, `\"` and `\\` have their JSON
/// meaning.
fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    // `None` between words; `Some` once a word has begun, so that `''` is an empty word and not nothing.
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let text = word.get_or_insert_default();
                quoted(letter, &mut letters, text)?;
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(
    quote: char,
    letters: &mut impl Iterator<Item = char>,
    text: &mut String,
) -> Result<(), String> {
    loop {
        match letters.next() {
            None => return Err(format!("a {quote} is not closed")),
            Some(letter) if letter == quote => return Ok(()),
            Some('\\') if quote == '"' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(letter @ ('"' | '\\')) => text.push(letter),
                other => {
                    return Err(format!("`\\{}` means nothing", other.unwrap_or_default()));
                }
            },
            Some(letter) => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_typed_by_position_by_name_or_as_json() {
        for (line, expected) in [
            ("ls", ("ls", json!({}))),
            ("grep pattern=5 limit=5", ("grep", json!({ "pattern": "5", "limit": 5 }))),
            (
                "read /a limit=5 numbers=true",
                ("read", json!({ "path": "/a", "limit": 5, "numbers": true })),
            ),
            ("write /a \"x\\ty\\n\"", ("write", json!({ "path": "/a", "content": "x\ty\n" }))),
            ("grep 'a b' /p", ("grep", json!({ "pattern": "a b", "path": "/p" }))),
            (
                "edit /a x=1 y",
                ("edit", json!({ "path": "/a", "old_string": "x=1", "new_string": "y" })),
            ),
            ("read {\"path\": \"/a\"}", ("read", json!({ "path": "/a" }))),
            ("fly /a", ("fly", json!({}))),
        ] {
            assert_eq!(parse(line).unwrap(), (expected.0.to_owned(), expected.1), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_no_call_says_why() {
        for (line, part) in [
            ("read /a /b", "one word too many"),
            ("read 'x", "is not closed"),
            ("read {\"path\"", "no JSON object"),
            ("write /a \"\\q\"", "means nothing"),
        ] {
            let told = parse(line).unwrap_err();
            assert!(told.contains(part), "{line}: {told}");
        }
    }

    #[test]
    fn what_is_typed_without_a_name_has_one() {
        for tool in Tool::ALL {
            for name in positions(*tool) {
                assert!(kind_of(*tool, name).is_some(), "{tool}: {name}");
            }
        }
    }
}

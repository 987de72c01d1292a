//! `piton workspace shell`: a person types tool calls, as in `read /docs/a.md limit=5` or with JSON, and reads the
//! replies that an agent would get.

use std::io;
use std::io::{BufRead as _, IsTerminal as _, Read as _};

use piton_core::refuse_lost_numbers;
use piton_mcp::failure_text;
use piton_runtime::CallBasis;
use piton_runtime::context::PERSON;
use piton_runtime::workspaces::{FileWorld, Tool, card};
use serde::Serialize;
use serde_json::{Map, Value};

use super::WorkspaceArguments;
use crate::app::{App, Outcome};
use crate::bounds::SHELL_BYTES_MAX;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::open::Open;
use crate::output;

const HELP: &str = "\
Type a tool and its arguments, in order, by name, or as JSON:
  ls /                       read /project/a.md limit=5
  grep TODO /project         write /scratch/note.txt \"one line\\n\"
  edit {\"path\": \"/scratch/note.txt\", \"old_string\": \"one\", \"new_string\": \"1\"}
map shows what an agent reads when it connects, tools the tools. exit leaves.";

/// Result of one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShellOutput {
    call: String,
    text: String,
    is_error: bool,
}

#[derive(Serialize)]
struct Transcript {
    calls: Vec<ShellOutput>,
}

pub(super) fn run(app: &App, chosen: &WorkspaceArguments) -> Outcome {
    let (open, world) = chosen.world(app)?;
    // Prompts and hints are for a person only: a script that pipes calls in gets nothing but the replies.
    let is_watched = io::stdin().is_terminal();
    if is_watched {
        output::warn("You are the agent now. `help` says how; exit or Ctrl-D leaves.");
    }
    let mut calls = Vec::new();
    let mut input = io::stdin().lock();
    loop {
        if is_watched {
            output::ask(">");
        }
        let mut line = String::new();
        // The limit holds for each line by itself, so that a long session is not cut off after its first megabyte.
        let mut limited = input.by_ref().take(SHELL_BYTES_MAX);
        let read = limited.read_line(&mut line).map_err(Failure::io("read what you typed"))?;
        // No bytes at all mean the end of the input; an empty line still has its line break.
        if read == 0 || matches!(line.trim(), "exit" | "quit") {
            break;
        }
        if read as u64 == SHELL_BYTES_MAX && !line.ends_with('\n') {
            // The rest of the line would be read as a line of its own, and half a line may be a valid call: end
            // instead.
            let what = format!("A line has more than {SHELL_BYTES_MAX} bytes, and was not called.");
            return Err(Failure::refused(what, "Write long contents in several calls."));
        }
        if !line.trim().is_empty() {
            // A failed call is a reply like any other, so the shell continues.
            let said = answer(&open, &world, line.trim());
            app.output.print(said.text.trim_end());
            calls.push(said);
        }
    }
    let has_failed = calls.iter().any(|call| call.is_error);
    app.output.reply("piton.workspace.shell/1", &Transcript { calls })?;
    // A person saw each error; a script needs the exit code.
    Ok(if has_failed && !is_watched { CommandEnding::Wanting } else { CommandEnding::Done })
}

fn answer(open: &Open, world: &FileWorld, line: &str) -> ShellOutput {
    let (text, is_error) = match line {
        "help" => (HELP.to_owned(), false),
        "map" => (world.map(), false),
        "tools" => {
            let names: Vec<&str> = world.tools().into_iter().map(Tool::as_str).collect();
            (names.join(" "), false)
        }
        line => match parse(line) {
            Err(why) => (format!("Not understood: {why}. `help` says how to type a call."), true),
            Ok((tool, arguments)) => {
                // No run is behind these calls: the change records name the person, and no step.
                let basis = CallBasis::default();
                match open.block_on(world.call(PERSON, &basis, &tool, arguments)) {
                    Ok(text) => (text, false),
                    Err(envelope) => (failure_text(&envelope), true),
                }
            }
        },
    };
    ShellOutput { call: line.to_owned(), text, is_error }
}

/// Parses a line into a tool and its arguments, or says what is wrong with it. An unknown tool is left to the
/// workspaces, which list the known ones.
fn parse(line: &str) -> Result<(String, Value), String> {
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
fn kind_of(tool: Tool, name: &str) -> Option<&'static str> {
    card(tool).field(name)?.get("type")?.as_str()
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

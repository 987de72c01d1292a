//! What a command prints: text for a person, or one JSON document for a program.
//!
//! *Invariants*: in JSON mode standard output holds exactly one document, also after a failure. A
//! reader that went away is not an error. Colour goes to terminals only, and not where `NO_COLOR` is set. What a person
//! reads has nothing in it that cannot be seen, whoever wrote it; a program gets the characters as they are.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write as _},
    path::Path,
};

use clap::CommandFactory as _;
use piton_core::{Envelope, shell_word};
use serde::Serialize;

use crate::{arguments::Arguments, failure::Failure, style::printable};

/// The shape of a failure in JSON.
const FAILURE_SCHEMA: &str = "piton.error/1";

/// Where a command speaks to.
pub(crate) struct Output {
    json: bool,
    /// The option that chose the data directory, as a person types it; the next command needs it again.
    data_dir: Option<String>,
}

#[derive(Serialize)]
struct Failed<'a> {
    error: &'a Envelope,
}

/// A reply with the name of its shape.
#[derive(Serialize)]
struct Document<'a, Body> {
    schema: &'a str,
    #[serde(flatten)]
    body: &'a Body,
}

impl Output {
    pub(crate) fn new(json: bool, data_dir: Option<&Path>) -> Self {
        let option = |dir: &Path| format!("--data-dir {}", shell_word(&dir.display().to_string()));
        Self { json, data_dir: data_dir.map(option) }
    }

    /// Whether a program reads.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A line for a person; a program gets its facts at the end.
    pub(crate) fn say(&self, line: impl fmt::Display) {
        if !self.json {
            let _ = writeln!(anstream::stdout(), "{}", printable(&line.to_string()));
        }
    }

    /// A line for a person that names commands to type next.
    pub(crate) fn advise(&self, line: impl fmt::Display) {
        if !self.json {
            self.say(self.complete(&line.to_string()));
        }
    }

    /// A text of ours whose commands work as they stand: each names the data directory that this one was given.
    pub(crate) fn complete<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.data_dir
            .as_ref()
            .map_or(Cow::Borrowed(text), |option| with_option(text, option).into())
    }

    /// Makes the commands of failures work as they stand.
    pub(crate) fn complete_all<'e>(&self, errors: impl IntoIterator<Item = &'e mut Envelope>) {
        for error in errors {
            error.suggestion = self.complete(&error.suggestion).into_owned();
        }
    }

    /// The facts for a program, in a shape that has a name; a person has read them already.
    pub(crate) fn reply(&self, schema: &str, body: &impl Serialize) -> Result<(), Failure> {
        self.document(&Document { schema, body })
    }

    /// The same, of facts that name their shape themselves.
    pub(crate) fn document(&self, facts: &impl Serialize) -> Result<(), Failure> {
        if self.json {
            let mut text = serde_json::to_vec_pretty(facts).map_err(io::Error::from);
            if let Ok(text) = &mut text {
                text.push(b'\n');
            }
            return text.map_err(Failure::io("print the document")).and_then(|text| bytes(&text));
        }
        Ok(())
    }

    /// What went wrong, then what to do.
    pub(crate) fn failure(&self, mut envelope: Envelope) {
        self.complete_all([&mut envelope]);
        if self.json {
            let _ = self.reply(FAILURE_SCHEMA, &Failed { error: &envelope });
        }
        warn(format_args!("{}\n{}", envelope.message, envelope.suggestion));
    }
}

/// A text with an option behind the name of the program, wherever a command of it begins.
fn with_option(text: &str, option: &str) -> String {
    const PROGRAM: &str = "piton";
    let commands = Arguments::command();
    let is_command = |rest: &str| {
        let ends = |letter: char| !letter.is_ascii_lowercase() && letter != '-';
        let word = rest.split(ends).next().unwrap_or_default();
        commands.get_subcommands().any(|command| command.get_name() == word)
    };
    let (mut completed, mut from) = (String::new(), 0);
    for (at, _) in text.match_indices(PROGRAM) {
        let (before, after) = (&text[..at], &text[at + PROGRAM.len()..]);
        let begins = before.is_empty() || before.ends_with([' ', '\n', '`', '/']);
        if begins && after.strip_prefix(' ').is_some_and(is_command) {
            let end = at + PROGRAM.len();
            completed.push_str(&text[from..end]);
            completed.push(' ');
            completed.push_str(option);
            from = end;
        }
    }
    completed + &text[from..]
}

/// Writes bytes to standard output as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(Failure::io("write to standard output")),
    }
}

/// One line of JSON, for programs that follow what happens.
pub(crate) fn line(facts: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec(facts).map_err(io::Error::from);
    if let Ok(text) = &mut text {
        text.push(b'\n');
    }
    bytes(&text.map_err(Failure::io("print the line"))?)
}

/// Replaces the last line on a terminal.
pub(crate) fn overwrite(line: impl fmt::Display) {
    let mut error = anstream::stderr();
    let _ = write!(error, "\r\x1b[K{}", printable(&line.to_string()));
    let _ = error.flush();
}

/// Something that a person should know, beside what the command prints.
pub(crate) fn warn(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{}", printable(&line.to_string()));
}

/// A question to a person, whose answer follows on the same line.
pub(crate) fn ask(question: impl fmt::Display) {
    let _ = write!(anstream::stderr(), "{} ", printable(&question.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_data_directory_that_the_one_before_was_given() {
        let output = Output::new(false, Some(Path::new("/tmp/a b")));
        let check = |text: &str, expected: &str| assert_eq!(output.complete(text), expected);
        check("Fix it: piton data repair", "Fix it: piton --data-dir '/tmp/a b' data repair");
        let piton = "piton --data-dir '/tmp/a b'";
        check(
            "Run `piton doctor`, or `piton session verify x`.",
            &format!("Run `{piton} doctor`, or `{piton} session verify x`."),
        );
        check("  claude  piton mcp", "  claude  piton --data-dir '/tmp/a b' mcp");
        for other in ["Use piton to find out.", "in .piton/workflows", "my-piton doctor", "piton"] {
            check(other, other);
        }
        assert_eq!(Output::new(false, None).complete("`piton doctor`"), "`piton doctor`");
    }
}

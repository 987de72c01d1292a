//! The output of a command: text for a person, or one JSON document for a program.
//!
//! *Invariants*: in JSON mode standard output holds exactly one document, also after a failure. A reader that went away
//! is not an error. Colour goes to terminals only, and not where `NO_COLOR` is set. Text for a person contains no
//! invisible characters, no matter who wrote it; a program gets the characters as they are.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write as _};
use std::sync::LazyLock;

use clap::ArgMatches;
use piton_core::{Envelope, visible};
use piton_runtime::text_diff::{DiffLine, DiffSign};
use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

use crate::app::Outcome;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::next_command::CarriedOptions;
use crate::style::{Tone, printable, styled};
use crate::table::{self, Cell};

/// Schema name of a failure in JSON.
const FAILURE_SCHEMA: &str = "piton.error/1";

/// The output of a command.
pub(crate) struct Output {
    json: bool,
    carried: Carried,
}

/// Options that a suggested command needs again, computed on first use.
type Carried = LazyLock<CarriedOptions, Box<dyn FnOnce() -> CarriedOptions + Send>>;

#[derive(Serialize)]
struct Failed<'a> {
    error: &'a Envelope,
}

/// A reply with the name of its schema.
#[derive(Serialize)]
struct Document<'a, Body> {
    schema: &'a str,
    #[serde(flatten)]
    body: &'a Body,
}

impl Output {
    pub(crate) fn new(json: bool, matches: ArgMatches) -> Self {
        // Only a command that prints a suggestion pays for building the whole command tree.
        let carried: Box<dyn FnOnce() -> _ + Send> =
            Box::new(move || CarriedOptions::new(&matches));
        Self { json, carried: LazyLock::new(carried) }
    }

    /// True if the output is for a program.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints formatted text for a person, so that `writeln!` works on the output. In JSON mode it prints nothing.
    pub(crate) fn write_fmt(&self, text: fmt::Arguments<'_>) {
        if !self.json {
            // A reader that went away is no reason to fail the command.
            let _ = write!(anstream::stdout(), "{}", printable(&text.to_string()));
        }
    }

    /// Prints a line for a person. In JSON mode it prints nothing: a program gets the facts at the end.
    pub(crate) fn print(&self, line: impl fmt::Display) {
        writeln!(self, "{line}");
    }

    /// Prints a line for a person that suggests commands.
    pub(crate) fn advise(&self, line: impl fmt::Display) {
        if !self.json {
            self.print(self.complete(&line.to_string()));
        }
    }

    /// Completes the commands of one of Piton's texts with the options of this call that they need again.
    pub(crate) fn complete<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.carried.complete(text)
    }

    /// Completes the commands in the suggestions of errors.
    pub(crate) fn complete_all<'e>(&self, errors: impl IntoIterator<Item = &'e mut Envelope>) {
        for error in errors {
            error.suggestion = self.complete(&error.suggestion).into_owned();
        }
    }

    /// Prints the facts for a program under a schema name. In text mode it prints nothing: the person has read them.
    pub(crate) fn reply(&self, schema: &str, body: &impl Serialize) -> Result<(), Failure> {
        // Serializes everything before the first byte is written, so that a failure leaves no half document.
        if self.json {
            print_json(serde_json::to_vec_pretty(&Document { schema, body }))
        } else {
            Ok(())
        }
    }

    /// Prints the facts as [`reply`](Self::reply) does, and ends the command.
    pub(crate) fn finish(&self, schema: &str, body: &impl Serialize) -> Outcome {
        self.reply(schema, body)?;
        Ok(CommandEnding::Done)
    }

    /// Prints the facts as [`reply`](Self::reply) does, and ends a command that checked something.
    pub(crate) fn verdict(&self, schema: &str, body: &impl Serialize, is_sound: bool) -> Outcome {
        self.reply(schema, body)?;
        Ok(if is_sound { CommandEnding::Done } else { CommandEnding::Damaged })
    }

    /// Prints a table for a person. On a terminal it is as wide as that at most; elsewhere nothing is cut.
    pub(crate) fn table<const N: usize>(&self, heads: [&str; N], rows: &[[Cell; N]]) {
        let width = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
        for line in table::lines(heads, rows, width) {
            self.print(line);
        }
    }

    /// Prints the number of things that are left out, if there are any.
    pub(crate) fn left_out(&self, count: usize, what: &str) {
        if count > 0 {
            writeln!(self, "{count} more {what} are left out.");
        }
    }

    /// Prints the lines of a diff.
    pub(crate) fn diff(&self, lines: &[DiffLine], left_out: usize, margin: &str) {
        for DiffLine { sign, text } in lines {
            let (mark, state) = match sign {
                DiffSign::Same => (" ", None),
                DiffSign::Removed => ("-", Some(Tone::Bad)),
                DiffSign::Added => ("+", Some(Tone::Good)),
                DiffSign::Gap => ("…", Some(Tone::Faint)),
            };
            let line = format!("{mark} {text}");
            match state {
                // `styled` escapes its text itself; a line without a colour is escaped here.
                Some(state) => {
                    writeln!(self, "{margin}{}", styled(state, line.trim_end()));
                }
                None => self.print(format_args!("{margin}{}", visible(&line))),
            }
        }
        if left_out > 0 {
            writeln!(self, "{margin}… and {left_out} more lines");
        }
    }

    /// Reports an error and its suggestion as the outcome of the command.
    pub(crate) fn failure(&self, mut envelope: Envelope) {
        self.complete_all([&mut envelope]);
        if self.json {
            let _ = self.reply(FAILURE_SCHEMA, &Failed { error: &envelope });
            // Standard error gets the text in either mode.
        }
        self.trouble(&envelope);
    }

    /// Warns about an error beside the outcome of the command, with its suggestion.
    pub(crate) fn trouble(&self, envelope: &Envelope) {
        warn(format_args!("{}\n{}", envelope.message, self.complete(&envelope.suggestion)));
    }
}

/// Writes bytes to standard output as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // `piton … | head` closes the pipe early, on purpose.
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(Failure::io("write to standard output")),
    }
}

/// Prints one line of JSON, for programs that follow events.
pub(crate) fn line(facts: &impl Serialize) -> Result<(), Failure> {
    print_json(serde_json::to_vec(facts))
}

fn print_json(document: serde_json::Result<Vec<u8>>) -> Result<(), Failure> {
    let document = document.map_err(io::Error::from);
    let mut text = document.map_err(Failure::io("print the document"))?;
    text.push(b'\n');
    bytes(&text)
}

/// Prints a message for a person to standard error, beside the output of the command.
pub(crate) fn warn(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{}", printable(&line.to_string()));
}

/// Prints a question for a person, who answers on the same line.
pub(crate) fn ask(question: impl fmt::Display) {
    let _ = write!(anstream::stderr(), "{} ", printable(&question.to_string()));
}

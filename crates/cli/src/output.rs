//! The output of a command: text for a person, or one JSON document for a program.
//!
//! *Invariants*: in JSON mode standard output holds exactly one document, also after a failure. A reader that went away
//! is not an error. Colour goes to terminals only, and not where `NO_COLOR` is set. Text for a person contains no
//! invisible characters, no matter who wrote it; a program gets the characters as they are.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write as _},
    sync::LazyLock,
};

use clap::ArgMatches;
use piton_core::Envelope;
use serde::Serialize;

use crate::{failure::Failure, next_command::CarriedOptions, style::printable};

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

    /// Prints a line for a person. In JSON mode it prints nothing: a program gets the facts at the end.
    pub(crate) fn print(&self, line: impl fmt::Display) {
        if !self.json {
            // A reader that went away is no reason to fail the command.
            let _ = writeln!(anstream::stdout(), "{}", printable(&line.to_string()));
        }
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
        self.document(&Document { schema, body })
    }

    /// Prints facts that name their schema themselves.
    pub(crate) fn document(&self, facts: &impl Serialize) -> Result<(), Failure> {
        if self.json {
            // Serializes everything before the first byte is written, so that a failure leaves no half document.
            let mut text = serde_json::to_vec_pretty(facts).map_err(io::Error::from);
            if let Ok(text) = &mut text {
                text.push(b'\n');
            }
            return text.map_err(Failure::io("print the document")).and_then(|text| bytes(&text));
        }
        Ok(())
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
    let mut text = serde_json::to_vec(facts).map_err(io::Error::from);
    if let Ok(text) = &mut text {
        text.push(b'\n');
    }
    bytes(&text.map_err(Failure::io("print the line"))?)
}

/// Prints a message for a person to standard error, beside the output of the command.
pub(crate) fn warn(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{}", printable(&line.to_string()));
}

/// Prints a question for a person, who answers on the same line.
pub(crate) fn ask(question: impl fmt::Display) {
    let _ = write!(anstream::stderr(), "{} ", printable(&question.to_string()));
}

//! What a command prints: text for a person, or one JSON document for a program.
//!
//! *Invariants*: in JSON mode standard output holds exactly one document, also after a failure. A
//! reader that went away is not an error. Colour goes to terminals only, and not where `NO_COLOR` is set. What a person
//! reads has nothing in it that cannot be seen, whoever wrote it; a program gets the characters as they are.

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

/// The shape of a failure in JSON.
const FAILURE_SCHEMA: &str = "piton.error/1";

/// Where a command speaks to.
pub(crate) struct Output {
    json: bool,
    carried: Carried,
}

/// The options that the next command needs again, found once they are asked for.
type Carried = LazyLock<CarriedOptions, Box<dyn FnOnce() -> CarriedOptions + Send>>;

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
    pub(crate) fn new(json: bool, matches: ArgMatches) -> Self {
        let carried: Box<dyn FnOnce() -> _ + Send> =
            Box::new(move || CarriedOptions::new(&matches));
        Self { json, carried: LazyLock::new(carried) }
    }

    /// Whether a program reads.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A line for a person; a program gets its facts at the end.
    pub(crate) fn print(&self, line: impl fmt::Display) {
        if !self.json {
            let _ = writeln!(anstream::stdout(), "{}", printable(&line.to_string()));
        }
    }

    /// A line for a person that names commands to type next.
    pub(crate) fn advise(&self, line: impl fmt::Display) {
        if !self.json {
            self.print(self.complete(&line.to_string()));
        }
    }

    /// A text of ours whose commands work as they stand: with the options of this call that they need again.
    pub(crate) fn complete<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.carried.complete(text)
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
        self.trouble(&envelope);
    }

    /// What went wrong beside what the command does, then what to do.
    pub(crate) fn trouble(&self, envelope: &Envelope) {
        warn(format_args!("{}\n{}", envelope.message, self.complete(&envelope.suggestion)));
    }
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

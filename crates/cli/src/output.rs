//! What a command prints: text for a person, or one JSON document for a program.
//!
//! *Invariants*: in JSON mode standard output holds exactly one document, also after a failure. A
//! reader that went away is not an error. Colour goes to terminals only, and not where `NO_COLOR` is set. What a person
//! reads has nothing in it that cannot be seen, whoever wrote it; a program gets the characters as they are.

use std::{
    fmt,
    io::{self, Write as _},
};

use piton_core::Envelope;
use serde::Serialize;

use crate::{failure::Failure, style::printable};

/// The shape of a failure in JSON.
const FAILURE_SCHEMA: &str = "piton.error/1";

/// Where a command speaks to.
pub(crate) struct Output {
    json: bool,
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
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
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
    pub(crate) fn failure(&self, envelope: &Envelope) {
        if self.json {
            let _ = self.reply(FAILURE_SCHEMA, &Failed { error: envelope });
        }
        warn(format_args!("{}\n{}", envelope.message, envelope.suggestion));
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

//! What a command prints: text for a person, or one JSON document for a program.
//!
//! *Invariants*: in JSON mode standard output holds exactly one document, also after a failure. A
//! reader that went away is not an error.
#![expect(clippy::print_stderr, reason = "failures are told to the person at the terminal")]

use std::{
    fmt,
    io::{self, Write as _},
};

use piton_core::Envelope;
use serde::Serialize;

use crate::failure::Failure;

/// The shape of a failure in JSON.
const FAILURE_SCHEMA: &str = "piton.error/1";

/// Where a command speaks to.
pub(crate) struct Output {
    json: bool,
}

#[derive(Serialize)]
struct Failed<'a> {
    schema: &'static str,
    error: &'a Envelope,
}

impl Output {
    pub(crate) fn text() -> Self {
        Self { json: false }
    }

    pub(crate) fn json() -> Self {
        Self { json: true }
    }

    /// A line for a person; a program gets its facts at the end.
    pub(crate) fn say(&self, line: impl fmt::Display) {
        if !self.json {
            let _ = writeln!(io::stdout(), "{line}");
        }
    }

    /// The facts for a program; a person has read them already.
    pub(crate) fn document(&self, facts: &impl Serialize) -> Result<(), Failure> {
        if self.json {
            let write = || -> io::Result<()> {
                let mut out = io::stdout().lock();
                serde_json::to_writer_pretty(&mut out, facts)?;
                writeln!(out)
            };
            return match write() {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                outcome => outcome.map_err(Failure::io("print the document")),
            };
        }
        Ok(())
    }

    /// What went wrong, then what to do.
    pub(crate) fn failure(&self, envelope: &Envelope) {
        if self.json {
            let _ = self.document(&Failed { schema: FAILURE_SCHEMA, error: envelope });
        }
        eprintln!("{}\n{}", envelope.message, envelope.suggestion);
    }
}

//! The findings of a check, and their presentation.

use serde::Serialize;

use crate::app::App;
use crate::failure::Failure;
use crate::style::{Tone, styled};

/// State of something that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Health {
    Good,
    Note,
    Bad,
}

/// A result of one check.
#[derive(Serialize)]
pub(crate) struct Finding {
    pub(super) what: &'static str,
    pub(crate) health: Health,
    pub(crate) found: String,
    /// The suggested remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Findings {
    pub(super) is_sound: bool,
    pub(super) findings: Vec<Finding>,
}

impl Finding {
    pub(super) fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Good, found: found.into(), next: None }
    }

    /// A finding about a number of things that are all intact.
    pub(super) fn whole(what: &'static str, found: &str) -> Self {
        Self::good(what, format!("{found}, every byte as it was written"))
    }

    pub(super) fn of(
        what: &'static str,
        health: Health,
        found: String,
        next: impl Into<String>,
    ) -> Self {
        Self { what, health, found, next: Some(next.into()) }
    }

    pub(super) fn bad(what: &'static str, failure: &Failure) -> Self {
        let envelope = failure.envelope();
        Self::of(what, Health::Bad, envelope.message, envelope.suggestion)
    }
}

impl Findings {
    /// Prints the findings for a person.
    pub(super) fn print(&self, app: &App) {
        let output = &app.output;
        let bad = self.findings.iter().filter(|finding| finding.health == Health::Bad).count();
        match bad {
            0 => output.print("Everything that Piton needs is in order."),
            1 => output.print("1 thing is not in order."),
            count => writeln!(output, "{count} things are not in order."),
        }
        for Finding { what, health, found, next } in &self.findings {
            let mark = match health {
                Health::Good => styled(Tone::Good, "✓"),
                Health::Note => styled(Tone::Attention, "·"),
                Health::Bad => styled(Tone::Bad, "✗"),
            };
            writeln!(
                output,
                "  {mark} {what:<14} {}",
                found.replace('\n', "\n                   ")
            );
            if let Some(next) = next {
                writeln!(output, "                   → {next}");
            }
        }
    }
}

//! The findings of a check.

use serde::Serialize;

use crate::failure::Failure;

/// State of something that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Health {
    Good,
    Note,
    Bad,
}

/// A result of one check.
#[derive(Serialize)]
pub(super) struct Finding {
    pub(super) what: &'static str,
    pub(super) health: Health,
    pub(super) found: String,
    /// The suggested remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
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
        let told = failure.envelope();
        Self::of(what, Health::Bad, told.message, told.suggestion)
    }
}

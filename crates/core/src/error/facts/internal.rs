//! Facts about errors of Piton itself.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const ERROR: CodeFacts = CodeFacts {
    domain: Domain::Internal,
    meaning: "The call met a fault in Piton itself; what was recorded before it stays recorded.",
    advice: "Find the run with `resume_session`, continue it from where it stands, and report the fault.",
    retry: Retry::NotRetryable,
};

//! Facts about errors in the input of callers.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const ERROR: CodeFacts = CodeFacts {
    domain: Domain::Validation,
    meaning: "The call carries something that is missing, malformed or not allowed.",
    advice: "Correct the input that the message names and call again.",
    retry: Retry::NotRetryable,
};

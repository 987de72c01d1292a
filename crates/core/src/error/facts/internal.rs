//! What is said about errors of Piton itself.

use super::Facts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const ERROR: Facts = Facts {
    domain: Domain::Internal,
    meaning: "The call met a fault in Piton itself; what was recorded before it stays recorded.",
    advice: "Ask where the run stands with continue_workflow and its stateToken, go on from there, and report the fault.",
    retry: Retry::NotRetryable,
};

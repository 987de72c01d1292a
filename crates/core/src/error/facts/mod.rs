//! What is said about each code, in a file for each domain.

use super::domain::Domain;
use super::retry::Retry;
use crate::bounds::LOCK_RETRY_AFTER_MS;

pub(super) mod backpack;
pub(super) mod bundle;
pub(super) mod context;
pub(super) mod flow;
pub(super) mod internal;
pub(super) mod keyring;
pub(super) mod model;
pub(super) mod session;
pub(super) mod store;
pub(super) mod token;
pub(super) mod validation;
pub(super) mod workspace;

/// What is said about a code.
#[derive(Clone, Copy)]
pub(super) struct CodeFacts {
    pub(super) domain: Domain,
    /// What happened, in one sentence.
    pub(super) meaning: &'static str,
    /// What to do next.
    pub(super) advice: &'static str,
    /// Whether trying again can help.
    pub(super) retry: Retry,
}

/// Another process is done in about a second.
const LOCK_RETRY: Retry = Retry::RetryableAfterMs { after_ms: LOCK_RETRY_AFTER_MS };

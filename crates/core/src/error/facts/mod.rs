//! Facts about each code, in one file per domain.

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

/// Facts about a code.
#[derive(Clone, Copy)]
pub(super) struct CodeFacts {
    pub(super) domain: Domain,
    /// Explanation of the failure, in one sentence.
    pub(super) meaning: &'static str,
    /// Next thing to do.
    pub(super) advice: &'static str,
    pub(super) retry: Retry,
}

/// Retry rule for locks: another process is usually done within a second.
const LOCK_RETRY: Retry = Retry::RetryableAfterMs { after_ms: LOCK_RETRY_AFTER_MS };

//! Facts about errors of the keys that sign tokens.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const CORRUPT: CodeFacts = CodeFacts {
    domain: Domain::Keyring,
    meaning: "The keyring is damaged, so tokens can be neither signed nor checked.",
    advice: "Make new keys with `piton keys repair`: it keeps the damaged file. Tokens of the old keys stop working; no run is lost, and resuming one gives new tokens.",
    retry: Retry::NotRetryable,
};

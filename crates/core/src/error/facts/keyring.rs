//! What is said about errors of the keys that sign tokens.

use super::Facts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const CORRUPT: Facts = Facts {
    domain: Domain::Keyring,
    meaning: "The keyring is damaged, so tokens can be neither signed nor checked.",
    advice: "Restore the keyring from a backup; without one, make new keys with `piton keys rotate` and resume each run to get new tokens.",
    retry: Retry::NotRetryable,
};

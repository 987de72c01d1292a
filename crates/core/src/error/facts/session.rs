//! Facts about errors of one session.

use super::{CodeFacts, LOCK_RETRY};
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const LOCKED: CodeFacts = CodeFacts {
    domain: Domain::Session,
    meaning: "Another process is writing to this session at the moment.",
    advice: "Retry in one second; if this persists, make sure that no other Piton process works on the same session.",
    retry: LOCK_RETRY,
};

pub(in crate::error) const NOT_HEALTHY: CodeFacts = CodeFacts {
    domain: Domain::Session,
    meaning: "The session's log failed validation, so nothing may be added to it.",
    advice: "Run `piton session verify SESSION` to see the damage, then `piton session repair SESSION`, which keeps what it takes away.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const POISONED: CodeFacts = CodeFacts {
    domain: Domain::Session,
    meaning: "A write to this session failed on the disk, so what the disk holds is not known and no process may write to it.",
    advice: "Check the disk, then run `piton session verify SESSION`: it reads the session again from the disk, and opens it for writing if it is whole.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Session,
    meaning: "There is no session with this id in the data directory.",
    advice: "List the sessions with `piton session list`, and check that `PITON_DATA_DIR` is the one you mean.",
    retry: Retry::NotRetryable,
};

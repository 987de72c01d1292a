//! Facts about errors of the storage of the data directory.

use super::{CodeFacts, LOCK_RETRY};
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const IO: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "The operating system reported an error while data was read or written.",
    advice: "Check that the data directory exists, is writable and its disk is healthy, then repeat the call.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const FULL: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "There is no room left on the disk or in the quota; nothing was recorded.",
    advice: "Free space on the disk of the data directory, then repeat the call.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const BUSY: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "Another process held shared data for longer than this call waits.",
    advice: "Repeat the call; if this persists, make sure that no other Piton process hangs.",
    retry: LOCK_RETRY,
};

pub(in crate::error) const CONFLICT: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "The data changed between reading and writing it, so nothing was written.",
    advice: "Read the current state and repeat the call on top of it.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const INVARIANT_VIOLATION: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "The stored data contradicts itself, or a write would make it do so.",
    advice: "Run `piton doctor` to see what is wrong: it names the command to use next. Each of them keeps what it takes away.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CORRUPT_BLOB: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "A stored blob does not have the digest that it is stored under.",
    advice: "Run `piton doctor`: it finds what the blob belongs to, and names the command that shows how to get it back. Nothing else is affected: Piton does not use a damaged blob.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const TABLE_DAMAGED: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "The file that holds context, Virtual Stores and records of file changes is damaged; sessions and backpacks do not need it.",
    advice: "See what is wrong with `piton data verify`, and fix it with `piton data repair`, which keeps the damaged file and everything in it that can still be read.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "Nothing is stored under this reference.",
    advice: "Check the reference; if it came from Piton, the data behind it has been deleted.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNSUPPORTED_VERSION: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "The data was written in a format version that this program does not know.",
    advice: "Upgrade Piton: use the version that wrote the data, or a newer one. Nothing was changed.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNSUPPORTED_FILESYSTEM: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "The file system of the data directory cannot lock files or confirm writes reliably.",
    advice: "Set `PITON_DATA_DIR` to a directory on a local disk.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const LIMIT_EXCEEDED: CodeFacts = CodeFacts {
    domain: Domain::Store,
    meaning: "A fixed limit of the store is reached, such as the size of one record.",
    advice: "Make the data smaller or split it over several calls.",
    retry: Retry::NotRetryable,
};

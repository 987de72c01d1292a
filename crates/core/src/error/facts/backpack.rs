//! Facts about errors of backpacks.

use super::{CodeFacts, LOCK_RETRY};
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const ACCESS_DENIED: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The node may not read or write this key; nothing changed, and the refusal is in the history.",
    advice: "Use the keys that the node declares, or add this one to its permissions in the flow.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const KEY_MISSING: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "Nothing is packed under a key that has to be there.",
    advice: "Pack the key in a node that runs before, or read it as an optional one.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const WRONG_TYPE: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The value under the key does not have the form that was asked for.",
    advice: "See who packed the key with `piton backpack blame BACKPACK KEY`, and read it in the form in which it was packed.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNAVAILABLE: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The value was too large to be kept in a history that is in memory only.",
    advice: "Attach a journal, which keeps large values, or raise the largest value that the history keeps.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNKNOWN_COMMIT: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The backpack has no such commit, or no commit by this node.",
    advice: "List the commits with `piton backpack log BACKPACK`, and copy the id whole.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const BEFORE_HISTORY: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The history in memory does not reach back so far, and there is no journal to read the rest from.",
    advice: "Use the oldest commit that the message names or a later one; a backpack with a journal reaches back to the first.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const LIMIT_EXCEEDED: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "A fixed limit of a backpack is reached, such as the number of its keys; nothing changed.",
    advice: "Delete keys that are no longer needed, or pack several values under one key.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const INVALID_FORMAT: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The text is not a backpack that Piton wrote; nothing was loaded.",
    advice: "Correct the place that the message names, or export the backpack again.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNSUPPORTED_VERSION: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The backpack has a version that this program does not know; nothing was loaded.",
    advice: "Use the version of Piton that wrote it, or a newer one.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const LOCKED: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "Another process is writing to this backpack; it can be read in the meantime.",
    advice: "Wait until the process that the message names is done, or end it, and repeat the call.",
    retry: LOCK_RETRY,
};

pub(in crate::error) const CLOSED: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "The backpack was closed by its owner, and what it held is on disk; nothing more happens to it.",
    advice: "Open the backpack again and go on from there.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "There is no backpack with this name in the data directory.",
    advice: "List the backpacks with `piton backpack list`, and check that `PITON_DATA_DIR` is the one you mean.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const DAMAGED: CodeFacts = CodeFacts {
    domain: Domain::Backpack,
    meaning: "What is stored of the backpack, or of one of its values, was changed or lost after it was written.",
    advice: "See what is wrong with `piton backpack verify BACKPACK`, and fix it with `piton backpack repair BACKPACK`, which keeps what it takes away. Whatever is not named as damaged works.",
    retry: Retry::NotRetryable,
};

//! Facts about errors of the tree and the frames of a project.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const NOT_SCANNED: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "The project directory has not been scanned, so nothing is known of its files.",
    advice: "Scan it with `piton context scan`, then repeat the call.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNREADABLE: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "The project directory itself cannot be read; nothing was recorded.",
    advice: "Check that the directory exists and that you may read it, then repeat the call.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NODE_NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "The tree has no file or directory with this path or id.",
    advice: "Check the path, and whether an ignore rule leaves the file out. A new file needs no scan: it is found as soon as it is there.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const ROOT_NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "No recorded tree has this digest, number or label.",
    advice: "List the recorded trees with `piton context history`, and name one of them.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const FRAME_NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "There is no frame with this id, or none of this type at this path.",
    advice: "List the frames that are there with `piton context list-frames PATH`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const AMBIGUOUS: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "The beginning of an id fits more than one.",
    advice: "Give more digits of the id, or name the file or directory by its path.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NODE_STALE: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "The file or directory has changed since the id was read; nothing was written.",
    advice: "Read the node again and write for its current id, or allow stale ids.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNKNOWN_AGENT: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "No agent of this name is configured.",
    advice: "Add the agent to `piton.toml`, or use the name of a configured one.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const FORBIDDEN: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "The role of the agent does not allow the call; nothing was written.",
    advice: "Use an agent whose role allows it, or give this one another role in `piton.toml`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const INCOMPLETE: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "What lies in the directory lacks the frames that the synthesis is made from; nothing was written.",
    advice: "Synthesise those directories first, or ask for a recursive synthesis.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const INTEGRITY: CodeFacts = CodeFacts {
    domain: Domain::Context,
    meaning: "Stored context was changed after it was written; it was not used.",
    advice: "See what is damaged with `piton context validate`, and fix it with `piton context repair`: it takes out exactly what is damaged, keeps it, and rebuilds the rest.",
    retry: Retry::NotRetryable,
};

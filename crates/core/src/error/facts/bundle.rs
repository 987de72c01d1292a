//! Facts about errors of imported bundles.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const INVALID_FORMAT: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "The file is not a bundle of a session that Piton exports; nothing was imported.",
    advice: "Export the session again with `piton session export SESSION FILE`, and import that file as it is: `piton session import FILE`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNSUPPORTED_VERSION: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "The bundle has a version that this program does not know; nothing was imported.",
    advice: "Import it with the version of Piton that exported it, or a newer one.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const INTEGRITY_FAILED: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "A part of the bundle was changed or removed after the export; nothing was imported.",
    advice: "Copy the bundle again from where it was exported; if it is still refused, export the session again.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const MISSING_SNAPSHOT: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "A snapshot that a run needs to go on is not in the bundle; nothing was imported.",
    advice: "Export the session again; a bundle holds every snapshot that its events name.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const MISSING_PINNED_WORKFLOW: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "A workflow that a run is pinned to is not in the bundle; nothing was imported.",
    advice: "Export the session again; a bundle holds every workflow that its runs are pinned to.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const EVENT_ORDER_INVALID: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "The events of the bundle are out of order, or one contradicts those before it; nothing was imported.",
    advice: "Check the session that it came from with `piton session verify SESSION`, and export it again: `piton session export SESSION FILE`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const MANIFEST_ORDER_INVALID: CodeFacts = CodeFacts {
    domain: Domain::Bundle,
    meaning: "The control records of the bundle are out of order, or do not fit its events; nothing was imported.",
    advice: "Check the session that it came from with `piton session verify SESSION`, and make a new bundle of it: `piton session export SESSION FILE`.",
    retry: Retry::NotRetryable,
};

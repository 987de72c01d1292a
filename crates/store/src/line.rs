//! One line of a stream: an event, or the flaw that keeps it from being one.

use serde::Deserialize;

use crate::{Event, Reason};

/// Reason that a record or an event cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineError {
    Corrupt(Reason),
    UnknownVersion(u64),
}

/// Reads an event. A line of another version is never guessed at, even if it happens to fit.
pub(crate) fn read_event<E: Event>(line: &[u8]) -> Result<E, LineError> {
    match serde_json::from_slice::<E>(line) {
        Ok(event) if event.version() == E::VERSION => Ok(event),
        Ok(event) => Err(LineError::UnknownVersion(event.version().into())),
        Err(_) => {
            Err(version_flaw(line, E::VERSION)
                .unwrap_or(LineError::Corrupt(Reason::EventUnreadable)))
        }
    }
}

/// Returns the flaw of a JSON object whose version `v` is not `known`, and `None` for any other text.
pub(crate) fn version_flaw(text: &[u8], known: u32) -> Option<LineError> {
    #[derive(Deserialize)]
    struct Versioned {
        v: u64,
    }
    let Versioned { v } = serde_json::from_slice(text).ok()?;
    (v != u64::from(known)).then_some(LineError::UnknownVersion(v))
}

//! The lines of a stream: events, or the flaws that keep them from being some.

use piton_core::EventIndex;
use serde::Deserialize;

use crate::{Event, Reason, StreamId};

/// Reason that a record or an event cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineError {
    Corrupt(Reason),
    UnknownVersion(u64),
}

/// Reads the events of a plan: one line each, following each other from `first` on.
pub(super) fn read_events<E: Event>(
    lines: &[u8],
    stream: &StreamId,
    first: EventIndex,
) -> Result<Vec<E>, LineError> {
    let mut events = Vec::new();
    let mut expected = first;
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        let event = read_event::<E>(line)?;
        if !event.belongs_to(stream) {
            return Err(LineError::Corrupt(Reason::ForeignStream));
        }
        if event.index() != expected || !line.ends_with(b"\n") {
            return Err(LineError::Corrupt(Reason::SegmentContents));
        }
        expected = expected.next();
        events.push(event);
    }
    Ok(events)
}

/// Reads an event. A line of another version is never guessed at, even if it happens to fit.
fn read_event<E: Event>(line: &[u8]) -> Result<E, LineError> {
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
pub(super) fn version_flaw(text: &[u8], known: u32) -> Option<LineError> {
    #[derive(Deserialize)]
    struct Versioned {
        v: u64,
    }
    let Versioned { v } = serde_json::from_slice(text).ok()?;
    (v != u64::from(known)).then_some(LineError::UnknownVersion(v))
}

//! Reading a stream, and the rule for doubts about its end.
//!
//! A reader without the stream's lock may run into a plan that is being written. So it never draws a conclusion from a
//! flaw: it reads again under the lock, and if a writer holds that, it uses what stands before the newest plan.
//!
//! A stream that was written to and whose control file is gone or empty is damaged. Its mark
//! ([`StreamDir::begun_mark`]) or its other files ([`Layout::shows_lost_plans`]) show that it was written to.

use std::io;
use std::time::Duration;

use super::layout::Layout;
use super::stream_dir::StreamDir;
use super::tail::{self, StreamHead, Tail, TailEnding, Tails};
use crate::port::{Cursor, Pins, SalvagedStream};
use crate::record::Record;
use crate::{Error, Event, Health, Reason, StreamId};

/// The events that were read, and how the reading ended.
pub(super) struct StreamReading<E> {
    pub(super) events: Vec<E>,
    pub(super) tail: Tail,
    pub(super) ending: TailEnding,
}

/// Reads a stream from `head` on.
pub(super) fn read<E: Event, L: Layout>(
    stream_dir: &StreamDir,
    head: StreamHead,
) -> Result<StreamReading<E>, Error> {
    let mut tail = Tail { head, ..Tail::default() };
    // Taken before the contents are read. If the file is replaced in between, the next look notices another
    // incarnation.
    let stat = stream_dir.control_stat()?;
    if let Some(stat) = stat {
        tail.head.incarnation = stat.incarnation;
    }
    let mut events = Vec::new();
    let ending = scan::<E, L>(stream_dir, &mut tail, &mut |event| events.push(event))?;
    Ok(StreamReading { events, tail, ending })
}

/// Reads everything behind the tail's head. If there is nothing at all, but there once was something, that is damage.
fn scan<E: Event, L: Layout>(
    stream_dir: &StreamDir,
    tail: &mut Tail,
    take: &mut dyn FnMut(E),
) -> Result<TailEnding, Error> {
    let ending = L::scan::<E>(stream_dir, tail, take)?;
    if tail.head.position == 0 && ending == TailEnding::Clean && was_written::<L>(stream_dir)? {
        // Still a doubt, hence `newest`: the first plan may have become durable since its control file was read.
        return Ok(TailEnding::Broken { health: CONTROL_MISSING, newest: true });
    }
    Ok(ending)
}

/// Health of a stream whose control file was lost.
const CONTROL_MISSING: Health = Health::CorruptHead { reason: Reason::ControlMissing };

/// True if anything but the control file shows that plans were acknowledged.
pub(super) fn was_written<L: Layout>(stream_dir: &StreamDir) -> Result<bool, Error> {
    let look =
        || -> io::Result<bool> { Ok(stream_dir.has_begun()? || L::shows_lost_plans(stream_dir)?) };
    look().map_err(Error::io("look at a stream"))
}

/// Reads a stream from `head` on, and resolves doubts about its end under the lock.
pub(super) fn resolve_tail<E: Event, L: Layout>(
    stream_dir: &StreamDir,
    head: StreamHead,
) -> Result<StreamReading<E>, Error> {
    let mut reading = read::<E, L>(stream_dir, head)?;
    if reading.ending == TailEnding::Clean {
        return Ok(reading);
    }
    // With the lock no writer is at work, so what the second reading finds is final.
    if let Some(_lock) = stream_dir.lock(false)? {
        return read::<E, L>(stream_dir, head);
    }
    // A writer has the lock. It can explain a flaw in the newest plan, but nothing that acknowledged plans follow.
    match reading.ending {
        TailEnding::Broken { newest: false, .. } => {}
        _ => reading.ending = TailEnding::Clean,
    }
    Ok(reading)
}

/// Moves a remembered tail over everything written since, by this process or another.
pub(super) fn catch_up<E: Event, L: Layout>(
    stream_dir: &StreamDir,
    tail: &mut Tail,
) -> Result<TailEnding, Error> {
    let stat = stream_dir.control_stat()?;
    if tail.head.is_replaced(stat.as_ref()) {
        *tail = Tail::default();
    }
    // At position 0 the scan runs even without a control file: it is what notices that one was lost.
    if tail.head.position > 0 && tail.head.is_current(stat.as_ref()) {
        return Ok(TailEnding::Clean);
    }
    if let Some(stat) = stat {
        tail.head.incarnation = stat.incarnation;
    }
    scan::<E, L>(stream_dir, tail, &mut |_| {})
}

/// Keeps what a full reading learned, unless more is known already.
pub(super) fn remember(tails: &Tails, stream: &StreamId, read: Tail) {
    let shared = tails.get(stream);
    let mut known = tail::lock(&shared);
    // A longer tail of the same file knows more. One of another file is out of date at any length.
    let same = known.head.incarnation == read.head.incarnation;
    if !same || known.head.position < read.head.position {
        *known = read;
    }
}

/// Reads the valid part of a stream, whatever its health.
pub(super) fn salvage<E: Event, L: Layout>(
    stream_dir: &StreamDir,
) -> Result<SalvagedStream<E>, Error> {
    let reading = resolve_tail::<E, L>(stream_dir, StreamHead::default())?;
    let (health, torn_tail) = reading.ending.into_health();
    if reading.events.is_empty() && health.is_healthy() && torn_tail.is_none() {
        return Err(Error::NotFound { stream: stream_dir.stream.clone() });
    }
    Ok(SalvagedStream { events: reading.events, health, torn_tail })
}

/// True if nothing was pinned since `cursor`. Costs one metadata lookup.
pub(super) fn has_no_new_pins(stream_dir: &StreamDir, cursor: &Cursor) -> bool {
    stream_dir.control_stat().is_ok_and(|stat| {
        stat.is_some_and(|stat| stat.incarnation == cursor.incarnation && stat.len == cursor.seen)
    })
}

/// Returns the snapshots pinned since `since`, each once, and a cursor for the next call.
pub(super) fn pins<E: Event, L: Layout>(
    stream_dir: &StreamDir,
    since: Option<&Cursor>,
) -> Result<Pins, Error> {
    let since = match since {
        Some(cursor)
            if StreamHead::from_cursor(cursor).is_replaced(stream_dir.control_stat()?.as_ref()) =>
        {
            None
        }
        since => since,
    };
    // Taken before the records are read, so that the cursor never claims to have seen more than was read.
    let stat = stream_dir.control_stat()?;
    let read = || {
        let (snapshots, head, ending) = L::pins::<E>(stream_dir, since)?;
        Ok(((snapshots, head), ending))
    };
    let (mut snapshots, mut head) = resolve_records(stream_dir, read)?;
    if stat.is_none_or(|stat| stat.len == 0) {
        // If the control file was lost, the stream's pins are unknown, and a sweep must not take that for "none".
        age::<L>(stream_dir).or_else(|error| match error {
            Error::NotFound { .. } => Ok(Duration::ZERO),
            error => Err(error),
        })?;
    }
    // If the file grew since, the next reading notices.
    head.incarnation = stat.map_or(0, |stat| stat.incarnation);
    let cursor = Cursor { seen: stat.map_or(0, |stat| stat.len), ..head.cursor() };
    let mut met = std::collections::HashSet::new();
    snapshots.retain(|snapshot| met.insert(*snapshot));
    Ok(Pins { snapshots, cursor })
}

/// Returns the control records, without those of a plan that is being written.
pub(super) fn records<E: Event, L: Layout>(stream_dir: &StreamDir) -> Result<Vec<Record>, Error> {
    age::<L>(stream_dir)?;
    resolve_records(stream_dir, || L::records::<E>(stream_dir))
}

/// Reads control records, and resolves doubts about their end by the same rule as [`resolve_tail`].
fn resolve_records<R>(
    stream_dir: &StreamDir,
    read: impl Fn() -> Result<(R, TailEnding), Error>,
) -> Result<R, Error> {
    let (mut found, mut ending) = read()?;
    if ending != TailEnding::Clean {
        match stream_dir.lock(false)? {
            Some(_lock) => (found, ending) = read()?,
            // A writer has the lock, which explains a flaw in the newest plan: what it is writing is left out.
            None if !matches!(ending, TailEnding::Broken { newest: false, .. }) => {
                return Ok(found);
            }
            None => {}
        }
    }
    ending.into_sound(&stream_dir.stream)?;
    Ok(found)
}

/// Returns the time since the stream was last written to. Costs one metadata lookup, unless the control file is lost.
pub(super) fn age<L: Layout>(stream_dir: &StreamDir) -> Result<Duration, Error> {
    let written = |stat: Option<crate::local::disk::Stat>| stat.filter(|stat| stat.len > 0);
    let stream = || stream_dir.stream.clone();
    match written(stream_dir.control_stat()?) {
        Some(stat) => Ok(stat.age),
        None if !was_written::<L>(stream_dir)? => Err(Error::NotFound { stream: stream() }),
        // The first plan may have become durable in between.
        None => match written(stream_dir.control_stat()?) {
            Some(stat) => Ok(stat.age),
            None => Err(Error::NotHealthy { stream: stream(), health: CONTROL_MISSING }),
        },
    }
}

//! The interface between a local journal and the file layout of its streams.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use piton_core::SnapshotRef;

use super::stream_dir::StreamDir;
use super::tail::{StreamHead, Tail, TailEnding};
use crate::plan::EncodedPlan;
use crate::port::Cursor;
use crate::record::Record;
use crate::{Error, Event};

/// The valid part of a control file after some of its records were rewritten.
pub(super) struct Restored {
    pub(super) control: Vec<u8>,
    pub(super) head: StreamHead,
    /// Number of plans whose records were rewritten.
    pub(super) rewritten: u64,
}

/// A file layout of streams. Everything else about a local journal is the same for all layouts.
pub(super) trait Layout: Send + Sync + 'static {
    /// Name of the file whose length decides what is part of the stream.
    const CONTROL: &'static str;

    /// Maximum number of waiting plans that one commit takes.
    const PLANS_PER_COMMIT: usize;

    /// Reads and checks everything behind the tail's head, and moves the head over it.
    fn scan<E: Event>(
        stream_dir: &StreamDir,
        tail: &mut Tail,
        take: &mut dyn FnMut(E),
    ) -> Result<TailEnding, Error>;

    /// Makes plans part of the stream, durably. The caller holds the stream's lock, and calls [`StreamDir::undo`] if
    /// this fails.
    fn commit(
        stream_dir: &StreamDir,
        head: StreamHead,
        plans: &[Arc<EncodedPlan>],
    ) -> Result<StreamHead, Error>;

    /// Leaves a note beside a stream of what just became part of it, in case its end goes missing. The caller holds the
    /// stream's lock. Nothing depends on the note.
    fn committed(_: &StreamDir, _: StreamHead) {}

    /// Makes the note of [`committed`](Self::committed) say that the stream ends at `head`, durably, before a repair
    /// makes it so. Returns the number of events that the stream had beyond that, as far as it is known.
    fn roll_back(_: &StreamDir, _: StreamHead) -> io::Result<u64> {
        Ok(0)
    }

    /// Returns the pinned snapshots, from control records alone, and the head to continue from next time.
    fn pins<E: Event>(
        stream_dir: &StreamDir,
        since: Option<&Cursor>,
    ) -> Result<(Vec<SnapshotRef>, StreamHead, TailEnding), Error>;

    /// Returns the control records; none if the layout has no such thing.
    fn records<E: Event>(stream_dir: &StreamDir) -> Result<(Vec<Record>, TailEnding), Error>;

    /// Returns a damaged control file with its damaged or missing records rewritten, as far as they follow from other
    /// files, and its end. `head` is the end of its valid part. Nothing on disk is changed.
    fn restore<E: Event>(
        _: &StreamDir,
        head: StreamHead,
        control: &[u8],
    ) -> Result<Restored, Error> {
        let valid =
            usize::try_from(head.position).map_or(control.len(), |at| at.min(control.len()));
        Ok(Restored { control: control[..valid].to_vec(), head, rewritten: 0 })
    }

    /// Returns the files of the stream, relative to it, that hold only data behind `head`, in order.
    fn files_behind(stream_dir: &StreamDir, head: StreamHead) -> io::Result<Vec<PathBuf>>;

    /// True if the names of files show that plans were acknowledged although the control file holds none.
    fn shows_lost_plans(stream_dir: &StreamDir) -> io::Result<bool>;

    /// Drops the stream's cached bytes.
    fn evict(stream_dir: &StreamDir) -> io::Result<()>;
}

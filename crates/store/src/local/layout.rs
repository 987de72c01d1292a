//! What a local journal needs to know of the way a stream is laid out in files.

use std::{io, path::PathBuf, sync::Arc};

use piton_core::SnapshotRef;

use super::{
    stream_dir::StreamDir,
    tail::{StreamHead, Tail, TailEnding},
};
use crate::{Error, Event, plan::EncodedPlan, port::Cursor, record::Record};

/// The valid part of a control file after records of it were written again.
pub(super) struct Restored {
    pub(super) control: Vec<u8>,
    pub(super) head: StreamHead,
    /// How many plans have their records written again.
    pub(super) rewritten: u64,
}

/// A way to lay out a stream. Everything else about a local journal is the same for all.
pub(super) trait Layout: Send + Sync + 'static {
    /// The file whose length decides what is part of the stream.
    const CONTROL: &'static str;

    /// How many waiting plans one commit takes.
    const PLANS_PER_COMMIT: usize;

    /// Reads and checks what lies behind the tail's head, and moves the head over it.
    fn scan<E: Event>(
        stream_dir: &StreamDir,
        tail: &mut Tail,
        take: &mut dyn FnMut(E),
    ) -> Result<TailEnding, Error>;

    /// Makes plans part of the stream, durably. The caller holds the stream's lock, and calls
    /// [`StreamDir::undo`] if this fails.
    fn commit(
        stream_dir: &StreamDir,
        head: StreamHead,
        plans: &[Arc<EncodedPlan>],
    ) -> Result<StreamHead, Error>;

    /// Notes beside a stream what was just made part of it, for the case that its end goes missing. The caller holds the
    /// stream's lock. Nothing depends on it.
    fn committed(_: &StreamDir, _: StreamHead) {}

    /// Makes what [`committed`](Self::committed) noted say that the stream ends at `head`, durably, before a repair makes
    /// it so. Returns how many events more it had, as far as that is known.
    fn roll_back(_: &StreamDir, _: StreamHead) -> io::Result<u64> {
        Ok(0)
    }

    /// The pinned snapshots, from control records alone, and where to go on next time.
    fn pins<E: Event>(
        stream_dir: &StreamDir,
        since: Option<&Cursor>,
    ) -> Result<(Vec<SnapshotRef>, StreamHead, TailEnding), Error>;

    /// The control records; none if the layout has no such thing.
    fn records<E: Event>(stream_dir: &StreamDir) -> Result<(Vec<Record>, TailEnding), Error>;

    /// A damaged control file in which records that are damaged or gone are written again, as far as they follow from
    /// other files, with where it ends. `head` is where its valid part ends. Nothing on disk is changed.
    fn restore<E: Event>(
        _: &StreamDir,
        head: StreamHead,
        control: &[u8],
    ) -> Result<Restored, Error> {
        let valid =
            usize::try_from(head.position).map_or(control.len(), |at| at.min(control.len()));
        Ok(Restored { control: control[..valid].to_vec(), head, rewritten: 0 })
    }

    /// Files of the stream, relative to it, that hold only what lies behind `head`, in order.
    fn files_behind(stream_dir: &StreamDir, head: StreamHead) -> io::Result<Vec<PathBuf>>;

    /// Whether the names of files show that plans were acknowledged, although the control file holds none.
    fn shows_lost_plans(stream_dir: &StreamDir) -> io::Result<bool>;

    /// Forgets the stream's cached bytes.
    fn evict(stream_dir: &StreamDir) -> io::Result<()>;
}

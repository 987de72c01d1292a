//! What a local journal needs to know of the way a stream is laid out in files.

use std::{io, path::PathBuf, sync::Arc};

use piton_core::SnapshotRef;

use super::{
    site::Site,
    tail::{Ending, Head, Tail},
};
use crate::{Error, Event, plan::EncodedPlan, port::Cursor, record::Record};

/// The valid part of a control file after records of it were written again.
pub(super) struct Restored {
    pub(super) control: Vec<u8>,
    pub(super) head: Head,
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
        site: &Site,
        tail: &mut Tail,
        take: &mut dyn FnMut(E),
    ) -> Result<Ending, Error>;

    /// Makes plans part of the stream, durably. The caller holds the stream's lock, and calls
    /// [`Site::undo`] if this fails.
    fn commit(site: &Site, head: Head, plans: &[Arc<EncodedPlan>]) -> Result<Head, Error>;

    /// Notes beside a stream what was just made part of it, for the case that its end goes missing. The caller holds the
    /// stream's lock. Nothing depends on it.
    fn committed(_: &Site, _: Head) {}

    /// Makes what [`committed`](Self::committed) noted say that the stream ends at `head`, durably, before a repair makes
    /// it so. Returns how many events more it had, as far as that is known.
    fn roll_back(_: &Site, _: Head) -> io::Result<u64> {
        Ok(0)
    }

    /// The pinned snapshots, from control records alone, and where to go on next time.
    fn pins<E: Event>(
        site: &Site,
        since: Option<&Cursor>,
    ) -> Result<(Vec<SnapshotRef>, Head, Ending), Error>;

    /// The control records; none if the layout has no such thing.
    fn records<E: Event>(site: &Site) -> Result<(Vec<Record>, Ending), Error>;

    /// A damaged control file in which damaged records are written again, as far as they follow from other files and
    /// what is left of them proves those files whole. It ends at `restored.head`.
    fn restore<E: Event>(_: &Site, head: Head, control: &[u8]) -> Result<Restored, Error> {
        let valid =
            usize::try_from(head.position).map_or(control.len(), |at| at.min(control.len()));
        Ok(Restored { control: control[..valid].to_vec(), head, rewritten: 0 })
    }

    /// Files of the stream, relative to it, that hold only what lies behind `head`, in order.
    fn files_behind(site: &Site, head: Head) -> io::Result<Vec<PathBuf>>;

    /// Whether the names of files show that plans were acknowledged, although the control file holds none.
    fn shows_lost_plans(site: &Site) -> io::Result<bool>;

    /// Forgets the stream's cached bytes.
    fn evict(site: &Site) -> io::Result<()>;
}

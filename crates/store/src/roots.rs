//! What keeps snapshots alive: the pins of every session, and what is set aside of sessions.

use std::collections::BTreeMap;

use piton_core::{Digest, SnapshotRef};

use crate::{
    Error, Event,
    port::{BoxFuture, JournalReader, Namespace, Roots, RootsCursor},
};

/// The pins of all streams of a journal, and every digest in what is set aside of them. Control records are read,
/// events never.
pub struct PinnedSnapshots<'a, E> {
    journal: &'a dyn JournalReader<E>,
}

impl<'a, E: Event> PinnedSnapshots<'a, E> {
    /// The pins of `journal`.
    pub fn new(journal: &'a dyn JournalReader<E>) -> Self {
        Self { journal }
    }

    async fn read(&self, since: Option<&RootsCursor>) -> Result<(Vec<Digest>, RootsCursor), Error> {
        let mut roots = Vec::new();
        let mut cursors = BTreeMap::new();
        for stream in self.journal.streams().await? {
            let since = since.and_then(|cursors| cursors.get(&stream));
            match self.journal.pins(&stream, since).await {
                Ok(pins) => {
                    roots.extend(
                        pins.snapshots.iter().map(|snapshot: &SnapshotRef| snapshot.digest()),
                    );
                    cursors.insert(stream, pins.cursor);
                }
                // Deleted since it was listed.
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if since.is_none() {
            // What repairs keep may be put back by hand. Nothing can come into it that was not marked before, unless it
            // is too young to be swept.
            roots.extend(self.journal.digests_set_aside().await?);
        }
        Ok((roots, cursors))
    }
}

impl<E: Event> Roots for PinnedSnapshots<'_, E> {
    fn namespace(&self) -> Namespace {
        Namespace::Snapshots
    }

    fn roots<'a>(
        &'a self,
        since: Option<&'a RootsCursor>,
    ) -> BoxFuture<'a, Result<(Vec<Digest>, RootsCursor), Error>> {
        Box::pin(self.read(since))
    }
}

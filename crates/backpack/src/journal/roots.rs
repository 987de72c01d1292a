//! What keeps the large values of backpacks alive: the events of every backpack, and what is set aside of them.

use std::collections::BTreeMap;

use piton_core::Digest;
use piton_store::port::{
    BlobNamespace, BoxFuture, Cursor, Follow, JournalReader, Roots, RootsCursor,
};
use piton_store::{Error, StreamId};

use super::event::BackpackEvent;

/// What the events of all backpacks refer to, and every digest in what is set aside of them.
///
/// If a backpack or something set aside cannot be read in full, every reading fails, so that nothing of the namespace is
/// swept.
pub struct BackpackRoots<'a> {
    journal: &'a dyn JournalReader<BackpackEvent>,
}

impl<'a> BackpackRoots<'a> {
    /// What keeps large values alive.
    pub fn new(journal: &'a dyn JournalReader<BackpackEvent>) -> Self {
        Self { journal }
    }

    async fn read(&self, since: Option<&RootsCursor>) -> Result<(Vec<Digest>, RootsCursor), Error> {
        let mut roots = Vec::new();
        let mut cursors = BTreeMap::new();
        for stream in self.journal.streams().await? {
            let known = since.and_then(|cursors| cursors.get(&stream));
            match self.events(&stream, known).await {
                Ok((events, cursor)) => {
                    roots.extend(events.iter().filter_map(BackpackEvent::blob));
                    cursors.insert(stream, cursor);
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

    /// The events of a backpack since `known`, or all of them.
    async fn events(
        &self,
        stream: &StreamId,
        known: Option<&Cursor>,
    ) -> Result<(Vec<BackpackEvent>, Cursor), Error> {
        if let Some(cursor) = known {
            match self.journal.follow(stream, cursor).await? {
                Follow::Unchanged => return Ok((Vec::new(), *cursor)),
                Follow::Appended { events, cursor } => return Ok((events, cursor)),
                Follow::Replaced => {}
            }
        }
        let loaded = self.journal.load(stream).await?;
        Ok((loaded.events, loaded.cursor))
    }
}

impl Roots for BackpackRoots<'_> {
    fn namespace(&self) -> BlobNamespace {
        BlobNamespace::Backpacks
    }

    fn roots<'a>(
        &'a self,
        since: Option<&'a RootsCursor>,
    ) -> BoxFuture<'a, Result<(Vec<Digest>, RootsCursor), Error>> {
        Box::pin(self.read(since))
    }
}

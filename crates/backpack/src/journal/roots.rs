//! The roots that keep large values of backpacks alive: the events of every backpack, and what was set aside of them.

use std::collections::BTreeMap;

use piton_core::Digest;
use piton_store::port::{
    BlobNamespace, BoxFuture, Cursor, Follow, JournalReader, Roots, RootsCursor,
};
use piton_store::{Error, StreamId};

use super::event::BackpackEvent;

/// The digests that the events of all backpacks refer to, and every digest in what was set aside.
///
/// The whole call fails if a backpack or something set aside cannot be read in full, so that nothing of the namespace
/// is swept.
pub struct BackpackRoots<'a> {
    journal: &'a dyn JournalReader<BackpackEvent>,
}

impl<'a> BackpackRoots<'a> {
    /// Creates the roots over a journal.
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
        // On a second pass only what was appended since the first can be new.
        if since.is_none() {
            // Files kept by repairs may be put back by hand. Everything in them was marked before, or is too young to
            // be swept.
            roots.extend(self.journal.digests_set_aside().await?);
        }
        Ok((roots, cursors))
    }

    /// Returns the events of a backpack since `known`, or all of them.
    async fn events(
        &self,
        stream: &StreamId,
        known: Option<&Cursor>,
    ) -> Result<(Vec<BackpackEvent>, Cursor), Error> {
        if let Some(cursor) = known {
            match self.journal.follow(stream, cursor).await? {
                Follow::Unchanged => return Ok((Vec::new(), *cursor)),
                Follow::Appended { events, cursor } => return Ok((events, cursor)),
                // The stream was rewritten, so the cursor means nothing any more: read it whole.
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

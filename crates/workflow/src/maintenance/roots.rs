//! The roots that keep the blobs of sessions alive: pins, events, and data that repairs set aside.

use std::collections::BTreeMap;

use piton_core::{Digest, WorkflowHash};
use piton_store::port::{
    BlobNamespace, BoxFuture, Cursor, Follow, JournalReader, Roots, RootsCursor,
};
use piton_store::{Error, PinnedSnapshots, StreamId};

use crate::bundle::Needed;
use crate::event::SessionEvent;

/// Returns the roots that keep the blobs of sessions alive, one owner for each of their namespaces.
pub fn session_owners<'a>(
    journal: &'a dyn JournalReader<SessionEvent>,
) -> [Box<dyn Roots + 'a>; 3] {
    [
        Box::new(PinnedSnapshots::new(journal)),
        Box::new(EventRoots::artifacts(journal)),
        Box::new(EventRoots::pinned_workflows(journal)),
    ]
}

/// The digests that the events of all sessions refer to in one namespace, and every digest in data that was set
/// aside.
///
/// If a session or anything set aside cannot be read in full, every reading fails, so that nothing in the namespace
/// is swept.
pub struct EventRoots<'a> {
    journal: &'a dyn JournalReader<SessionEvent>,
    namespace: BlobNamespace,
    pick: fn(Needed) -> Vec<Digest>,
}

impl<'a> EventRoots<'a> {
    /// Creates the roots of artifacts.
    pub fn artifacts(journal: &'a dyn JournalReader<SessionEvent>) -> Self {
        let pick = |needed: Needed| needed.artifacts.into_iter().collect();
        Self { journal, namespace: BlobNamespace::Artifacts, pick }
    }

    /// Creates the roots of pinned workflows.
    pub fn pinned_workflows(journal: &'a dyn JournalReader<SessionEvent>) -> Self {
        let pick =
            |needed: Needed| needed.workflows.into_iter().map(WorkflowHash::digest).collect();
        Self { journal, namespace: BlobNamespace::PinnedWorkflows, pick }
    }

    async fn read(&self, since: Option<&RootsCursor>) -> Result<(Vec<Digest>, RootsCursor), Error> {
        let mut roots = Vec::new();
        let mut cursors = BTreeMap::new();
        for stream in self.journal.streams().await? {
            let known = since.and_then(|cursors| cursors.get(&stream));
            match self.events(&stream, known).await {
                Ok((events, cursor)) => {
                    roots.extend((self.pick)(Needed::by(&events)));
                    cursors.insert(stream, cursor);
                }
                // Deleted since it was listed.
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if since.is_none() {
            // Data that repairs set aside may be put back by hand. Only the full reading has to cover it: anything
            // set aside later was marked before, or is too young to be swept.
            roots.extend(self.journal.digests_set_aside().await?);
        }
        Ok((roots, cursors))
    }

    /// Returns the events of a session since `known`, or all of them.
    async fn events(
        &self,
        stream: &StreamId,
        known: Option<&Cursor>,
    ) -> Result<(Vec<SessionEvent>, Cursor), Error> {
        if let Some(cursor) = known {
            match self.journal.follow(stream, cursor).await? {
                Follow::Unchanged => return Ok((Vec::new(), *cursor)),
                Follow::Appended { events, cursor } => return Ok((events, cursor)),
                Follow::Replaced => {}
            }
        }
        // A log that was cut or replaced is read from its start: the cursor says nothing about it.
        let loaded = self.journal.load(stream).await?;
        Ok((loaded.events, loaded.cursor))
    }
}

impl Roots for EventRoots<'_> {
    fn namespace(&self) -> BlobNamespace {
        self.namespace
    }

    fn roots<'a>(
        &'a self,
        since: Option<&'a RootsCursor>,
    ) -> BoxFuture<'a, Result<(Vec<Digest>, RootsCursor), Error>> {
        Box::pin(self.read(since))
    }
}

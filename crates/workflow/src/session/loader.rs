//! Loads sessions and the content that they refer to. Advancing a run, listing all runs and inspecting one all read
//! through here.
//!
//! [`SessionLoader::load`] reads a whole session. [`SessionLoader::current`] keeps what it has folded and follows the
//! log from there. Pinned workflows, snapshots and artifacts never change, so they are cached by their digests.
//!
//! The caches are maps that evict their oldest entry when they are full.
//! *Invariants*: a cached session is exactly what the log says up to its cursor. Every use first asks the journal
//! whether anything was appended after the cursor, or holds a lease that stands there. A log that was cut or replaced
//! is read again from its start. An event is applied once, no matter whether it arrives from the append itself or
//! from following the log. A snapshot is cached only after it was checked against its workflow.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::{Digest, SessionId, SnapshotRef, WorkflowHash};
use piton_store::StreamId;
use piton_store::port::{BlobNamespace, BlobReader, Cursor, Follow, JournalReader};

use super::error::Error;
use crate::bounds::{
    ARTIFACTS_WARM_MAX, SESSIONS_WARM_MAX, SNAPSHOTS_WARM_MAX, TIPS_WARM_MAX, WORKFLOWS_WARM_MAX,
};
use crate::compile::CompiledWorkflow;
use crate::event::{LogFlaw, LogRules, SessionEvent};
use crate::id_map::IdMap;
use crate::name::{LoopId, StepId};
use crate::projection::{ArtifactText, RunState, RunSummary, SessionState, TipState};
use crate::snapshot::ExecutionSnapshot;

/// A session as far as it was read.
#[derive(Debug)]
pub struct FoldedSession {
    pub state: SessionState,
    /// The end of the events that it was folded from.
    pub cursor: Cursor,
    pub(super) rules: LogRules,
}

/// A session that several tasks share. The lock is held for moments only, never across an await.
#[derive(Clone, Debug)]
pub(crate) struct SharedSession(Arc<Mutex<FoldedSession>>);

impl SharedSession {
    pub(crate) fn new(folded: FoldedSession) -> Self {
        Self(Arc::new(Mutex::new(folded)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, FoldedSession> {
        // A panic in one task must not make the session unusable for all later ones.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FoldedSession {
    /// Folds a whole log. One that contradicts itself is refused: the projection takes events as valid.
    fn of(events: &[SessionEvent], cursor: Cursor) -> Result<Self, LogFlaw> {
        let mut folded = Self { state: SessionState::default(), rules: LogRules::new(), cursor };
        folded.take(events, cursor)?;
        Ok(folded)
    }

    /// Applies the events that are new.
    fn take(&mut self, events: &[SessionEvent], cursor: Cursor) -> Result<(), LogFlaw> {
        for event in events {
            // The rules run ahead of the state while this process appends a plan: they saw its events before the
            // append, so a reader that follows the log meanwhile must not apply them twice.
            if event.index() >= self.rules.next() {
                self.rules.apply(event)?;
            }
            // The state may be ahead of these events too, if the appending task has already applied them.
            if event.index() >= self.state.next() {
                self.state.apply(event);
            }
        }
        self.rules.settled()?;
        // The cursor never moves backward: an older answer may arrive after a newer one.
        if cursor.next_event() >= self.state.next() {
            self.cursor = cursor;
        }
        Ok(())
    }

    /// Applies the events that this process appended. They have passed the rules already.
    pub(super) fn learn(&mut self, events: &[SessionEvent], cursor: Cursor) {
        // A concurrent reader may have followed the log and applied some of them already.
        for event in events {
            if event.index() >= self.state.next() {
                self.state.apply(event);
            }
        }
        // A state that went further meanwhile keeps the cursor of the task that took it there.
        if cursor.next_event() == self.state.next() {
            self.cursor = cursor;
        }
    }
}

/// A workflow that a run is pinned to, with the ids that snapshots are checked against.
#[derive(Debug)]
pub struct PinnedWorkflow {
    pub hash: WorkflowHash,
    pub workflow: Arc<CompiledWorkflow>,
    steps: BTreeSet<StepId>,
    loops: BTreeSet<LoopId>,
}

impl PinnedWorkflow {
    pub(super) fn new(hash: WorkflowHash, workflow: Arc<CompiledWorkflow>) -> Self {
        let steps = workflow.steps.iter().map(|step| step.step_id.clone()).collect();
        let loops = workflow.loops.iter().map(|one| one.loop_id.clone()).collect();
        Self { hash, workflow, steps, loops }
    }
}

/// Loads sessions, pinned workflows, snapshots and artifacts, and keeps what it has read up to a limit.
pub struct SessionLoader {
    journal: Arc<dyn JournalReader<SessionEvent>>,
    blobs: Arc<dyn BlobReader>,
    sessions: BoundedMap<SessionId, SharedSession>,
    workflows: BoundedMap<WorkflowHash, Arc<PinnedWorkflow>>,
    snapshots: BoundedMap<SnapshotRef, Arc<ExecutionSnapshot>>,
    tips: BoundedMap<SnapshotRef, TipState>,
    artifacts: BoundedMap<Digest, Arc<ArtifactText>>,
}

impl fmt::Debug for SessionLoader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SessionLoader").finish_non_exhaustive()
    }
}

impl SessionLoader {
    /// Creates a loader over these ports. It has read nothing yet.
    pub fn new(journal: Arc<dyn JournalReader<SessionEvent>>, blobs: Arc<dyn BlobReader>) -> Self {
        Self {
            journal,
            blobs,
            sessions: BoundedMap::new(SESSIONS_WARM_MAX),
            workflows: BoundedMap::new(WORKFLOWS_WARM_MAX),
            snapshots: BoundedMap::new(SNAPSHOTS_WARM_MAX),
            tips: BoundedMap::new(TIPS_WARM_MAX),
            artifacts: BoundedMap::new(ARTIFACTS_WARM_MAX),
        }
    }

    pub(super) fn journal(&self) -> &dyn JournalReader<SessionEvent> {
        &*self.journal
    }

    /// Reads a whole session from its log and returns it with its events. Neither is cached.
    pub async fn load(
        &self,
        stream: &StreamId,
    ) -> Result<(FoldedSession, Vec<SessionEvent>), Error> {
        let loaded = self.journal.load(stream).await?;
        Ok((FoldedSession::of(&loaded.events, loaded.cursor)?, loaded.events))
    }

    /// Returns a session as its log stands now.
    pub(super) async fn current(&self, session: SessionId) -> Result<SharedSession, Error> {
        let stream = StreamId::from(session);
        loop {
            if let Some(cached) = self.sessions.get(session) {
                match self.follow(&stream, &cached).await {
                    Ok(true) => return Ok(cached),
                    // The log was cut or replaced: nothing that was folded from it counts any more.
                    Ok(false) => self.forget(session),
                    // Events may have been applied in part, so what is cached can no longer be trusted.
                    Err(error) => {
                        self.forget(session);
                        return Err(error);
                    }
                }
            }
            let (folded, _) = self.load(&stream).await?;
            let own = SharedSession::new(folded);
            let shared = self.sessions.get_or_insert(session, own.clone());
            if Arc::ptr_eq(&shared.0, &own.0) {
                return Ok(own);
            }
            // Another task loaded the session at the same time and cached its copy first. All tasks share that one,
            // but it may be older than the log was when this call began, so the log is followed from there.
        }
    }

    /// Brings `cached` up to date. Returns false if its log was cut or replaced, so that it has to be read again.
    async fn follow(&self, stream: &StreamId, cached: &SharedSession) -> Result<bool, Error> {
        // The lock is released before the journal is asked; `take` copes with what other tasks apply meanwhile.
        let cursor = cached.lock().cursor;
        match self.journal.follow(stream, &cursor).await? {
            Follow::Unchanged => Ok(true),
            Follow::Appended { events, cursor } => {
                cached.lock().take(&events, cursor)?;
                Ok(true)
            }
            Follow::Replaced => Ok(false),
        }
    }

    /// Returns a session that is cached up to exactly `cursor`. If a lease stands there, nothing can have been
    /// appended after it.
    pub(super) fn at(&self, session: SessionId, cursor: Cursor) -> Option<SharedSession> {
        self.sessions.get(session).filter(|cached| cached.lock().cursor == cursor)
    }

    /// Returns the ids of the cached sessions that satisfy `wanted`.
    pub(super) fn known(&self, wanted: impl Fn(&SessionId) -> bool) -> Vec<SessionId> {
        self.sessions.keys(wanted)
    }

    /// True if this process keeps a session folded, so that reading it again costs what was appended since.
    pub fn has_read(&self, session: SessionId) -> bool {
        self.sessions.get(session).is_some()
    }

    /// Returns the end of the events that a cached session was folded from.
    pub(super) fn cursor_of(&self, session: SessionId) -> Option<Cursor> {
        self.sessions.get(session).map(|cached| cached.lock().cursor)
    }

    /// Drops a session from the cache, for example because an append to it failed.
    pub(super) fn forget(&self, session: SessionId) {
        self.sessions.remove(session);
    }

    /// Marks a session as about to be ahead of its log: its rules have seen a plan that is not appended yet.
    pub(super) fn ahead(&self, session: SessionId) -> ForgetOnDrop<'_> {
        ForgetOnDrop { loader: self, session, is_settled: false }
    }

    /// Returns the workflow that is pinned under `hash`.
    pub async fn workflow(&self, hash: WorkflowHash) -> Result<Arc<PinnedWorkflow>, Error> {
        if let Some(known) = self.workflows.get(hash) {
            return Ok(known);
        }
        let bytes = self.blobs.fetch(BlobNamespace::PinnedWorkflows, hash.digest()).await?;
        let workflow = Arc::new(CompiledWorkflow::read(&bytes)?);
        Ok(self.learn_workflow(PinnedWorkflow::new(hash, workflow)))
    }

    /// Remembers a workflow that is pinned.
    pub(super) fn learn_workflow(&self, pinned: PinnedWorkflow) -> Arc<PinnedWorkflow> {
        self.workflows.get_or_insert(pinned.hash, Arc::new(pinned))
    }

    /// Reads a snapshot, which is not checked against its workflow.
    pub async fn read_snapshot(&self, snapshot: SnapshotRef) -> Result<ExecutionSnapshot, Error> {
        let bytes = self.blobs.fetch(BlobNamespace::Snapshots, snapshot.digest()).await?;
        Ok(ExecutionSnapshot::decode(&bytes)?)
    }

    /// Returns a snapshot, which must belong to `pinned`.
    pub(super) async fn snapshot(
        &self,
        snapshot: SnapshotRef,
        pinned: &PinnedWorkflow,
    ) -> Result<Arc<ExecutionSnapshot>, Error> {
        // The cached snapshot was checked against its own workflow. Asked for with another one, it is checked again.
        if let Some(known) = self.snapshots.get(snapshot)
            && known.workflow_hash == pinned.hash
        {
            return Ok(known);
        }
        let read = self.read_snapshot(snapshot).await?;
        read.verify_against(pinned.hash, &pinned.steps, &pinned.loops)?;
        Ok(self.learn_snapshot(snapshot, read))
    }

    /// Remembers a snapshot that was made or checked here.
    pub(super) fn learn_snapshot(
        &self,
        snapshot: SnapshotRef,
        content: ExecutionSnapshot,
    ) -> Arc<ExecutionSnapshot> {
        self.snapshots.get_or_insert(snapshot, Arc::new(content))
    }

    /// Returns the step that is pending at a node. Of a snapshot that many runs share, only this little is kept.
    pub async fn tip(&self, snapshot: SnapshotRef) -> Result<TipState, Error> {
        if let Some(known) = self.tips.get(snapshot) {
            return Ok(known);
        }
        let tip = TipState::from(&self.read_snapshot(snapshot).await?);
        Ok(self.tips.get_or_insert(snapshot, tip))
    }

    /// Summarizes a run of `session` at its preferred tip. Returns `None` for a run without a node.
    pub async fn summary(
        &self,
        session: &SessionState,
        run: &RunState,
    ) -> Result<Option<RunSummary>, Error> {
        let Some(tip) = run.graph.preferred_tip() else { return Ok(None) };
        let tip = self.tip(tip.snapshot).await?;
        let pinned = self.workflow(run.started.workflow_hash).await?;
        Ok(RunSummary::of(session, run, &tip, &pinned.workflow))
    }

    /// Returns as much of an artifact as a listing shows. One that cannot be read is tried again the next time.
    pub async fn artifact(&self, digest: Digest) -> Arc<ArtifactText> {
        if let Some(known) = self.artifacts.get(digest) {
            return known;
        }
        let read = Arc::new(ArtifactText::read(&*self.blobs, digest).await);
        if matches!(*read, ArtifactText::Unreadable(_)) {
            return read;
        }
        self.artifacts.get_or_insert(digest, read)
    }
}

/// Forgets a session when it is dropped, unless the log has caught up. This also covers a call that is cancelled
/// halfway.
#[must_use]
pub(super) struct ForgetOnDrop<'a> {
    loader: &'a SessionLoader,
    session: SessionId,
    is_settled: bool,
}

impl ForgetOnDrop<'_> {
    /// Keeps the session: the log now says what the cache says.
    pub(super) fn keep(mut self) {
        self.is_settled = true;
    }
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.loader.forget(self.session);
        }
    }
}

/// A shared map with a maximum number of entries.
#[derive(Debug)]
struct BoundedMap<K, V> {
    entries_max: usize,
    entries: Mutex<BoundedEntries<K, V>>,
}

#[derive(Debug)]
struct BoundedEntries<K, V> {
    values: IdMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Copy + Eq + Hash, V: Clone> BoundedMap<K, V> {
    fn new(entries_max: usize) -> Self {
        let entries = BoundedEntries { values: IdMap::default(), order: VecDeque::new() };
        Self { entries_max, entries: Mutex::new(entries) }
    }

    fn entries(&self) -> MutexGuard<'_, BoundedEntries<K, V>> {
        // A panic in one task must not make the map unusable for all later ones.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, key: K) -> Option<V> {
        self.entries().values.get(&key).cloned()
    }

    /// Returns the value under `key`, inserting `value` if there is none.
    fn get_or_insert(&self, key: K, value: V) -> V {
        let mut entries = self.entries();
        if let Some(present) = entries.values.get(&key) {
            return present.clone();
        }
        // Eviction is by age, not by use: reads then need no bookkeeping.
        if entries.order.len() >= self.entries_max
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.values.remove(&oldest);
        }
        entries.order.push_back(key);
        entries.values.insert(key, value.clone());
        value
    }

    fn remove(&self, key: K) {
        let mut entries = self.entries();
        // `order` holds exactly the keys of `values`; a stale entry would evict a later value under the same key.
        if entries.values.remove(&key).is_some() {
            entries.order.retain(|other| *other != key);
        }
    }

    /// Returns the keys that satisfy `wanted`.
    fn keys(&self, wanted: impl Fn(&K) -> bool) -> Vec<K> {
        self.entries().values.keys().filter(|key| wanted(key)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::BoundedMap;

    #[test]
    fn a_full_map_forgets_the_oldest_and_keeps_the_first_value_of_a_key() {
        let map = BoundedMap::new(2);
        assert_eq!((map.get_or_insert(1, 'a'), map.get_or_insert(1, 'b')), ('a', 'a'));
        map.get_or_insert(2, 'b');
        map.remove(1);
        map.get_or_insert(3, 'c');
        assert_eq!((map.get(1), map.get(2), map.get(3)), (None, Some('b'), Some('c')));
        map.get_or_insert(4, 'd');
        assert_eq!((map.get(2), map.get(4)), (None, Some('d')));
        assert_eq!(map.keys(|key| *key > 3), [4]);
    }
}

//! Brings the index up to date, and lists everything.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{join, join_all};
use piton_core::RunId;
use piton_store::StreamId;
use piton_store::port::{BlobReader, Collection, Follow, Index, IndexedSource, JournalReader};

use super::document::{
    RunContent, RunDocument, SessionSummary, decode_cursor, decode_source, indexed_artifacts,
    remove_from_index, runs, unreadable, unreadable_source,
};
use crate::bounds::{
    RUN_INDEX_BATCH, RUN_INDEX_CONFIRMED_MAX, RUN_INDEX_FOLLOWED_MAX, RUN_INDEX_PAGE,
    RUN_INDEX_TOGETHER, SHAPE_ROUNDS_MAX,
};
use crate::event::{EventBody, SessionEvent};
use crate::label::{Label, label};
use crate::projection::{RunState, RunSummary};
use crate::session::{Error, Reader, SessionLoader, SharedSession};

/// The runs of all sessions.
pub struct RunIndex {
    pub(super) journal: Arc<dyn JournalReader<SessionEvent>>,
    blobs: Arc<dyn BlobReader>,
    pub(super) index: Arc<dyn Index>,
    /// Sessions that this process read from their events. May lose some at any time.
    confirmed: Mutex<HashMap<StreamId, Arc<SessionSummary>>>,
    is_caught_up: AtomicBool,
    /// Keeps sessions folded, for those that are read again and again.
    reader: Option<Reader>,
}

/// All runs, and the sessions that could not be read.
#[derive(Clone, Debug)]
pub struct RunListing {
    /// Runs by the byte order of their sessions' ids, then in the order of their start.
    pub runs: Vec<Arc<RunSummary>>,
    /// Sessions that cannot be summarized.
    pub troubled: Vec<UnreadableSession>,
}

/// A session that cannot be summarized, and the reason.
#[derive(Clone, Debug)]
pub struct UnreadableSession {
    pub stream: StreamId,
    pub trouble: Error,
    /// Its runs, as far as they are known.
    pub runs: Vec<RunId>,
}

impl UnreadableSession {
    /// Iterates over the labels of its runs.
    pub fn labels(&self) -> impl Iterator<Item = Label> + '_ {
        self.runs.iter().map(|run| label(*run))
    }
}

/// The result of bringing the index up to date.
#[derive(Debug, Default)]
pub struct CaughtUp {
    /// Every session.
    pub streams: Vec<StreamId>,
    /// Sessions that cannot be summarized.
    pub troubled: Vec<UnreadableSession>,
    /// Sessions whose events were read.
    pub(super) read: HashSet<StreamId>,
    /// How far the index has read each session.
    pub(super) cursors: HashMap<String, Vec<u8>>,
    /// Sessions of which the index does not have the newest state, because it could not be written; with that state,
    /// or without one if they are gone.
    pub(super) unindexed: HashMap<StreamId, Option<Arc<SessionSummary>>>,
}

impl CaughtUp {
    /// Returns the number of sessions whose events were read.
    pub fn read(&self) -> usize {
        self.read.len()
    }

    /// Returns the number of sessions of which the index does not have the newest state.
    pub fn unindexed(&self) -> usize {
        self.unindexed.len()
    }
}

impl RunIndex {
    /// Creates an index of the sessions in `journal` and `blobs`, kept in `index`.
    pub fn new(
        journal: Arc<dyn JournalReader<SessionEvent>>,
        blobs: Arc<dyn BlobReader>,
        index: Arc<dyn Index>,
    ) -> Self {
        let is_caught_up = AtomicBool::new(false);
        Self { journal, blobs, index, confirmed: Mutex::default(), is_caught_up, reader: None }
    }

    /// Returns the index with a reader that keeps sessions folded. A session that grows while somebody watches is
    /// followed there, instead of being read from its start with every step.
    #[must_use]
    pub fn following(self, reader: Reader) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Returns every run, and every session that cannot be read.
    pub async fn list(&self) -> Result<RunListing, piton_store::Error> {
        let mut caught_up = self.catch_up().await?;
        let sessions = self.all(&mut caught_up).await;
        let runs = sessions.into_iter().flat_map(|(_, runs)| runs).collect();
        Ok(RunListing { runs, troubled: caught_up.troubled })
    }

    /// True if this process has brought the index up to date at least once.
    pub fn is_caught_up(&self) -> bool {
        self.is_caught_up.load(Ordering::Relaxed)
    }

    /// Brings the index up to date: follows every session, and reads the events of those that changed.
    ///
    /// An index that cannot be read or written is no failure. Every session is read then, and what could not be
    /// written is part of the result.
    pub async fn catch_up(&self) -> Result<CaughtUp, piton_store::Error> {
        let known = self.cursors(&runs()).await.unwrap_or_default();
        let known_unreadable = self.cursors(&unreadable()).await.unwrap_or_default();
        let streams = self.journal.streams().await?;
        let mut pass = CatchUp::new(self, CaughtUp { streams, ..CaughtUp::default() });
        let (mut changed, mut grown) = (Vec::new(), Vec::new());
        for stream in &pass.done.streams {
            let cursor = known.get(stream.as_str()).and_then(|bytes| decode_cursor(bytes));
            if let Some(cursor) = cursor {
                // Anything but "unchanged" is a reason to read the events. So is an error: a wrong cursor from the
                // index would look like damage.
                let follow = self.journal.follow(stream, &cursor).await;
                if matches!(follow, Ok(Follow::Unchanged)) {
                    continue;
                }
            }
            if cursor.is_some() {
                grown.push(stream.clone());
            }
            changed.push((stream.clone(), known_unreadable.contains_key(stream.as_str())));
        }
        // Few are at work at a time. More than these have changed because nobody looked for long.
        for stream in grown.iter().filter(|_| grown.len() <= RUN_INDEX_FOLLOWED_MAX) {
            self.keep_folded(stream).await;
        }
        for some in changed.chunks(RUN_INDEX_TOGETHER) {
            pass.read_together(some).await;
        }
        pass.write().await;
        // What the index has of other sessions is of deleted ones, or of ones that were made since they were listed.
        for name in known.keys().chain(known_unreadable.keys()) {
            let Ok(stream) = name.parse::<StreamId>() else { continue };
            if pass.done.streams.binary_search(&stream).is_err() && self.is_gone(&stream).await {
                pass.gone.push(stream);
            }
        }
        pass.remove().await;
        let done = CaughtUp { cursors: known, ..pass.done };
        self.is_caught_up.store(true, Ordering::Relaxed);
        Ok(done)
    }

    /// Brings the index up to date with one session. Returns false if it cannot be read or written now.
    pub async fn catch_up_with(&self, stream: &StreamId) -> bool {
        self.keep_folded(stream).await;
        let mut pass = CatchUp::new(self, CaughtUp::default());
        pass.read(stream.clone(), None).await;
        pass.write().await;
        pass.remove().await;
        pass.done.troubled.is_empty() && pass.done.unindexed.is_empty()
    }

    /// Keeps a session folded, if there is a reader for that: it changed, so it is likely to change again. What is wrong
    /// with it, whoever reads it next finds out.
    async fn keep_folded(&self, stream: &StreamId) {
        if let Some((reader, session)) = self.reader.as_ref().zip(stream.as_str().parse().ok()) {
            let _ = reader.current(session).await;
        }
    }

    /// Returns the cursor of every source of a collection.
    async fn cursors(
        &self,
        collection: &Collection,
    ) -> Result<HashMap<String, Vec<u8>>, piton_store::Error> {
        let (mut cursors, mut after) = (HashMap::new(), None::<String>);
        loop {
            let page = self.index.cursors(collection, after.as_deref(), RUN_INDEX_PAGE).await?;
            after = page.cursors.last().map(|(name, _)| name.clone());
            cursors.extend(page.cursors);
            if !page.more {
                return Ok(cursors);
            }
        }
    }

    /// Returns the runs of every session that can be read, by session. What the index does not have, or has wrong, is
    /// read from events.
    pub(super) async fn all(
        &self,
        caught_up: &mut CaughtUp,
    ) -> Vec<(StreamId, Vec<Arc<RunSummary>>)> {
        let mut found: HashMap<String, Vec<Arc<RunSummary>>> = HashMap::new();
        let mut after = None::<String>;
        // An index that cannot be read counts as empty.
        while let Ok(page) = self.index.scan(&runs(), after.as_deref(), RUN_INDEX_PAGE).await {
            after = page.sources.last().map(|entry| entry.name.clone());
            let sound = page.sources.iter();
            found.extend(
                sound.filter_map(|entry| Some((entry.name.clone(), decode_source(entry)?))),
            );
            if !page.more {
                break;
            }
        }
        let mut pass = CatchUp::new(self, std::mem::take(caught_up));
        let mut all = Vec::with_capacity(pass.done.streams.len());
        for stream in pass.done.streams.clone() {
            if pass.done.troubled.iter().any(|one| one.stream == stream) {
                continue;
            }
            let runs = match (pass.done.unindexed.get(&stream), found.remove(stream.as_str())) {
                (Some(Some(session)), _) => session.runs().collect(),
                (Some(None), _) => continue,
                (None, Some(runs)) => runs,
                (None, None) => match pass.read(stream.clone(), None).await {
                    Some(session) => session.runs().collect(),
                    None => continue,
                },
            };
            all.push((stream, runs));
        }
        pass.write().await;
        pass.remove().await;
        *caught_up = pass.done;
        all
    }

    /// Returns a loader for the duration of one operation. It reads each snapshot and each workflow once, no matter
    /// how many runs share them, and the next operation finds out if one of them was damaged meanwhile.
    pub(super) fn loader(&self) -> SessionLoader {
        SessionLoader::new(Arc::clone(&self.journal), Arc::clone(&self.blobs))
    }

    /// Reads a session from its events, and remembers that it was. Returns `None` if the session no longer exists.
    pub(super) async fn build(
        &self,
        stream: &StreamId,
        loader: &SessionLoader,
    ) -> Result<Option<Arc<SessionSummary>>, Error> {
        let followed = self.reader.as_ref().zip(stream.as_str().parse().ok());
        let followed = followed.filter(|(reader, session)| reader.loader().has_read(*session));
        let read = match followed {
            Some((reader, session)) => reader.current(session).await,
            None => loader.load(stream).await.map(|(folded, _)| SharedSession::new(folded)),
        };
        let folded = match read {
            Err(Error::Store(piton_store::Error::NotFound { .. })) => return Ok(None),
            read => read?,
        };
        let session = Arc::new(describe(&folded, loader).await?);
        let mut confirmed = self.confirmed();
        // Everything goes at once, which is simpler than choosing; what is needed again is read again.
        if confirmed.len() >= RUN_INDEX_CONFIRMED_MAX {
            confirmed.clear();
        }
        confirmed.insert(stream.clone(), Arc::clone(&session));
        Ok(Some(session))
    }

    /// Returns the runs of a session that cannot be summarized: those in its valid events, else those in the index.
    async fn known_runs(&self, stream: &StreamId) -> Vec<RunId> {
        let salvaged = self.journal.load_validated_prefix(stream).await;
        let events = salvaged.map_or_else(|_| Vec::new(), |salvaged| salvaged.events);
        let started = events.iter().filter_map(|event| match event.body() {
            EventBody::RunStarted(run, _) => Some(*run),
            _ => None,
        });
        let runs: Vec<RunId> = started.collect();
        if !runs.is_empty() {
            return runs;
        }
        self.indexed_runs(stream).await
    }

    pub(super) fn confirmed(&self) -> MutexGuard<'_, HashMap<StreamId, Arc<SessionSummary>>> {
        // A panic in one task must not make the index unusable for all later ones.
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn is_gone(&self, stream: &StreamId) -> bool {
        matches!(self.journal.age(stream).await, Err(piton_store::Error::NotFound { .. }))
    }
}

/// Describes every run of a session, all at one moment.
async fn describe(
    session: &SharedSession,
    loader: &SessionLoader,
) -> Result<SessionSummary, Error> {
    let mut rounds = 0;
    loop {
        let (cursor, tips) = {
            let folded = session.lock();
            let tip = |run: &RunState| {
                let tip = run.graph.preferred_tip()?.snapshot;
                Some((run.id, tip, run.started.workflow_hash, indexed_artifacts(run)))
            };
            (folded.cursor, folded.state.runs().iter().filter_map(tip).collect::<Vec<_>>())
        };
        let mut contents = Vec::with_capacity(tips.len());
        for (run, snapshot, hash, digests) in tips {
            let (tip, workflow) = (loader.tip(snapshot).await?, loader.workflow(hash).await?);
            let mut artifacts = Vec::with_capacity(digests.len());
            for digest in digests {
                artifacts.push(loader.artifact(digest).await);
            }
            contents.push(RunContent { run, tip, workflow, artifacts });
        }
        rounds += 1;
        let folded = session.lock();
        // The session may have grown while its content was read. If it does so each time, the older cursor stands, and
        // the next reading makes up for it.
        if folded.cursor == cursor || rounds == SHAPE_ROUNDS_MAX {
            let document = |content: &RunContent| RunDocument::of(&folded.state, content);
            let runs = contents.iter().filter_map(document).collect();
            return Ok(SessionSummary { cursor, runs });
        }
    }
}

/// One pass over sessions that changed: they are read one by one, and written together.
struct CatchUp<'a> {
    index: &'a RunIndex,
    loader: Arc<SessionLoader>,
    done: CaughtUp,
    /// Sessions that were read and are not written yet.
    waiting: Vec<(StreamId, Arc<SessionSummary>)>,
    /// Sessions that became readable again, and have to leave the list of those that are not.
    recovered: Vec<StreamId>,
    /// Sessions that no longer exist.
    gone: Vec<StreamId>,
}

impl<'a> CatchUp<'a> {
    fn new(index: &'a RunIndex, done: CaughtUp) -> Self {
        let (waiting, recovered, gone) = (Vec::new(), Vec::new(), Vec::new());
        Self { index, loader: Arc::new(index.loader()), done, waiting, recovered, gone }
    }

    /// Reads a session from its events, to be written to the index with others. `was_unreadable` says whether the
    /// index has it as one that cannot be read, if that is known.
    async fn read(
        &mut self,
        stream: StreamId,
        was_unreadable: Option<bool>,
    ) -> Option<Arc<SessionSummary>> {
        let built = self.index.build(&stream, &self.loader).await;
        let session = self.take(stream, built, was_unreadable).await;
        self.write_if_full().await;
        session
    }

    /// Reads some sessions at the same time, while those that were read before are written. Each comes with whether the
    /// index has it as one that cannot be read.
    async fn read_together(&mut self, streams: &[(StreamId, bool)]) {
        let (index, loader) = (self.index, Arc::clone(&self.loader));
        let reads = join_all(streams.iter().map(|(stream, _)| index.build(stream, &loader)));
        let (built, ()) = join(reads, self.write_if_full()).await;
        for ((stream, was_unreadable), built) in streams.iter().zip(built) {
            self.take(stream.clone(), built, Some(*was_unreadable)).await;
        }
    }

    /// Takes in a session that was read.
    async fn take(
        &mut self,
        stream: StreamId,
        built: Result<Option<Arc<SessionSummary>>, Error>,
        was_unreadable: Option<bool>,
    ) -> Option<Arc<SessionSummary>> {
        self.done.read.insert(stream.clone());
        match built {
            Ok(Some(session)) => {
                if was_unreadable != Some(false) {
                    self.recovered.push(stream.clone());
                }
                self.waiting.push((stream, Arc::clone(&session)));
                Some(session)
            }
            Ok(None) => {
                self.gone.push(stream);
                None
            }
            Err(trouble) => {
                let runs = self.index.known_runs(&stream).await;
                if was_unreadable != Some(true) {
                    self.note_unreadable(&stream, &runs).await;
                }
                self.done.troubled.push(UnreadableSession { stream, trouble, runs });
                None
            }
        }
    }

    /// Moves a session from the runs to those that cannot be read. If that fails, the next pass tries again.
    async fn note_unreadable(&mut self, stream: &StreamId, runs: &[RunId]) {
        let index = &self.index.index;
        let sources = vec![unreadable_source(stream, runs)];
        if index.replace(&unreadable(), sources).await.is_ok() {
            let _ = index.remove(&super::document::runs().name, vec![stream.to_string()]).await;
        }
    }

    async fn write_if_full(&mut self) {
        if self.waiting.len() >= RUN_INDEX_BATCH {
            self.write().await;
        }
    }

    /// Writes the sessions that wait.
    async fn write(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let recovered = std::mem::take(&mut self.recovered);
        if waiting.is_empty() {
            return;
        }
        let sources: Vec<IndexedSource> =
            waiting.iter().map(|(stream, session)| session.source(stream)).collect();
        let written = self.index.index.replace(&runs(), sources).await;
        for (stream, session) in waiting {
            // A session may have been deleted after it was read. Whoever deleted it has removed it from the index
            // already, so what was written since then has to be removed here.
            if self.index.is_gone(&stream).await {
                self.gone.push(stream);
            } else if written.is_err() {
                self.done.unindexed.insert(stream, Some(session));
            }
        }
        if !recovered.is_empty() {
            let names = recovered.iter().map(ToString::to_string).collect();
            let _ = self.index.index.remove(&unreadable().name, names).await;
        }
    }

    /// Removes the sessions that no longer exist.
    async fn remove(&mut self) {
        let gone = std::mem::take(&mut self.gone);
        if gone.is_empty() {
            return;
        }
        for stream in &gone {
            self.index.confirmed().remove(stream);
        }
        if remove_from_index(&*self.index.index, gone.iter().cloned()).await.is_err() {
            self.done.unindexed.extend(gone.into_iter().map(|stream| (stream, None)));
        }
    }
}

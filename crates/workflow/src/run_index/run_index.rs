//! All runs of all sessions: listed, and ranked for a query.
//!
//! A session is read once, summarized, and then only followed: as long as nothing is appended to it, it costs one
//! metadata lookup. Summaries are kept in this process and in the projection cache, so that a new process starts
//! where another one ended. There is no limit on the number of sessions.
//!
//! *Invariants*: read-only, apart from writes to the cache. A cached summary is never offered for resuming before
//! this process has read the events that it was made from. So a wrong entry can misstate a list, or hide a run from a
//! search until its session changes, and nothing else. Nothing that advances a run reads this index. An entry of the
//! cache of another version is never seen, because the version is part of its key; it is written into the entry as
//! well. An entry that contradicts itself, its stream or its cursor is a miss.
//!
//! *Limitations*: the health of a session is checked when its events are read, and again when it changes. Damage to
//! events that were read before is found by the next reader of those events.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::{RunId, canonical};
use piton_store::StreamId;
use piton_store::port::{BlobReader, Cache, CacheKey, Cursor, Follow, JournalReader};
use serde::{Deserialize, Serialize};

use crate::event::{EventBody, SessionEvent};
use crate::label::{Label, label};
use crate::projection::{Ranking, ResumeQuery, RunSummary, SUMMARY_VERSION, rank};
use crate::session::{Error, SessionLoader};

/// The summary of one session.
#[derive(Clone, Debug)]
struct SessionSummary {
    /// The end of the events that it was made from.
    cursor: Cursor,
    /// Its runs, in the order of their start.
    runs: Vec<Arc<RunSummary>>,
    /// Set when this process made it from events. Otherwise it is only what the cache says.
    is_from_events: bool,
}

/// The runs of all sessions.
pub struct RunIndex {
    journal: Arc<dyn JournalReader<SessionEvent>>,
    blobs: Arc<dyn BlobReader>,
    cache: Arc<dyn Cache>,
    sessions: Mutex<FoundSessions>,
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

/// The runs that are offered for resuming.
#[derive(Clone, Debug)]
pub struct Offers {
    /// The offers, with counts of the other runs.
    pub ranking: Ranking,
    /// Number of sessions that cannot be read.
    pub unreadable: usize,
}

/// The summaries of the sessions that were found.
type FoundSessions = HashMap<StreamId, Arc<SessionSummary>>;

impl RunIndex {
    /// Creates an index of the sessions in `journal` and `blobs`, with the help of `cache`.
    pub fn new(
        journal: Arc<dyn JournalReader<SessionEvent>>,
        blobs: Arc<dyn BlobReader>,
        cache: Arc<dyn Cache>,
    ) -> Self {
        Self { journal, blobs, cache, sessions: Mutex::default() }
    }

    /// Returns every run, and every session that cannot be read.
    pub async fn list(&self) -> Result<RunListing, piton_store::Error> {
        let (streams, found, troubled) = self.load_all().await?;
        let runs = streams.iter().filter_map(|stream| found.get(stream));
        Ok(RunListing {
            runs: runs.flat_map(|session| session.runs.iter().cloned()).collect(),
            troubled,
        })
    }

    /// Returns the runs that match `query` best, best first. Unreadable sessions are counted.
    pub async fn resume(&self, query: &ResumeQuery<'_>) -> Result<Offers, piton_store::Error> {
        let (_, mut found, troubled) = self.load_all().await?;
        let mut unreadable = troubled.len();
        let loader = self.loader();
        // Ranking may use cached summaries, but an offer must not rest on one alone. So every offered session is read
        // from its events and the ranking is repeated, until all offers come from events. Each round settles at least
        // one more session, so this ends.
        loop {
            let runs = found.values().flat_map(|session| session.runs.iter().cloned());
            let ranking = rank(query, runs);
            let unsure: BTreeSet<StreamId> = ranking
                .offers
                .iter()
                .map(|offer| StreamId::from(offer.summary.session_id))
                .filter(|stream| !found[stream].is_from_events)
                .collect();
            if unsure.is_empty() {
                return Ok(Offers { ranking, unreadable });
            }
            for stream in unsure {
                match self.build(&stream, &loader).await {
                    Ok(Some(session)) => found.insert(stream, session),
                    Ok(None) => found.remove(&stream),
                    // The cache vouched for a session that cannot be read any more.
                    Err(_) => {
                        unreadable += 1;
                        found.remove(&stream)
                    }
                };
            }
        }
    }

    /// Returns a loader for the duration of one operation. It reads each snapshot and each workflow once, no matter
    /// how many runs share them, and the next operation finds out if one of them was damaged meanwhile.
    fn loader(&self) -> SessionLoader {
        SessionLoader::new(Arc::clone(&self.journal), Arc::clone(&self.blobs))
    }

    /// Loads the summaries of all sessions.
    async fn load_all(
        &self,
    ) -> Result<(Vec<StreamId>, FoundSessions, Vec<UnreadableSession>), piton_store::Error> {
        let streams = self.journal.streams().await?;
        let loader = self.loader();
        let (mut found, mut troubled) = (FoundSessions::with_capacity(streams.len()), Vec::new());
        for stream in &streams {
            match self.look_at(stream, &loader).await {
                Ok(Some(session)) => {
                    found.insert(stream.clone(), session);
                }
                Ok(None) => {}
                Err(trouble) => {
                    let runs = self.known_runs(stream).await;
                    troubled.push(UnreadableSession { stream: stream.clone(), trouble, runs });
                }
            }
        }
        // Drop the sessions that were deleted or became unreadable.
        self.sessions().retain(|stream, _| found.contains_key(stream));
        Ok((streams, found, troubled))
    }

    /// Returns the known summary of a session if it is still current, else builds it from the events.
    async fn look_at(
        &self,
        stream: &StreamId,
        loader: &SessionLoader,
    ) -> Result<Option<Arc<SessionSummary>>, Error> {
        // Memory first, then the cache. Either may be stale, so the journal has the last word.
        let mut known = self.sessions().get(stream).cloned();
        if known.is_none() {
            known = self.cached(stream).await;
        }
        if let Some(known) = known {
            // Anything but "unchanged" is a reason to read the events. So is an error: a wrong cursor from the cache
            // would look like damage.
            let follow = self.journal.follow(stream, &known.cursor).await;
            if matches!(follow, Ok(Follow::Unchanged)) {
                self.sessions().insert(stream.clone(), Arc::clone(&known));
                return Ok(Some(known));
            }
        }
        self.build(stream, loader).await
    }

    /// Returns the runs of a session that cannot be summarized: those in its valid events, else those in the cache.
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
        let known = self.cached(stream).await;
        known.map_or_else(Vec::new, |known| known.runs.iter().map(|run| run.run_id).collect())
    }

    /// Returns the entry of the cache, as far as it can be right. A cache that cannot be read counts as empty.
    async fn cached(&self, stream: &StreamId) -> Option<Arc<SessionSummary>> {
        let bytes = self.cache.get(&cache_key(stream)).await.ok()??;
        decode(stream, &bytes).map(Arc::new)
    }

    /// Builds the summary of a session from its events, and remembers it here and in the cache. Returns `None` if the
    /// session no longer exists.
    async fn build(
        &self,
        stream: &StreamId,
        loader: &SessionLoader,
    ) -> Result<Option<Arc<SessionSummary>>, Error> {
        let (folded, _) = match loader.load(stream).await {
            Err(Error::Store(piton_store::Error::NotFound { .. })) => return Ok(None),
            read => read?,
        };
        let mut runs = Vec::with_capacity(folded.state.runs().len());
        for run in folded.state.runs() {
            runs.extend(loader.summary(&folded.state, run).await?.map(Arc::new));
        }
        let session = SessionSummary { cursor: folded.cursor, runs, is_from_events: true };
        let session = Arc::new(session);
        self.sessions().insert(stream.clone(), Arc::clone(&session));
        if let Some(bytes) = encode(&session) {
            // A summary that is not cached is computed again, so a failed write is no failure.
            let _ = self.cache.put(&cache_key(stream), bytes).await;
        }
        Ok(Some(session))
    }

    fn sessions(&self) -> MutexGuard<'_, FoundSessions> {
        // A panic in one task must not make the index unusable for all later ones.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CachedSummaryRef<'a> {
    v: u32,
    cursor: Cursor,
    runs: Vec<&'a RunSummary>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CachedSummary {
    v: u32,
    cursor: Cursor,
    runs: Vec<RunSummary>,
}

/// Returns the key under which the cache keeps the summaries of a stream.
fn cache_key(stream: &StreamId) -> CacheKey {
    let projection = "runs".parse().expect("letters are a name");
    CacheKey { stream: stream.clone(), projection, version: SUMMARY_VERSION }
}

/// Encodes the summary of a session. Returns `None` if it has no canonical form, as is the case for a time that no
/// clock shows.
fn encode(session: &SessionSummary) -> Option<Vec<u8>> {
    let runs = session.runs.iter().map(Arc::as_ref).collect();
    let written = CachedSummaryRef { v: SUMMARY_VERSION, cursor: session.cursor, runs };
    canonical::encode(&written).ok().map(|bytes| bytes.as_bytes().to_vec())
}

/// Decodes the entry of `stream`. Returns `None` if it cannot be right.
fn decode(stream: &StreamId, bytes: &[u8]) -> Option<SessionSummary> {
    let CachedSummary { v, cursor, runs } = serde_json::from_slice(bytes).ok()?;
    let mut met = BTreeSet::new();
    // The cache is not trusted: an entry may be damaged, or belong to another stream.
    let is_sound = |run: &RunSummary| {
        StreamId::from(run.session_id) == *stream
            && run.label == label(run.run_id)
            && run.activity < cursor.next_event()
            && met.insert(run.run_id)
    };
    if v != SUMMARY_VERSION || !runs.iter().all(is_sound) {
        return None;
    }
    let runs = runs.into_iter().map(Arc::new).collect();
    Some(SessionSummary { cursor, runs, is_from_events: false })
}

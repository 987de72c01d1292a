//! List all runs, and find the one to resume.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use piton_core::{RunId, SessionId};
use piton_store::{
    Error, StreamId,
    port::{BlobReader, Cache, Follow, JournalReader},
};

use super::{
    builder::Builder, cached_summary, session_summary::SessionSummary, summary_error::SummaryError,
};
use crate::{
    event::{EventBody, SessionEvent},
    label::{Label, label},
    projection::{Ranking, Resumable, ResumeQuery, RunSummary, rank},
};

/// Recalls the runs of all sessions.
pub struct RunIndex {
    journal: Arc<dyn JournalReader<SessionEvent>>,
    blobs: Arc<dyn BlobReader>,
    cache: Arc<dyn Cache>,
    sessions: Mutex<HashMap<StreamId, Arc<SessionSummary>>>,
}

/// Every run there is.
#[derive(Clone, Debug)]
pub struct RunListing {
    /// The runs, by the byte order of their sessions' ids and then in the order of their start.
    pub runs: Vec<Arc<RunSummary>>,
    /// The sessions that cannot be summed up.
    pub troubled: Vec<UnreadableSession>,
}

/// A session that cannot be summed up, and why.
#[derive(Clone, Debug)]
pub struct UnreadableSession {
    /// The session.
    pub stream: StreamId,
    /// Why.
    pub trouble: SummaryError,
    /// Its runs, as far as they are known.
    pub runs: Vec<RunId>,
}

impl UnreadableSession {
    /// What people call its runs.
    pub fn labels(&self) -> impl Iterator<Item = Label> + '_ {
        self.runs.iter().map(|run| label(*run))
    }
}

/// The runs that are offered to be resumed, and what else there is.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "the offers beside what is counted of the others")]
pub struct Offers {
    /// The best first.
    pub offers: Vec<Offer>,
    /// How many more match what was asked for; all the others, if nothing does.
    pub more: usize,
    /// How many completed runs match and were not asked for; all of them, if nothing matches.
    pub completed_left_out: usize,
    /// How many sessions cannot be read.
    pub unreadable: usize,
}

/// A run that is offered to be resumed.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Where to go on, and why it is offered.
    pub resumable: Resumable,
    /// The run, summed up.
    pub summary: Arc<RunSummary>,
}

/// The sessions that were found, each with what is known of it.
type FoundSessions = HashMap<StreamId, Arc<SessionSummary>>;

impl RunIndex {
    /// Recalls what is in `journal` and `blobs`, with the help of `cache`.
    pub fn new(
        journal: Arc<dyn JournalReader<SessionEvent>>,
        blobs: Arc<dyn BlobReader>,
        cache: Arc<dyn Cache>,
    ) -> Self {
        Self { journal, blobs, cache, sessions: Mutex::default() }
    }

    /// Every run, and every session that is in trouble.
    pub async fn list(&self) -> Result<RunListing, Error> {
        let (streams, found, troubled) = self.load_all().await?;
        let runs = streams.iter().filter_map(|stream| found.get(stream));
        Ok(RunListing {
            runs: runs.flat_map(|session| session.runs.iter().cloned()).collect(),
            troubled,
        })
    }

    /// The runs that fit `query` best, best first. Sessions in trouble are counted.
    pub async fn resume(&self, query: &ResumeQuery<'_>) -> Result<Offers, Error> {
        let (_, mut found, troubled) = self.load_all().await?;
        let mut unreadable = troubled.len();
        let mut builder = self.builder();
        loop {
            let offers = Offers { unreadable, ..offers(query, &found) };
            let unsure: BTreeSet<StreamId> = offers
                .offers
                .iter()
                .map(|offer| StreamId::from(offer.resumable.session))
                .filter(|stream| !found[stream].is_from_events)
                .collect();
            if unsure.is_empty() {
                return Ok(offers);
            }
            for stream in unsure {
                match self.build(&stream, &mut builder).await {
                    Ok(Some(session)) => found.insert(stream, session),
                    Ok(None) => found.remove(&stream),
                    Err(_) => {
                        unreadable += 1;
                        found.remove(&stream)
                    }
                };
            }
        }
    }

    fn builder(&self) -> Builder<'_> {
        Builder::new(self.journal.as_ref(), self.blobs.as_ref())
    }

    /// Looks at every session.
    async fn load_all(
        &self,
    ) -> Result<(Vec<StreamId>, FoundSessions, Vec<UnreadableSession>), Error> {
        let streams = self.journal.streams().await?;
        let mut builder = self.builder();
        let (mut found, mut troubled) = (FoundSessions::with_capacity(streams.len()), Vec::new());
        for stream in &streams {
            match self.look_at(stream, &mut builder).await {
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
        self.sessions().retain(|stream, _| found.contains_key(stream));
        Ok((streams, found, troubled))
    }

    /// What is known of a session if that still stands, else what its events say.
    async fn look_at(
        &self,
        stream: &StreamId,
        builder: &mut Builder<'_>,
    ) -> Result<Option<Arc<SessionSummary>>, SummaryError> {
        let mut known = self.sessions().get(stream).cloned();
        if known.is_none() {
            known = self.cached(stream).await;
        }
        if let Some(known) = known {
            // Anything but "nothing happened" is a reason to read the events: also an error, because a
            // wrong cursor from the cache would look like damage.
            let follow = self.journal.follow(stream, &known.cursor).await;
            if matches!(follow, Ok(Follow::Unchanged)) {
                self.sessions().insert(stream.clone(), Arc::clone(&known));
                return Ok(Some(known));
            }
        }
        self.build(stream, builder).await
    }

    /// The runs of a session that cannot be summed up: those of its whole events, or of what the cache has.
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

    /// What the cache has, as far as it can be right. A cache that cannot be read has nothing.
    async fn cached(&self, stream: &StreamId) -> Option<Arc<SessionSummary>> {
        let bytes = self.cache.get(&cached_summary::key(stream)).await.ok()??;
        cached_summary::decode(stream, &bytes).map(Arc::new)
    }

    /// Sums a session up from its events, and remembers that here and in the cache.
    async fn build(
        &self,
        stream: &StreamId,
        builder: &mut Builder<'_>,
    ) -> Result<Option<Arc<SessionSummary>>, SummaryError> {
        let Some(session) = builder.build(stream).await?.map(Arc::new) else { return Ok(None) };
        self.sessions().insert(stream.clone(), Arc::clone(&session));
        if let Some(bytes) = cached_summary::encode(&session) {
            // What is not cached is computed again: not being able to write is no failure.
            let _ = self.cache.put(&cached_summary::key(stream), bytes).await;
        }
        Ok(Some(session))
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<StreamId, Arc<SessionSummary>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn offers(query: &ResumeQuery<'_>, found: &FoundSessions) -> Offers {
    let runs = || found.values().flat_map(|session| &session.runs);
    // An imported session has the runs of another: only both ids name one.
    let by_id: HashMap<(SessionId, RunId), &Arc<RunSummary>> =
        runs().map(|run| ((run.session_id, run.run_id), run)).collect();
    let Ranking { offered, more, completed_left_out } =
        rank(query, runs().map(|run| run.candidate()));
    let offer = |resumable: Resumable| Offer {
        summary: Arc::clone(by_id[&(resumable.session, resumable.run)]),
        resumable,
    };
    let offers = offered.into_iter().map(offer).collect();
    Offers { offers, more, completed_left_out, unreadable: 0 }
}

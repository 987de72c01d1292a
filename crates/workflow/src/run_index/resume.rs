//! The runs that are offered for resuming.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use piton_store::StreamId;
use piton_store::bounds::INDEX_HITS_MAX;
use piton_store::index::Term;
use piton_store::port::{FieldValue, Filter, IndexQuery, Order};

use super::document::{RunField, SessionSummary, decode, decode_cursor, runs};
use super::run_index::{CaughtUp, RunIndex};
use crate::bounds::{RESUME_CANDIDATES_MAX, RUN_INDEX_MATCHES_MAX};
use crate::projection::{OtherRuns, Ranking, ResumeQuery, RunSummary, rank, rank_among};
use crate::run::RunStatus;

/// The runs that are offered for resuming.
#[derive(Clone, Debug)]
pub struct Offers {
    /// The offers, with counts of the other runs.
    pub ranking: Ranking,
    /// Number of sessions that cannot be read.
    pub unreadable: usize,
}

impl RunIndex {
    /// Returns the runs that match `query` best, best first. Unreadable sessions are counted.
    pub async fn resume(&self, query: &ResumeQuery<'_>) -> Result<Offers, piton_store::Error> {
        let mut caught_up = self.catch_up().await?;
        let loader = self.loader();
        let (mut checked, mut lost) = (BTreeSet::new(), 0);
        // Ranking may use what is indexed, but an offer must not rest on that alone. So every offered session is read
        // from its events, and the ranking is repeated if the index had it wrong, until all offers come from events.
        // Each round settles at least one more session, so this ends.
        loop {
            let ranking = self.ranking(query, &mut caught_up).await;
            let mut is_right = true;
            for offer in &ranking.offers {
                let stream = StreamId::from(offer.summary.session_id);
                let is_offered =
                    |session: &SessionSummary| session.runs().any(|run| *run == *offer.summary);
                if caught_up.unindexed.contains_key(&stream)
                    || !checked.insert((stream.clone(), offer.summary.run_id))
                    || self.current(&stream, &caught_up).is_some_and(|known| is_offered(&known))
                {
                    continue;
                }
                let read = match self.build(&stream, &loader).await {
                    Ok(Some(session)) if is_offered(&session) => continue,
                    Ok(read) => read,
                    // The index vouched for a session that cannot be read any more.
                    Err(_) => {
                        lost += 1;
                        None
                    }
                };
                is_right = false;
                if !self.catch_up_with(&stream).await || read.is_none() {
                    caught_up.unindexed.insert(stream, read);
                }
            }
            if is_right {
                return Ok(Offers { ranking, unreadable: caught_up.troubled.len() + lost });
            }
        }
    }

    /// Returns a session as this process has read it from its events, if nothing was appended since.
    fn current(&self, stream: &StreamId, caught_up: &CaughtUp) -> Option<Arc<SessionSummary>> {
        let known = self.confirmed().get(stream).cloned()?;
        // A session that was not read now was unchanged since the index read it.
        let is_current = caught_up.read.contains(stream)
            || caught_up.cursors.get(stream.as_str()).is_some_and(|cursor| {
                decode_cursor(cursor).is_some_and(|cursor| cursor == known.cursor)
            });
        is_current.then_some(known)
    }

    /// Ranks the runs as the index has them, and those that it does not have.
    async fn ranking(&self, query: &ResumeQuery<'_>, caught_up: &mut CaughtUp) -> Ranking {
        if caught_up.unindexed.is_empty()
            && let Ok(Some((runs, others))) = self.candidates(query).await
        {
            return rank_among(query, runs, others);
        }
        let all = self.all(caught_up).await;
        rank(query, all.into_iter().flat_map(|(_, runs)| runs))
    }

    /// Returns every run that can match a query, those that were active last, and the number of the others. Returns
    /// `None` if that is no less work than to look at all runs.
    async fn candidates(
        &self,
        query: &ResumeQuery<'_>,
    ) -> Result<Option<(Vec<Arc<RunSummary>>, OtherRuns)>, piton_store::Error> {
        let mut found: BTreeMap<(String, String), Arc<RunSummary>> = BTreeMap::new();
        let complete = [RunStatus::Complete, RunStatus::CompleteWithGaps].map(|status| {
            Filter::Equals(RunField::Status.name(), FieldValue::from(status.as_str()))
        });
        let complete = Filter::Any(complete.to_vec());
        let open = Filter::Not(Box::new(complete.clone()));
        // No more than these are ever offered because of their time alone.
        let newest = 2 * RESUME_CANDIDATES_MAX;
        let mut totals = [0, 0];
        for (total, filter) in totals.iter_mut().zip([open, complete]) {
            *total = self.add_matches(filter, newest, &mut found).await?;
        }
        let matching = matching(query);
        let count = self.add_matches(matching.clone(), 0, &mut found).await?;
        if count > RUN_INDEX_MATCHES_MAX {
            return Ok(None);
        }
        self.add_matches(matching, count, &mut found).await?;
        let complete = found.values().filter(|run| run.status.is_complete()).count();
        let others = OtherRuns {
            open: totals[0].saturating_sub(found.len() - complete),
            complete: totals[1].saturating_sub(complete),
        };
        Ok(Some((found.into_values().collect(), others)))
    }

    /// Adds up to `wanted` runs that match a filter, those that were active last. Returns the number of all that do.
    async fn add_matches(
        &self,
        filter: Filter,
        wanted: usize,
        found: &mut BTreeMap<(String, String), Arc<RunSummary>>,
    ) -> Result<usize, piton_store::Error> {
        let order = Some(Order { field: RunField::Active.name(), is_descending: true });
        let mut query =
            IndexQuery { collection: runs(), filter, order, from: 0, limit: 0, facets: Vec::new() };
        loop {
            let done = usize::try_from(query.from).unwrap_or(usize::MAX);
            query.limit = wanted.saturating_sub(done).min(INDEX_HITS_MAX);
            let page = self.index.query(&query).await?;
            query.from += page.hits.len() as u64;
            let is_last = page.hits.len() < INDEX_HITS_MAX;
            for hit in page.hits {
                if let Some(run) = decode(&hit.source, &hit.payload) {
                    found.insert((hit.source, hit.id), Arc::new(run));
                } else if let Ok(stream) = hit.source.parse() {
                    // Made again for the next round.
                    self.catch_up_with(&stream).await;
                }
            }
            if is_last {
                return Ok(usize::try_from(page.total).unwrap_or(usize::MAX));
            }
        }
    }
}

/// Returns a filter that holds for every run that matches a query, and perhaps for more.
///
/// A word of a query is a run of ASCII letters, digits, `_` and `-`. The index has the same words in pieces, except
/// where such a word stands next to another letter: a document that has one is marked.
fn matching(query: &ResumeQuery<'_>) -> Filter {
    let mut any = Vec::new();
    let words: Vec<String> = query.words().into_iter().collect();
    if !words.is_empty() {
        let terms = words.iter().filter_map(|word| Term::new(word, false));
        any.push(Filter::All(terms.map(Filter::Has).collect()));
        any.push(Filter::Equals(RunField::Mixed.name(), FieldValue::Number(1)));
    }
    if let Some(sha) = query.head_sha {
        any.push(Filter::Equals(RunField::Head.name(), sha.into()));
    }
    if let Some(branch) = query.branch.filter(|branch| !branch.is_empty()) {
        any.push(Filter::StartsWith(RunField::Branch.name(), branch.to_owned()));
    }
    Filter::Any(any)
}

//! Finds runs: by a query line, and by words.
//!
//! Everything here reads the one index of runs. `search` finds everything else, in further collections of that index.

use piton_core::{Code, Envelope, SessionId};
use piton_store::StreamId;
use piton_store::bounds::INDEX_HITS_MAX;
use piton_store::index::Term;
use piton_store::port::Filter;
use piton_workflow::projection::RunSummary;
use piton_workflow::run_index::{IndexedRun, RunField, RunFilterPage, RunIndexQuery};

use super::runtime::Runtime;
use crate::bounds::{QUERY_TERMS_MAX, RUN_PAGE_DEFAULT};
use crate::reply::{CaughtUpRuns, FoundRun, RunPage, SearchResults};
use crate::request::{Freshness, RunQuery};
use crate::run_query::{Completion, QueryField, QueryLine, completions};

/// Fields that are counted on every page.
const FACETS: [RunField; 3] = [RunField::Status, RunField::Workflow, RunField::Branch];

impl Runtime {
    /// Returns some of the runs that match a query line, with counts.
    pub async fn run_page(&self, query: &RunQuery) -> Result<RunPage, Envelope> {
        let limit = checked_limit(query.limit)?;
        let line = QueryLine::parse(&query.query);
        if !line.problems.is_empty() {
            let is_caught_up = self.recall.is_caught_up();
            return Ok(RunPage { problems: line.problems, is_caught_up, ..RunPage::default() });
        }
        let unindexed = match query.freshness {
            Freshness::Now => self.recall.catch_up().await?.unindexed(),
            Freshness::Indexed => 0,
        };
        let sort = query.sort.unwrap_or(RunField::Active);
        let wanted = RunIndexQuery {
            filter: line.filter(self.ports.clock.now_ms()),
            sort,
            is_descending: begins_with_largest(sort) != query.is_reversed,
            from: query.from,
            limit,
            facets: FACETS.to_vec(),
        };
        let RunFilterPage { runs, total, facets, unreadable, version } =
            self.recall.page(&wanted).await?;
        Ok(RunPage {
            runs: runs.into_iter().map(found).collect(),
            from: query.from,
            total,
            facets,
            unreadable,
            unindexed,
            is_caught_up: self.recall.is_caught_up(),
            version: Some(version),
            problems: Vec::new(),
        })
    }

    /// Returns what has all words of `text`, as it is indexed. The last word may be only the beginning of one, unless a
    /// space follows it.
    pub async fn search(
        &self,
        text: &str,
        from: u64,
        limit: Option<usize>,
    ) -> Result<SearchResults, Envelope> {
        let limit = checked_limit(limit)?;
        let terms = search_terms(text);
        // Signs alone match nothing, rather than everything.
        if terms.is_empty() {
            return Ok(SearchResults { from, ..SearchResults::default() });
        }
        let wanted = RunIndexQuery {
            filter: Filter::All(terms),
            sort: RunField::Active,
            is_descending: true,
            from,
            limit,
            facets: Vec::new(),
        };
        let page = self.recall.page(&wanted).await?;
        let runs = page.runs.into_iter().map(found).collect();
        Ok(SearchResults { runs, from, total: page.total, version: Some(page.version) })
    }

    /// Returns the newest of the runs that match a filter, as they are indexed, and the number of all that match.
    pub(super) async fn newest_runs(
        &self,
        filter: Filter,
        runs_max: u64,
    ) -> Result<(Vec<RunSummary>, u64), Envelope> {
        let mut wanted = RunIndexQuery {
            filter,
            sort: RunField::Active,
            is_descending: true,
            from: 0,
            limit: INDEX_HITS_MAX,
            facets: Vec::new(),
        };
        let (mut runs, mut total) = (Vec::new(), u64::MAX);
        while wanted.from < total.min(runs_max) {
            let page = self.recall.page(&wanted).await?;
            wanted.from += INDEX_HITS_MAX as u64;
            total = page.total;
            runs.extend(page.runs.into_iter().map(|found| found.run));
        }
        Ok((runs, total))
    }

    /// Brings the index of runs up to date with every session.
    pub async fn catch_up_runs(&self) -> Result<CaughtUpRuns, Envelope> {
        let done = self.recall.catch_up().await?;
        Ok(CaughtUpRuns {
            sessions: done.streams.len(),
            read: done.read(),
            unreadable: done.troubled.len(),
            unindexed: done.unindexed(),
        })
    }

    /// True if this process has brought the index of runs up to date with every session at least once.
    pub fn is_caught_up_with_runs(&self) -> bool {
        self.recall.is_caught_up()
    }

    /// Brings the index of runs up to date with one session, after a hint that it changed. Returns false if it cannot
    /// be read or indexed now.
    pub async fn catch_up_session(&self, session: SessionId) -> bool {
        self.recall.catch_up_with(&StreamId::from(session)).await
    }

    /// Returns what could be typed at a place of a query line, with workflows and branches as they are indexed.
    pub async fn complete_run_query(
        &self,
        line: &str,
        place: usize,
    ) -> Result<Vec<Completion>, Envelope> {
        let wanted = RunIndexQuery {
            filter: Filter::everything(),
            sort: RunField::Active,
            is_descending: true,
            from: 0,
            limit: 0,
            facets: FACETS.to_vec(),
        };
        let facets = self.recall.page(&wanted).await?.facets;
        let known = |field: QueryField| {
            let facet = facets.iter().find(|facet| facet.field.as_str() == field.as_str());
            let values = facet.map(|facet| facet.values.as_slice()).unwrap_or_default();
            values.iter().map(|value| value.value.as_str()).collect()
        };
        Ok(completions(line, place, known))
    }
}

/// Returns the conditions of a search by words. Signs alone are no word.
pub(crate) fn search_terms(text: &str) -> Vec<Filter> {
    let words: Vec<&str> = text.split_whitespace().take(QUERY_TERMS_MAX).collect();
    let is_typing = !text.ends_with(char::is_whitespace);
    let terms = words.iter().enumerate().filter_map(|(number, word)| {
        Term::new(word, is_typing && number + 1 == words.len()).map(Filter::Has)
    });
    terms.collect()
}

/// True for fields whose largest value is what people look for first.
const fn begins_with_largest(field: RunField) -> bool {
    matches!(
        field,
        RunField::Active | RunField::Started | RunField::Gaps | RunField::Nodes | RunField::Tips
    )
}

fn checked_limit(limit: Option<usize>) -> Result<usize, Envelope> {
    let limit = limit.unwrap_or(RUN_PAGE_DEFAULT);
    if limit > INDEX_HITS_MAX {
        let message =
            format!("A page has at most {INDEX_HITS_MAX} runs, and {limit} were asked for.");
        let advice = "Ask for fewer, and for the next page with `from`.";
        return Err(Envelope::new(Code::ValidationError, message).with_suggestion(advice));
    }
    Ok(limit)
}

/// Returns a run as a page shows it.
fn found(IndexedRun { mut run, excerpt }: IndexedRun) -> FoundRun {
    // These are most of a summary, and no list shows them.
    run.recap = None;
    run.workflow.step_titles = Vec::new();
    FoundRun { run, excerpt }
}

//! Resolution of the session or run that a person names.
//!
//! *Invariants*: an ambiguous name is refused, and the candidates are listed. The two-word labels of runs are for
//! people who know which runs they have. There are too few labels to stay unique, so nothing is ever removed by label.

use piton_core::{Code, Envelope, RunId, SessionId, truncate};
use piton_store::StreamId;
#[cfg(feature = "flow")]
use piton_store::port::Filter;
use piton_workflow::label::Label;
use piton_workflow::projection::RunSummary;
#[cfg(feature = "flow")]
use piton_workflow::run_index::{RunField, RunIndexQuery};
use piton_workflow::run_index::{RunListing, UnreadableSession};

use super::runs::unreadable;
use super::runtime::Runtime;
use crate::bounds::{CANDIDATES_LISTED_MAX, ID_ENDING_BYTES_MIN, NAME_QUOTED_BYTES_MAX, cut};
use crate::request::SessionReference;
use piton_core::did_you_mean;

/// The purpose of a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// To read something, or to add to it.
    Use,
    /// To remove something.
    TakeAway,
}

/// The session, and perhaps the run, that a person named.
#[derive(Clone, Copy)]
pub(super) struct Meant {
    pub(super) session: SessionId,
    /// The run, if one was named.
    pub(super) run: Option<RunId>,
}

impl Runtime {
    /// Returns the session, and perhaps the run, that a reference names.
    pub(super) async fn meant(
        &self,
        reference: &SessionReference,
        reach: Reach,
    ) -> Result<Meant, Envelope> {
        let text = reference.0.trim();
        // A full session id needs no listing, and so it works even if the listing fails.
        if let Ok(session) = text.parse() {
            return Ok(Meant { session, run: None });
        }
        // Neither does a full run id that the index knows.
        if let Ok(run) = text.parse()
            && let Some(session) = self.recall.session_of(run).await
        {
            return Ok(Meant { session, run: Some(run) });
        }
        let listing = self.recall.list().await?;
        let mut found: Vec<(Meant, String)> = Vec::new();
        for summary in &listing.runs {
            if let Some(meant) = names(text, summary, reach) {
                found.push((meant, line(summary)));
            }
        }
        // Several runs of one session that match by its id are a single match.
        if found.iter().all(|(meant, _)| meant.run.is_none()) {
            found.dedup_by_key(|(meant, _)| meant.session);
        }
        // Damaged sessions take part too: they are the ones that people want to inspect and repair.
        for troubled in &listing.troubled {
            let session: Option<SessionId> = troubled.stream.as_str().parse().ok();
            let by_label =
                reach == Reach::Use && troubled.labels().any(|label| label.to_string() == text);
            let by_run = || troubled.runs.iter().any(|run| ends(&run.to_string(), text));
            let is_named =
                |session: &SessionId| by_label || ends(&session.to_string(), text) || by_run();
            if let Some(session) = session.filter(is_named) {
                found.push((Meant { session, run: None }, damaged_line(troubled)));
            }
        }
        match found.as_slice() {
            [(meant, _)] => Ok(*meant),
            [] => Err(nothing(text, &listing, reach)),
            several => {
                let lines = several.iter().map(|(_, line)| line);
                let first = several[0].0.session;
                Err(ambiguous(text, lines).with_suggestion(format!(
                    "Name one of them by its session's id, which every command takes in place of `{}`: \
                     `piton session show {first}`.",
                    truncate(text, NAME_QUOTED_BYTES_MAX)
                )))
            }
        }
    }

    /// Returns the name of a run for the command line: its label, or the id of its session if another run has that
    /// label.
    #[cfg(feature = "flow")]
    pub(crate) async fn name_of(&self, session: SessionId, run: RunId) -> Result<String, Envelope> {
        let own = piton_workflow::label::label(run);
        let caught_up = self.recall.catch_up().await?;
        let named = RunIndexQuery {
            filter: Filter::Equals(RunField::Label.name(), own.to_string().as_str().into()),
            sort: RunField::Active,
            is_descending: true,
            from: 0,
            limit: 0,
            facets: Vec::new(),
        };
        let readable = self.recall.page(&named).await?.total;
        let troubled = caught_up.troubled.iter();
        let troubled = troubled.filter(|one| one.labels().any(|label| label == own)).count();
        let is_alone = readable + troubled as u64 <= 1 && caught_up.unindexed() == 0;
        Ok(if is_alone { own.to_string() } else { session.to_string() })
    }

    /// Returns the labels of all runs, also of those that cannot be read.
    #[cfg(feature = "flow")]
    pub(crate) async fn run_labels(&self) -> Result<Vec<String>, Envelope> {
        Ok(labels(&self.recall.list().await?))
    }

    /// Returns the one run that a reference names.
    pub(crate) async fn meant_run(
        &self,
        reference: &SessionReference,
    ) -> Result<(SessionId, RunId), Envelope> {
        let Meant { session, run } = self.meant(reference, Reach::Use).await?;
        if let Some(run) = run {
            return Ok((session, run));
        }
        let listing = self.recall.list().await?;
        let runs: Vec<_> = listing.runs.iter().filter(|run| run.session_id == session).collect();
        match runs.as_slice() {
            [run] => Ok((session, run.run_id)),
            [] => {
                let name = StreamId::from(session);
                let troubled = listing.troubled.iter().find(|one| one.stream == name);
                Err(troubled
                    .map_or_else(|| nothing(&reference.0, &listing, Reach::Use), unreadable))
            }
            several => {
                let lines = several.iter().map(|run| format!("{} ({})", run.run_id, run.label));
                Err(ambiguous(&reference.0, lines))
            }
        }
    }
}

fn names(text: &str, summary: &RunSummary, reach: Reach) -> Option<Meant> {
    let (session, run) = (summary.session_id, summary.run_id);
    let by_label = reach == Reach::Use && summary.label.to_string() == text;
    if by_label || ends(&run.to_string(), text) {
        Some(Meant { session, run: Some(run) })
    } else {
        ends(&session.to_string(), text).then_some(Meant { session, run: None })
    }
}

/// True if an id equals `text` or ends with it.
pub(crate) fn ends(id: &str, text: &str) -> bool {
    id == text || (text.len() >= ID_ENDING_BYTES_MIN && id.ends_with(text))
}

fn line(summary: &RunSummary) -> String {
    let RunSummary { session_id, label, title, .. } = summary;
    format!("{session_id} ({label}: {title})")
}

/// Describes an unreadable session with the labels of its runs.
fn damaged_line(troubled: &UnreadableSession) -> String {
    let labels: Vec<String> = troubled.labels().map(|label| label.to_string()).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{}: ", labels.join(", ")) };
    format!("{} ({labels}cannot be read)", troubled.stream)
}

/// Returns the labels of all runs, also of those that cannot be read.
fn labels(listing: &RunListing) -> Vec<String> {
    let readable = listing.runs.iter().map(|summary| summary.label);
    let troubled = listing.troubled.iter().flat_map(UnreadableSession::labels);
    readable.chain(troubled).map(|label| label.to_string()).collect()
}

fn nothing(text: &str, listing: &RunListing, reach: Reach) -> Envelope {
    let shown = truncate(text, NAME_QUOTED_BYTES_MAX);
    let is_meant = |label: Label| label.to_string() == text;
    let readable = listing.runs.iter().filter(|summary| is_meant(summary.label));
    let troubled = listing.troubled.iter().filter(|one| one.labels().any(is_meant));
    let mut labelled = readable.map(|summary| line(summary)).chain(troubled.map(damaged_line));
    if reach == Reach::TakeAway
        && let Some(line) = labelled.next()
    {
        let message = format!(
            "What takes data away needs the id of a session, not two words like `{shown}`."
        );
        let suggestion = format!("If you mean {line}, name it by that id.");
        return Envelope::new(Code::ValidationError, message).with_suggestion(suggestion);
    }
    let message = format!("There is no session or run `{shown}` in this data directory.");
    let envelope = Envelope::new(Code::SessionNotFound, message);
    // Nothing is taken away by a label, so none is suggested for that.
    if reach == Reach::TakeAway {
        return envelope;
    }
    let labels = labels(listing);
    let labels = labels.iter().map(String::as_str);
    match did_you_mean(text, labels, "`piton session list` shows all.") {
        Some(question) => envelope.with_suggestion(question),
        None => envelope,
    }
}

/// Builds the error for a name that fits several things, which it lists.
pub(crate) fn ambiguous(text: &str, lines: impl Iterator<Item = impl ToString>) -> Envelope {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    let count = lines.len();
    let (mut lines, more) = cut(lines, CANDIDATES_LISTED_MAX);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    let (shown, lines) = (truncate(text, NAME_QUOTED_BYTES_MAX), lines.join("\n  "));
    Envelope::new(Code::ValidationError, format!("`{shown}` fits {count} of them:\n  {lines}"))
        .with_suggestion("Name one of them by its whole id.")
}

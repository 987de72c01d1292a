//! Everything that waits for a person: questions, trouble, and reviews.
//!
//! *Invariants*: read-only. One part that cannot be looked at does not hide the others.
//!
//! *Limitations*: a run is read only if its summary leaves open whether it waits for somebody, and only the newest of
//! these are read; the rest is counted.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use piton_core::{Envelope, RunId, SessionId};
use piton_store::port::{FieldValue, Filter};
use piton_workflow::RunStatus;
use piton_workflow::compile::CompiledStep;
use piton_workflow::projection::{RunSummary, WorkflowOutline};
use piton_workflow::run_index::{RunField, UnreadableSession};
use piton_workflow::session::{self, Question};

use super::runs::unreadable as unreadable_session;
use super::runtime::Runtime;
use crate::bounds::{INBOX_ENTRIES_MAX, INBOX_RUNS_LOOKED_MAX, INBOX_RUNS_READ_MAX};
use crate::reply::{GappedRun, Inbox, OverlayWaiting, ShownList, TroubledSession};
use crate::request::Freshness;
use crate::workspaces::FileWorld;

/// The runs that may need a person, newest first, and the sessions that cannot be read.
#[derive(Default)]
struct InboxRuns {
    runs: Vec<Arc<RunSummary>>,
    /// Number of older ones that were not looked at.
    left_out: usize,
    unreadable: Vec<UnreadableSession>,
    unreadable_left_out: usize,
}

impl Runtime {
    /// Returns everything that waits for a person, seen from `project`. Overlays are those of `files`.
    pub async fn inbox(
        &self,
        project: Option<&Path>,
        files: Option<&FileWorld>,
        freshness: Freshness,
    ) -> Result<Inbox, Envelope> {
        let mut inbox = Inbox::default();
        self.add_runs(&mut inbox, freshness).await?;
        if let Some(files) = files {
            match files.waiting_overlays().await {
                Ok(overlays) => inbox.overlays = ShownList::first(overlays, INBOX_ENTRIES_MAX),
                Err(error) => inbox.unavailable.push(error),
            }
        }
        self.add_settings(&mut inbox, project);
        Ok(inbox)
    }

    async fn add_runs(&self, inbox: &mut Inbox, freshness: Freshness) -> Result<(), Envelope> {
        let InboxRuns { runs, left_out, unreadable, unreadable_left_out } = match freshness {
            Freshness::Now => self.listed_runs().await?,
            Freshness::Indexed => self.indexed_runs().await?,
        };
        inbox.runs_not_read = left_out;
        let (mut questions, mut blocked, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = 0;
        for run in &runs {
            let may_ask = !run.status.is_complete() && self.may_ask(run).await;
            let may_lack = run.status != RunStatus::Complete && run.open_gaps > 0;
            if (may_ask || may_lack) && read == INBOX_RUNS_READ_MAX {
                inbox.runs_not_read += 1;
                continue;
            }
            read += usize::from(may_ask || may_lack);
            let question = if may_ask { self.question_of(run).await } else { Ok(None) };
            match question {
                Ok(Some(question)) => {
                    questions.push(question);
                    // It waits for an answer, and nothing else is to be said about it.
                    continue;
                }
                Ok(None) => {}
                // Its session was damaged a moment ago. The next listing says how.
                Err(_) => inbox.runs_not_read += 1,
            }
            if run.status == RunStatus::Blocked {
                blocked.push(outline(run));
            } else if may_lack {
                let critical = self.critical_gaps(run.session_id, run.run_id).await;
                let gapped = |critical| GappedRun { run: outline(run), critical };
                gaps.extend(critical.filter(|critical| *critical > 0).map(gapped));
            }
        }
        questions.sort_by_key(|question| (Reverse(question.since), question.run.run_id));
        let damaged = unreadable.iter().map(|one| TroubledSession {
            session_id: one.stream.to_string(),
            labels: one.labels().collect(),
            trouble: unreadable_session(one),
        });
        inbox.damaged = ShownList::first(damaged.collect(), INBOX_ENTRIES_MAX);
        inbox.damaged.left_out += unreadable_left_out;
        inbox.questions = ShownList::first(questions, INBOX_ENTRIES_MAX);
        inbox.blocked = ShownList::first(blocked, INBOX_ENTRIES_MAX);
        inbox.gaps = ShownList::first(gaps, INBOX_ENTRIES_MAX);
        Ok(())
    }

    /// Returns the runs that may need a person, as they are now.
    async fn listed_runs(&self) -> Result<InboxRuns, Envelope> {
        let mut listing = self.recall.list().await?;
        listing.runs.sort_by_key(|run| (Reverse(run.active_at), run.session_id, run.run_id));
        let (runs, unreadable) = (listing.runs, listing.troubled);
        Ok(InboxRuns { runs, unreadable, ..InboxRuns::default() })
    }

    /// Returns the newest runs that may need a person, as they are indexed.
    async fn indexed_runs(&self) -> Result<InboxRuns, Envelope> {
        let is = |status: RunStatus| {
            Filter::Equals(RunField::Status.name(), FieldValue::from(status.as_str()))
        };
        let complete = Filter::Any(vec![is(RunStatus::Complete), is(RunStatus::CompleteWithGaps)]);
        let asks = Filter::Equals(RunField::Asks.name(), FieldValue::Number(1));
        let lacks = vec![
            Filter::Greater(RunField::Gaps.name(), 0),
            Filter::Not(Box::new(is(RunStatus::Complete))),
        ];
        let filter = Filter::Any(vec![
            is(RunStatus::Blocked),
            Filter::All(vec![asks, Filter::Not(Box::new(complete))]),
            Filter::All(lacks),
        ]);
        let (runs, total) = self.newest_runs(filter, INBOX_RUNS_LOOKED_MAX).await?;
        let left_out = usize::try_from(total).unwrap_or(usize::MAX).saturating_sub(runs.len());
        let (unreadable, unreadable_left_out) = self.recall.unreadable(INBOX_ENTRIES_MAX).await?;
        let runs = runs.into_iter().map(Arc::new).collect();
        Ok(InboxRuns { runs, left_out, unreadable, unreadable_left_out })
    }

    /// True if a run waits for the answer of a person. One that cannot be read waits for nobody.
    pub async fn waits_for_person(&self, run: &RunSummary) -> bool {
        let may_ask = !run.status.is_complete() && self.may_ask(run).await;
        may_ask && matches!(self.question_of(run).await, Ok(Some(_)))
    }

    /// True if the step that a run is at may ask a person something: any step that was refused too often does. Most
    /// others never do, and the pinned workflow, which many runs share, says so.
    async fn may_ask(&self, run: &RunSummary) -> bool {
        if run.status == RunStatus::Blocked {
            return true;
        }
        let Some(step) = &run.step else { return false };
        let pinned = self.sessions.reader().loader().workflow(run.workflow.hash).await;
        // Without the workflow, the run itself is asked.
        pinned.map_or(true, |pinned| {
            pinned.workflow.step(&step.step_id).is_some_and(CompiledStep::may_ask)
        })
    }

    async fn question_of(&self, run: &RunSummary) -> Result<Option<Question>, session::Error> {
        self.sessions.reader().question(run.session_id, run.run_id).await
    }

    async fn critical_gaps(&self, session: SessionId, run: RunId) -> Option<usize> {
        let inspected = self.sessions.reader().inspect(session).await.ok()?;
        inspected.read(|state| Some(state.run(run)?.gaps.open_critical()))
    }

    fn add_settings(&self, inbox: &mut Inbox, project: Option<&Path>) {
        let settings = match self.settings_for(project) {
            Ok(settings) => settings,
            Err(problems) => {
                inbox.config_problems = problems;
                self.configuration.settings()
            }
        };
        let contents = self.library_contents(&settings, project);
        inbox.unloaded = ShownList::first(contents.broken, INBOX_ENTRIES_MAX);
        // Without a readable configuration there is nothing to compare; its problems are listed already.
        let status = self.status().ok();
        inbox.restart = status.filter(|status| status.restart_needed);
    }
}

/// Returns a summary without the texts that an inbox does not show.
fn outline(run: &RunSummary) -> RunSummary {
    let workflow = WorkflowOutline { step_titles: Vec::new(), ..run.workflow.clone() };
    RunSummary { recap: None, workflow, ..run.clone() }
}

impl FileWorld {
    /// Returns the overlays that have changes.
    async fn waiting_overlays(&self) -> Result<Vec<OverlayWaiting>, Envelope> {
        let mut waiting = Vec::new();
        for (overlay, over) in self.overlay_prefixes() {
            let changes = self.change_count(&overlay).await?;
            if changes > 0 {
                waiting.push(OverlayWaiting { overlay, over, changes });
            }
        }
        Ok(waiting)
    }
}

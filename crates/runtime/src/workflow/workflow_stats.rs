//! The cost of a workflow's steps, over all of its runs.

use std::cmp::Reverse;
use std::sync::Arc;

use piton_core::{Code, Envelope, truncate};
use piton_workflow::projection::{RunSummary, WorkflowTally};
use piton_workflow::session;

use super::runtime::Runtime;
use crate::bounds::{NAME_QUOTED_BYTES_MAX, STATS_RUNS_MAX};
use crate::reply::CountedRuns;

impl Runtime {
    /// Sums up the steps of a workflow over its newest runs.
    pub async fn workflow_stats(&self, workflow_id: &str) -> Result<CountedRuns, Envelope> {
        let mut runs = self.recall.list().await?.runs;
        runs.retain(|run| run.workflow.id.as_str() == workflow_id);
        runs.sort_by_key(|run| (Reverse(run.active_at), run.session_id, run.run_id));
        let Some(first) = runs.first() else { return Err(no_runs(workflow_id)) };
        let mut tally = WorkflowTally::new(first.workflow.id.clone());
        let runs_left_out = runs.len().saturating_sub(STATS_RUNS_MAX);
        let mut unreadable = 0;
        for run in runs.iter().take(STATS_RUNS_MAX) {
            // One damaged run must not hide what the others say.
            unreadable += usize::from(self.count_run(run, &mut tally).await.is_err());
        }
        Ok(CountedRuns { stats: tally.finish(), runs_left_out, unreadable })
    }

    async fn count_run(
        &self,
        run: &Arc<RunSummary>,
        tally: &mut WorkflowTally,
    ) -> Result<(), session::Error> {
        let reader = self.sessions.reader();
        let inspected = reader.inspect(run.session_id).await?;
        let shape = reader.run_shape(&inspected, run.run_id).await?;
        let pinned = reader.loader().workflow(run.workflow.hash).await?;
        let is_complete = run.status.is_complete();
        inspected.read(|state| {
            if let Some(run) = state.run(run.run_id) {
                tally.add(state, run, &shape, &pinned.workflow, is_complete);
            }
        });
        Ok(())
    }
}

fn no_runs(workflow_id: &str) -> Envelope {
    let shown = truncate(workflow_id, NAME_QUOTED_BYTES_MAX);
    let message = format!("No run of the workflow `{shown}` is in this data directory.");
    Envelope::new(Code::SessionNotFound, message)
        .with_suggestion("`piton session list` shows the workflows of the runs that there are.")
}

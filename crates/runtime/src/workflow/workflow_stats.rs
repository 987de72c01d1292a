//! The cost of a workflow's steps, over all of its runs.

use piton_core::{Code, Envelope, truncate};
use piton_store::port::{FieldValue, Filter};
use piton_workflow::projection::{RunSummary, WorkflowTally};
use piton_workflow::run_index::{RunField, RunIndexQuery};
use piton_workflow::session;

use super::runtime::Runtime;
use crate::bounds::{NAME_QUOTED_BYTES_MAX, STATS_RUNS_MAX};
use crate::reply::CountedRuns;
use piton_core::did_you_mean;

impl Runtime {
    /// Sums up the steps of a workflow over its newest runs.
    pub async fn workflow_stats(&self, workflow_id: &str) -> Result<CountedRuns, Envelope> {
        self.recall.catch_up().await?;
        let of_workflow = Filter::Equals(RunField::Workflow.name(), FieldValue::from(workflow_id));
        let (runs, total) = self.newest_runs(of_workflow, STATS_RUNS_MAX as u64).await?;
        let Some(first) = runs.first() else {
            return Err(no_runs(workflow_id, &self.indexed_workflows().await?));
        };
        let mut tally = WorkflowTally::new(first.workflow.id.clone());
        let runs_left_out = usize::try_from(total).unwrap_or(usize::MAX).saturating_sub(runs.len());
        let mut unreadable = 0;
        for run in &runs {
            // One damaged run must not hide what the others say.
            unreadable += usize::from(self.count_run(run, &mut tally).await.is_err());
        }
        Ok(CountedRuns { stats: tally.finish(), runs_left_out, unreadable })
    }

    /// Returns the workflows of all runs, as they are indexed.
    async fn indexed_workflows(&self) -> Result<Vec<String>, Envelope> {
        let wanted = RunIndexQuery {
            filter: Filter::everything(),
            sort: RunField::Active,
            is_descending: true,
            from: 0,
            limit: 0,
            facets: vec![RunField::Workflow],
        };
        let facets = self.recall.page(&wanted).await?.facets;
        let values = facets.into_iter().flat_map(|facet| facet.values);
        Ok(values.map(|counted| counted.value).collect())
    }

    async fn count_run(
        &self,
        run: &RunSummary,
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

fn no_runs(workflow_id: &str, known: &[String]) -> Envelope {
    let shown = truncate(workflow_id, NAME_QUOTED_BYTES_MAX);
    let message = format!("No run of the workflow `{shown}` is in this data directory.");
    let list = "`piton session list` shows the workflows of the runs that there are.";
    let question = did_you_mean(workflow_id, known.iter().map(String::as_str), list);
    Envelope::new(Code::SessionNotFound, message)
        .with_suggestion(question.unwrap_or(list.to_owned()))
}

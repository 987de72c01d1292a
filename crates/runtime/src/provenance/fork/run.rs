//! A token for any node of a run.

use piton_core::{Code, Envelope};
use piton_workflow::label::label;

use crate::provenance::reference::{NodeReference, Placed};
use crate::provenance::reply::Forked;
use crate::workflow::Runtime;
use crate::workflow::artifacts::content_lost;

impl Runtime {
    /// Returns the call that continues from a node. Nothing is written: an output submitted there creates the branch.
    pub async fn fork_run(&self, reference: &NodeReference) -> Result<Forked, Envelope> {
        let Placed { session, reading, run, node } = self.placed(reference).await?;
        let name = self.name_of(session, run.id).await?;
        let found = run.graph.node(node).expect("it was found in the graph");
        let steps = reading.steps(&run, [found].into_iter()).await?;
        // A node without a pending step is the end of a run, where no output can be submitted.
        let Some(step) = steps.get(&found.snapshot).and_then(Option::as_ref) else {
            let message =
                "The run is complete there: no step is pending that a branch could begin with.";
            return Err(Envelope::new(Code::ValidationError, message)
                .with_suggestion("Name an earlier step: `piton session tree RUN` draws them.")
                .with_name("RUN", name));
        };
        let taken_up = self.sessions.reader().take_up_at(session, run.id, Some(node)).await;
        let taken_up = taken_up.map_err(|error| content_lost(session, error.envelope()))?;
        Ok(Forked {
            session_id: session,
            run_id: run.id,
            label: label(run.id).to_string(),
            name,
            node_id: node,
            step: step.step_id.as_str().to_owned(),
            title: step.title.as_str().to_owned(),
            was_left: !found.is_tip(),
            branch_tip: run
                .graph
                .newest_tip_below(found)
                .map(|tip| tip.id)
                .filter(|tip| *tip != node),
            next_call: taken_up.next_call,
        })
    }
}

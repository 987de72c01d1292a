//! A recap line by line, with the output that each came from.

use std::collections::HashMap;

use piton_core::{Envelope, NodeId};
use piton_workflow::OutputChannel;
use piton_workflow::projection::{Recap, RunState};
use piton_workflow::snapshot::{ExecutionSnapshot, derive_pending_step};

use super::chain::time_of;
use super::place::Placed;
use super::reply::{RecapBlame, RecapLine, RecapSource};
use super::request::NodeReference;
use crate::runtime::Runtime;
use crate::runtime::reading::Reading;

impl Runtime {
    /// What an agent would read that takes up a node, line by line, and where each line comes from.
    pub async fn blame_recap(&self, reference: &NodeReference) -> Result<RecapBlame, Envelope> {
        let Placed { session, mut reading, run, node } = self.placed(reference).await?;
        let workflow = reading.workflow(run.started.workflow_hash).await?;
        let recap = Recap::select(&run, node);
        let mut snapshots: HashMap<NodeId, ExecutionSnapshot> = HashMap::new();
        for noted in recap.nodes() {
            snapshots.insert(noted.node, reading.snapshot(noted.snapshot).await?);
        }
        let here = run.graph.node(node).expect("it was found in the graph").snapshot;
        let here = reading.snapshot(here).await?;
        let step_at = |node: NodeId| snapshots.get(&node).and_then(derive_pending_step);
        let pieces = recap.pieces(&workflow, derive_pending_step(&here), step_at);
        let lines = pieces.iter().flat_map(|piece| {
            let from = piece.node.and_then(|node| source(&reading, &run, node));
            piece.text.lines().map(move |line| RecapLine { text: line.to_owned(), from })
        });
        let lines = lines.filter(|line| !line.text.is_empty()).collect();
        Ok(RecapBlame { session_id: session, run_id: run.id, node_id: node, lines })
    }
}

fn source(reading: &Reading<'_>, run: &RunState, node: NodeId) -> Option<RecapSource> {
    let output = run.outputs.current(node, OutputChannel::Recap).last()?;
    let at = time_of(reading, output.index);
    Some(RecapSource { node_id: node, output_id: output.id, event: output.index, at })
}

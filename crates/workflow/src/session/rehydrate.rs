//! Asking where a run stands. Nothing is written: this is a method of what only reads.

use piton_core::NodeId;

use super::answer::Scene;
use super::error::Error;
use super::find::node_of;
use super::place::Place;
use super::reader::Reader;
use super::reply::Reply;
use super::settle::said;
use crate::bounds::SAID_MAX;
use crate::projection::Recap;
use crate::snapshot::{ExecutionSnapshot, derive_pending_step};
use crate::token::{NodeAddress, StatePayload};

/// What separates the prompt of a step from what was said and done, behind it.
const PART_BREAK: &str = "\n\n---\n";

/// What persons said, newest last, as many as are shown.
fn heard(said: &[String]) -> String {
    let newest = &said[said.len().saturating_sub(SAID_MAX)..];
    let lines: Vec<_> = newest.iter().map(|line| format!("\n- {line}")).collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("## What a person said{}", lines.concat())
    }
}

impl Reader {
    /// Where a run stands at the node of a state token, with a recap of what was done.
    pub async fn rehydrate(&self, state_token: &str) -> Result<Reply, Error> {
        let state = self.payload(state_token).await?.into_state()?;
        self.rehydrate_at(state).await.map_err(Error::of_token)
    }

    pub(super) async fn rehydrate_at(&self, state: StatePayload) -> Result<Reply, Error> {
        let warm = self.current(state.address.session).await?;
        let place = {
            let warm = warm.lock();
            let (run, _) = node_of(&warm.state, state.address)?;
            state.check_pin(run.started.workflow_hash)?;
            Place::now(&warm.state, state.address)?
        };
        let scene = self.scene(place).await?;
        let mut body = self.body(&scene).await?;
        let said = {
            let warm = warm.lock();
            let (run, _) = node_of(&warm.state, state.address)?;
            said(run, state.address.node)
        };
        let recap = self.recap(&scene, state.address).await?;
        if let Some(pending) = &mut body.pending {
            for part in [heard(&said), recap] {
                if !part.is_empty() {
                    pending.prompt.push_str(PART_BREAK);
                    pending.prompt.push_str(part.trim_start());
                }
            }
        }
        Ok(Reply { body, notices: Vec::new() })
    }

    /// What was done on the way to a node, and after it.
    async fn recap(&self, scene: &Scene, address: NodeAddress) -> Result<String, Error> {
        let warm = self.current(address.session).await?;
        // The snapshots are read without the lock, so what is to be told is chosen twice: a log only grows, and
        // a node that was added in between just has no title yet.
        let noted: Vec<_> = {
            let warm = warm.lock();
            let (run, _) = node_of(&warm.state, address)?;
            Recap::select(run, address.node)
                .nodes()
                .map(|noted| (noted.node, noted.snapshot))
                .collect()
        };
        let mut steps: Vec<(NodeId, std::sync::Arc<ExecutionSnapshot>)> = Vec::new();
        for (node, snapshot) in noted {
            let read = self.contents().snapshot(self.blobs(), snapshot, &scene.pinned).await?;
            steps.push((node, read));
        }
        let step_at = |node: NodeId| {
            let found = steps.iter().find(|(of, _)| *of == node);
            found.and_then(|(_, snapshot)| derive_pending_step(snapshot))
        };
        let warm = warm.lock();
        let (run, _) = node_of(&warm.state, address)?;
        let pending = derive_pending_step(&scene.snapshot);
        Ok(Recap::select(run, address.node).render(&scene.pinned.workflow, pending, step_at))
    }
}

//! Reports the state of a run. Nothing is written: this is a method of the reading half.

use std::collections::HashMap;
use std::sync::Arc;

use piton_core::{Digest, NodeId};

use super::error::Error;
use super::reader::Reader;
use super::reply::Reply;
use super::reply_basis::ReplyBasis;
use super::reply_builder::StepContext;
use super::token_lookup::node_of;
use crate::projection::{ArtifactText, Produced, ProducedArtifact, RecapDraft, RecapPiece};
use crate::snapshot::{ExecutionSnapshot, derive_pending_step};
use crate::token::{NodeAddress, StatePayload};

/// Separator between the prompt of a step and each part of the recap after it.
const PART_BREAK: &str = "\n\n---\n";

impl Reader {
    /// Reports the state of a run at the node of a state token, with a recap of what was done and produced.
    pub async fn rehydrate(&self, state_token: &str) -> Result<Reply, Error> {
        let state = self.payload(state_token).await?.into_state()?;
        self.rehydrate_at(state).await.map_err(Error::of_token)
    }

    pub(super) async fn rehydrate_at(&self, state: StatePayload) -> Result<Reply, Error> {
        let cached = self.current(state.address.session).await?;
        let basis = {
            let cached = cached.lock();
            let (run, _) = node_of(&cached.state, state.address)?;
            state.check_pin(run.started.workflow_hash)?;
            ReplyBasis::now(&cached.state, state.address)?
        };
        let step_context = self.step_context(basis).await?;
        let mut body = self.body(&step_context).await?;
        let parts = self.recap(&step_context, state.address).await?;
        if let Some(pending) = &mut body.pending {
            for part in parts.iter().filter(|part| !part.is_empty()) {
                pending.prompt.push_str(PART_BREAK);
                pending.prompt.push_str(part.trim());
            }
        }
        Ok(body.into())
    }

    /// Returns the notes taken on the way to a node and after it, and the artifacts produced on the way.
    async fn recap(
        &self,
        step_context: &StepContext,
        address: NodeAddress,
    ) -> Result<[String; 2], Error> {
        let cached = self.current(address.session).await?;
        // Snapshots and artifacts are read without the lock, so the notes are selected twice. A log only grows, and a
        // node that was added in between merely has no title yet.
        let (nodes, produced) = {
            let cached = cached.lock();
            let (run, _) = node_of(&cached.state, address)?;
            let recap = RecapDraft::select(run, address.node);
            let produced = Produced::select(run, address.node);
            let noted = recap.nodes().map(|noted| (noted.node, noted.snapshot));
            (noted.chain(produced.nodes()).collect::<HashMap<_, _>>(), produced)
        };
        let mut steps: HashMap<NodeId, Arc<ExecutionSnapshot>> = HashMap::new();
        for (node, snapshot) in nodes {
            steps.insert(node, self.loader.snapshot(snapshot, &step_context.pinned).await?);
        }
        let mut texts: HashMap<Digest, Arc<ArtifactText>> = HashMap::new();
        for ProducedArtifact { digest, .. } in produced.artifacts() {
            texts.insert(*digest, self.loader.artifact(*digest).await);
        }
        let step_at = |node: NodeId| {
            let found = steps.get(&node);
            found.and_then(|snapshot| derive_pending_step(snapshot))
        };
        let text_of = |digest| {
            texts.get(&digest).map_or(ArtifactText::Large(None), |text| ArtifactText::clone(text))
        };
        let cached = cached.lock();
        let (run, _) = node_of(&cached.state, address)?;
        let pending = derive_pending_step(&step_context.snapshot);
        let noted = RecapDraft::select(run, address.node).render(
            &step_context.pinned.workflow,
            pending,
            step_at,
        );
        // Rendering the artifacts needs no session state, so other tasks need not wait for it.
        drop(cached);
        let produced = produced.pieces(step_at, text_of);
        Ok([noted, produced.into_iter().map(|RecapPiece { text, .. }| text).collect()])
    }
}

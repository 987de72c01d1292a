//! Makes bookmarks.
//!
//! *Invariants*: the id of a bookmark derives from the attempt that made it, so making it again finds it. It hangs on
//! a step node, and every token about it names that node: nothing continues from a bookmark itself.

use piton_core::NodeId;

use super::checked_output::CheckedOutput;
use super::error::Error;
use super::loader::FoldedSession;
use super::reply::{CheckpointBody, CheckpointReply, NextCall};
use super::reply_basis::ReplyBasis;
use super::request::{Checkpoint, SubmittedOutput};
use super::sessions::{PlanDraft, Sessions};
use super::token_lookup::node_of;
use crate::dedupe;
use crate::event::{
    Cause, EdgeCause, EdgeCreated, EdgeKind, EventBody, NodeCreated, NodeKind, NodeScope,
};
use crate::token::{CheckpointPayload, checkpoint_node_id};

impl Sessions {
    /// Makes a bookmark. Repeating the call with the same token changes nothing.
    pub async fn checkpoint(&self, request: Checkpoint) -> Result<CheckpointReply, Error> {
        let payload = self.reader().payload(&request.checkpoint_token).await?.into_checkpoint()?;
        self.checkpoint_at(payload, request.output).await.map_err(Error::of_token)
    }

    async fn checkpoint_at(
        &self,
        payload: CheckpointPayload,
        output: Option<SubmittedOutput>,
    ) -> Result<CheckpointReply, Error> {
        let output = CheckedOutput::check(output)?;
        let CheckpointPayload { address, attempt } = payload;
        let bookmark = checkpoint_node_id(address, attempt);
        let key = dedupe::node_created(address.session, address.run, bookmark);
        if !self.reader().holds(address.session, &key).await? {
            // Everything that the reply is built from has to be readable before anything is written.
            let cached = self.reader().current(address.session).await?;
            let basis = ReplyBasis::now(&cached.lock().state, address)?;
            self.reader().step_context(basis).await?;
            let (lease, cached) = self.locked(address.session).await?;
            let draft = self.draft_bookmark(&mut cached.lock(), payload, bookmark, &output)?;
            // Another caller may have made the bookmark before the lease was taken.
            if let Some(draft) = draft {
                self.append(&lease, Some(&cached), draft).await?;
            } else {
                drop(lease);
                // The bookmark is in the log. The lookup makes sure that it is durable before it is reported.
                self.reader().holds(address.session, &key).await?;
            }
        }
        self.bookmark_reply(payload, bookmark).await
    }

    /// Drafts the events that record a bookmark, or returns `None` if it exists already.
    fn draft_bookmark(
        &self,
        cached: &mut FoldedSession,
        payload: CheckpointPayload,
        bookmark: NodeId,
        output: &CheckedOutput,
    ) -> Result<Option<PlanDraft<'_>>, Error> {
        let CheckpointPayload { address, attempt } = payload;
        let (run, node) = node_of(&cached.state, address)?;
        if run.graph.node(bookmark).is_some() {
            return Ok(None);
        }
        let created = NodeCreated {
            node_kind: NodeKind::Checkpoint,
            parent_node_id: Some(address.node),
            workflow_hash: run.started.workflow_hash,
            snapshot_ref: node.snapshot,
        };
        let mut draft = self.draft(address.session, cached);
        let at = NodeScope { run: address.run, node: bookmark };
        let event_id = draft.push(EventBody::NodeCreated(at, created));
        let cause = Cause { kind: EdgeCause::CheckpointCreated, event_id };
        let edge = EdgeCreated::new(EdgeKind::Checkpoint, address.node, bookmark, cause);
        let edge = edge.expect("that is the cause of a bookmark");
        draft.push(EventBody::EdgeCreated(address.run, edge));
        for output in output.outputs(attempt, |_| Vec::new()) {
            draft.push(EventBody::NodeOutputAppended(at, output));
        }
        output.blobs().iter().for_each(|blob| draft.store(blob.clone()));
        self.check(&draft, cached)?;
        Ok(Some(draft))
    }

    /// Builds the reply that making the bookmark had. Its checkpoint token is the one after the bookmark.
    async fn bookmark_reply(
        &self,
        payload: CheckpointPayload,
        bookmark: NodeId,
    ) -> Result<CheckpointReply, Error> {
        let cached = self.reader().current(payload.address.session).await?;
        let basis = ReplyBasis::after_bookmark(&cached.lock().state, payload.address, bookmark)?;
        let step_context = self.reader().step_context(basis).await?;
        let state = self.reader().mint_one(step_context.basis.state_payload()).await?;
        let checkpoint = self.reader().mint_one(step_context.basis.checkpoint_payload()).await?;
        let body = CheckpointBody {
            run: step_context.run_line(),
            checkpoint_node_id: bookmark,
            state_token: state.long,
            checkpoint_token: checkpoint.long,
            next_call: NextCall::ask(payload.address.run, state.short),
        };
        Ok(CheckpointReply { body, notices: Vec::new() })
    }
}

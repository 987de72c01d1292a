//! Continues a run: verify the tokens, look for an earlier record, lock, decide, append, reply.

use piton_core::{AttemptId, NodeId, OutputId};
use serde_json::{Map, Value};

use piton_store::port::BoxFuture;

use super::advance_draft::AdvanceDraft;
use super::checked_output::CheckedOutput;
use super::error::{CrossedTokens, Error, Refusal};
use super::reply::{NextCall, Reply, ReplyNotice};
use super::reply_basis::ReplyBasis;
use super::request::{Continue, SubmittedOutput};
use super::sessions::Sessions;
use super::text::output_form;
use super::token_lookup::node_of;
use crate::bounds::ASK_AFTER_REFUSALS_DEFAULT;
use crate::dedupe;
use crate::event::ObservationRecorded;
use crate::projection::{RecordedOutput, RunState};
use crate::token::{AckPayload, NodeAddress, StatePayload, TokenError};

impl Sessions {
    /// Continues a run. An ack token submits an output; a state token alone asks for the state of the run.
    pub fn proceed(&self, request: Continue) -> BoxFuture<'_, Result<Reply, Error>> {
        Box::pin(async move {
            let Continue {
                ack_token,
                state_token,
                output,
                context,
                observations,
                ask_after_refusals,
                label: _,
            } = request;
            let state = match &state_token {
                Some(token) => Some(self.reader().payload(token).await?.into_state()?),
                None => None,
            };
            let Some(ack_token) = ack_token else {
                let state = state.ok_or(Refusal::NoToken)?;
                return match (output, context) {
                    (Some(_), _) => Err(Refusal::OutputWithoutAck.into()),
                    (None, Some(_)) => Err(Refusal::ContextWithoutAck.into()),
                    (None, None) => {
                        self.reader().rehydrate_at(state).await.map_err(Error::of_token)
                    }
                };
            };
            let ack = self.reader().payload(&ack_token).await?.into_ack()?;
            // Two tokens of one call must agree, or the agent has mixed up two runs or two steps.
            if let Some(state) = state {
                self.check_pair(state, ack.address).await.map_err(Error::of_token)?;
            }
            let ask_after = ask_after_refusals.unwrap_or(ASK_AFTER_REFUSALS_DEFAULT) as usize;
            let advanced = self.advance_at(ack, output, context, &observations, ask_after).await;
            advanced.map_err(Error::of_token)
        })
    }

    /// Checks that a state token is about the same node as another token.
    async fn check_pair(&self, state: StatePayload, other: NodeAddress) -> Result<(), Error> {
        let cached = self.reader().current(state.address.session).await?;
        let pinned = node_of(&cached.lock().state, state.address)
            .map(|(run, _)| run.started.workflow_hash)?;
        state.check_pin(pinned)?;
        if state.address == other {
            return Ok(());
        }
        // The error carries the next call of both places, so that the agent can continue either.
        let same_run = (state.address.session, state.address.run) == (other.session, other.run);
        let crossed = CrossedTokens {
            ack: self.reader().run_place_at(other).await?,
            state: self.reader().run_place_at(state.address).await?,
            same_run,
        };
        Err(Error::Crossed(Box::new(crossed)))
    }

    /// Submits an output under an attempt. Repeating the same attempt changes nothing.
    async fn advance_at(
        &self,
        ack: AckPayload,
        output: Option<SubmittedOutput>,
        context: Option<Map<String, Value>>,
        observations: &[ObservationRecorded],
        ask_after_refusals: usize,
    ) -> Result<Reply, Error> {
        let output = CheckedOutput::check(output)?;
        let AckPayload { address, attempt } = ack;
        // A retry is answered from the log alone: no lease is taken and nothing is judged again.
        let cached = self.reader().current(address.session).await?;
        let recorded = ReplyBasis::after(&cached.lock().state, address, attempt)?;
        if let Some(basis) = recorded {
            self.make_sure(ack).await?;
            return self.replay(ack, basis, &output).await;
        }
        // The pinned workflow and the snapshot are read before the lease is taken, so that the session is locked only
        // for the decision and the append. Both are immutable, so they cannot go stale in between.
        let step_context = {
            let basis = ReplyBasis::now(&cached.lock().state, address)?;
            self.reader().step_context(basis).await?
        };
        let (lease, cached) = self.locked(address.session).await?;
        // Another caller may have recorded the same attempt while this one waited for the lease. This check decides,
        // because nobody else can append from here on.
        let found = ReplyBasis::after(&cached.lock().state, address, attempt)?;
        if let Some(basis) = found {
            drop(lease);
            self.make_sure(ack).await?;
            return self.replay(ack, basis, &output).await;
        }
        let change = AdvanceDraft {
            ack,
            step_context: &step_context,
            output: &output,
            context,
            observations,
            ask_after_refusals,
        };
        // The session mutex guards memory only and must not be held across the append below.
        let (draft, reached) = {
            let mut cached = cached.lock();
            let mut draft = self.draft(address.session, &cached);
            let reached = change.draft(&cached, &mut draft)?;
            self.check(&draft, &mut cached)?;
            (draft, reached)
        };
        self.append(&lease, Some(&cached), draft).await?;
        drop(lease);
        // The node is durable now, so the next call finds its snapshot without reading the blob.
        if let Some((snapshot_ref, snapshot)) = reached {
            self.reader().loader.learn_snapshot(snapshot_ref, snapshot);
        }
        // The first reply is built from the record, exactly as a retry would build it, so that both are the same.
        let basis = ReplyBasis::after(&cached.lock().state, address, attempt)?;
        let mut reply = self.reader().reply(basis.ok_or(TokenError::UnknownNode)?).await?;
        reply.notices.extend(output.notice());
        Ok(reply)
    }

    /// Makes sure that the recorded attempt is durable: another process may have written it without having synced it
    /// yet.
    async fn make_sure(&self, ack: AckPayload) -> Result<(), Error> {
        let AckPayload { address, attempt } = ack;
        let key = dedupe::advance_recorded(address.session, address.node, attempt);
        // The log was seen to hold the attempt. If the lookup disagrees, the log was cut, replaced or deleted since.
        let is_recorded = self.reader().holds(address.session, &key).await?;
        if is_recorded { Ok(()) } else { Err(TokenError::UnknownNode.into()) }
    }

    /// Returns the reply that an attempt had, with a notice if the output now differs from the recorded one.
    async fn replay(
        &self,
        ack: AckPayload,
        basis: ReplyBasis,
        output: &CheckedOutput,
    ) -> Result<Reply, Error> {
        let mut reply = self.reader().reply(basis).await?;
        let cached = self.reader().current(ack.address.session).await?;
        let (is_same, was_left, now) = {
            let cached = cached.lock();
            let (run, node) = node_of(&cached.state, ack.address)?;
            let outputs = outputs_of(run, ack.address.node, ack.attempt);
            // Output ids derive from the attempt and the content, so comparing ids compares contents.
            let is_same = output.is_what(ack.attempt, &outputs);
            (is_same, !node.is_tip(), ReplyBasis::now(&cached.state, ack.address)?)
        };
        if is_same {
            reply.notices.extend(output.notice());
        } else {
            let step_context = self.reader().step_context(now).await?;
            let token = self.reader().mint_one(step_context.basis.ack_payload()).await?;
            let submit_call = NextCall::submit(ack.address.run, token.short.clone());
            let kind =
                step_context.pending().and_then(|pending| step_context.artifact_kind(pending));
            let call = submit_call.text(&output_form(kind.as_deref()));
            // The reply already carries the next call of the run. This call must not be mistaken for it.
            let what_follows = if was_left {
                format!(
                    "If it says the same in other words, ignore this and continue as the reply says. To submit it as \
                     another branch from its step, which the run follows from then on, send it with this call \
                     instead:\nBranch: {call}"
                )
            } else if reply.body.next_call.as_ref() == Some(&submit_call) {
                "To submit it, send it with the call after `Next:`: the run still waits at the same step."
                    .to_owned()
            } else {
                format!(
                    "To submit it, send it with this call, whose token is newer: the run still waits at the same \
                     step.\nSubmit: {call}"
                )
            };
            reply.notices.push(ReplyNotice::OutputNotRecorded {
                message: format!(
                    "This token was used before with another output, which is what counts. What you sent now was \
                     not recorded. {what_follows}"
                ),
                ack_token: token.short,
                submit_call,
            });
        }
        Ok(reply)
    }
}

/// Returns the ids of the outputs that were submitted with an attempt.
fn outputs_of(run: &RunState, node: NodeId, attempt: AttemptId) -> Vec<OutputId> {
    let Some(recorded) = run.advances.attempt(node, attempt) else {
        return Vec::new();
    };
    let came_with = |output: &&RecordedOutput| {
        output.submission.is_some_and(|submission| submission.index == recorded.index)
    };
    run.outputs.at_node(node).iter().filter(came_with).map(|output| output.id).collect()
}

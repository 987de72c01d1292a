//! Assembles a reply from the state of a run at a node and from the content pinned there. Nothing is decided or
//! rendered here.

use std::sync::Arc;

use piton_store::port::BoxFuture;

use super::error::Error;
use super::guidance::{GuidanceForm, remind};
use super::loader::PinnedWorkflow;
use super::reader::Reader;
use super::reply::{
    DecisionLine, LoopTurn, NextCall, PendingReply, Reply, ReplyBody, ReplyKind, RunLine,
};
use super::reply_basis::ReplyBasis;
use crate::event::Autonomy;
use crate::label::label;
use crate::loop_path::LoopPosition;
use crate::run::NextIntent;
use crate::snapshot::{ExecutionSnapshot, ExecutionState, PendingStep};
use crate::token::{
    self, AckPayload, AttemptKind, AttemptOrdinal, CheckpointPayload, Payload, StatePayload,
    TokenOrdinals, attempt_id,
};

/// The state of a run at a node, with the content pinned there.
pub(super) struct StepContext {
    pub(super) basis: ReplyBasis,
    pub(super) pinned: Arc<PinnedWorkflow>,
    pub(super) snapshot: Arc<ExecutionSnapshot>,
}

impl StepContext {
    pub(super) fn pending(&self) -> Option<&PendingStep> {
        crate::snapshot::derive_pending_step(&self.snapshot)
    }

    pub(super) fn run_line(&self) -> RunLine {
        let address = self.basis.address;
        let mut turns = self.turns();
        let innermost = turns.pop();
        turns.reverse();
        RunLine {
            label: label(address.run),
            session_id: address.session,
            run_id: address.run,
            workflow_id: self.basis.workflow_id.clone(),
            step: self.pending().and_then(|pending| self.number_of(pending)),
            of: self.pinned.workflow.steps.len(),
            turn: innermost.as_ref().map(|innermost| innermost.turn),
            turns_max: innermost.map(|innermost| innermost.turns_max),
            around: turns,
        }
    }

    fn number_of(&self, pending: &PendingStep) -> Option<usize> {
        let mut steps = self.pinned.workflow.steps.iter();
        Some(steps.position(|step| step.step_id == pending.step_id)? + 1)
    }

    /// Returns the turns of the loops around the pending step, outermost first.
    fn turns(&self) -> Vec<LoopTurn> {
        let ExecutionState::Running(running) = &self.snapshot.state else {
            return Vec::new();
        };
        let turn = |LoopPosition { loop_id, iteration }: &LoopPosition| {
            let turns_max = self.pinned.workflow.find_loop(loop_id)?.max_iterations;
            Some(LoopTurn { loop_id: loop_id.clone(), turn: iteration.get() + 1, turns_max })
        };
        running.loop_stack().positions().iter().filter_map(turn).collect()
    }

    pub(super) fn artifact_kind(&self, pending: &PendingStep) -> Option<String> {
        let workflow = &self.pinned.workflow;
        let contract = workflow.step(&pending.step_id)?.output_contract.as_ref()?;
        Some(workflow.contract(&contract.contract_ref)?.artifact_kind.clone())
    }

    pub(super) fn next_intent(&self) -> NextIntent {
        match self.pending() {
            None if crate::snapshot::derive_is_complete(&self.snapshot) => NextIntent::Complete,
            None => NextIntent::RehydrateOnly,
            Some(pending)
                if self.basis.waits_for_person()
                    || (pending.require_confirmation
                        && !self.basis.approved
                        && self.basis.preferences.autonomy == Autonomy::Guided) =>
            {
                NextIntent::AwaitUserConfirmation
            }
            Some(_) => NextIntent::PerformPendingThenContinue,
        }
    }
}

/// The payload of a token and the ordinals that its short form carries.
type CountedPayload = (Payload, TokenOrdinals);

impl ReplyBasis {
    pub(super) fn state_payload(&self) -> CountedPayload {
        let payload = StatePayload { address: self.address, workflow_hash: self.workflow_hash };
        (Payload::State(payload), self.ordinals(AttemptOrdinal::FIRST))
    }

    pub(super) fn ack_payload(&self) -> CountedPayload {
        let attempt = attempt_id(self.address, AttemptKind::Ack, self.ack);
        let payload = AckPayload { address: self.address, attempt };
        (Payload::Ack(payload), self.ordinals(self.ack))
    }

    pub(super) fn checkpoint_payload(&self) -> CountedPayload {
        let attempt = attempt_id(self.address, AttemptKind::Checkpoint, self.checkpoint);
        let payload = CheckpointPayload { address: self.address, attempt };
        (Payload::Checkpoint(payload), self.ordinals(self.checkpoint))
    }

    fn ordinals(&self, attempt: AttemptOrdinal) -> TokenOrdinals {
        TokenOrdinals { node: self.ordinal, attempt }
    }
}

/// A token in both forms. Where there is no short form, `short` repeats the long one.
pub(super) struct MintedToken {
    pub(super) long: String,
    pub(super) short: String,
}

impl Reader {
    /// Loads the workflow and the snapshot that `basis` refers to.
    pub(super) fn step_context(
        &self,
        basis: ReplyBasis,
    ) -> BoxFuture<'_, Result<StepContext, Error>> {
        Box::pin(async move {
            let pinned = self.loader.workflow(basis.workflow_hash).await?;
            let snapshot = self.loader.snapshot(basis.snapshot, &pinned).await?;
            Ok(StepContext { basis, pinned, snapshot })
        })
    }

    /// Builds the body of a reply.
    pub(super) fn body<'a>(
        &'a self,
        step_context: &'a StepContext,
    ) -> BoxFuture<'a, Result<ReplyBody, Error>> {
        Box::pin(async move {
            let StepContext { basis, .. } = step_context;
            let pending = step_context.pending();
            // All tokens of a reply are signed in one go. Without a pending step there is nothing to submit or to
            // bookmark, so only the state token is made.
            let mut payloads = vec![basis.state_payload()];
            if pending.is_some() {
                payloads.extend([basis.ack_payload(), basis.checkpoint_payload()]);
            }
            let mut tokens = self.mint(&payloads).await?.into_iter();
            let state = tokens.next().expect("one token for each that was asked for");
            let (ack, checkpoint) = (tokens.next(), tokens.next());
            let run = basis.address.run;
            let ask = NextCall::ask(run, state.short);
            let pending = pending.map(|pending| PendingReply {
                step_id: pending.step_id.clone(),
                title: pending.title.as_str().to_owned(),
                prompt: match basis.guidance {
                    GuidanceForm::Full => pending.prompt.as_str().to_owned(),
                    GuidanceForm::Reminder => {
                        remind(&step_context.pinned.workflow, pending, &ask.text(""))
                    }
                },
                artifact_kind: step_context.artifact_kind(pending),
            });
            let next_call = ack.as_ref().map(|ack| NextCall::submit(run, ack.short.clone()));
            let checkpoint_call =
                checkpoint.as_ref().map(|made| NextCall::bookmark(run, made.short.clone()));
            let next_intent = step_context.next_intent();
            let is_waiting = next_intent == NextIntent::RehydrateOnly || basis.waits_for_person();
            let mut decisions = Vec::with_capacity(basis.decisions.len());
            for (recorded, snapshot) in &basis.decisions {
                let there = self.loader.snapshot(*snapshot, &step_context.pinned).await?;
                let step = crate::snapshot::derive_pending_step(&there);
                decisions.push(DecisionLine {
                    step: step.map_or_else(String::new, |step| step.title.as_str().to_owned()),
                    decision: recorded.decision.clone(),
                });
            }
            let kind = if basis.blockers.is_some() { ReplyKind::Blocked } else { ReplyKind::Ok };
            Ok(ReplyBody {
                kind,
                run: step_context.run_line(),
                is_complete: crate::snapshot::derive_is_complete(&step_context.snapshot),
                pending,
                preferences: basis.preferences,
                next_intent,
                state_call: is_waiting.then_some(ask),
                state_token: state.long,
                ack_token: ack.map(|ack| ack.long),
                checkpoint_token: checkpoint.map(|checkpoint| checkpoint.long),
                next_call,
                checkpoint_call,
                blockers: basis.blockers.clone(),
                decisions,
                gaps_recorded: basis.gaps.clone(),
            })
        })
    }

    /// Builds a reply without notices.
    pub(super) async fn reply(&self, basis: ReplyBasis) -> Result<Reply, Error> {
        let step_context = self.step_context(basis).await?;
        Ok(self.body(&step_context).await?.into())
    }

    /// Mints one token.
    pub(super) async fn mint_one(&self, payload: CountedPayload) -> Result<MintedToken, Error> {
        let minted = self.mint(&[payload]).await?.pop();
        Ok(minted.expect("one token for each that was asked for"))
    }

    async fn mint(&self, payloads: &[CountedPayload]) -> Result<Vec<MintedToken>, Error> {
        let forms = token::mint_forms(payloads, &*self.keys).await?;
        let minted = |(long, short): (token::TokenString, Option<token::ShortToken>)| {
            let long = long.as_str().to_owned();
            let short = short.map_or_else(|| long.clone(), |short| short.to_string());
            MintedToken { long, short }
        };
        Ok(forms.into_iter().map(minted).collect())
    }
}

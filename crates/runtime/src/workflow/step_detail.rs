//! Everything that is recorded about one node of a run.
//!
//! *Invariants*: a reply stays below a megabyte, and what is left out is counted. Blockers and gaps come before
//! outputs, and these before the context: a step is opened to see why it went as it did.

use std::sync::Arc;

use piton_core::{Code, Envelope, SnapshotRef};
use piton_workflow::capability::Capability;
use piton_workflow::compile::{CompiledWorkflow, PromptPiece};
use piton_workflow::event::{AdvanceOutcome, OutputPayload, Preferences, RunContext};
use piton_workflow::label::label;
use piton_workflow::projection::{
    ArtifactText, RecordedDecision, RecordedOutput, RunNode, RunState, SessionState,
    SideRecordBody, StepPlace, TipState,
};
use piton_workflow::session;
use piton_workflow::snapshot::{ExecutionSnapshot, derive_pending_step};
use piton_workflow::{Autonomy, EdgeCause, NodeAddress};

use super::run_shape::{damage, lost};
use super::runtime::Runtime;
use crate::bounds::{ARTIFACTS_READ_MAX, PROMPT_SHOWN_BYTES_MAX};
use crate::reply::{
    ArtifactShown, AttemptDetail, CapabilityDetail, ContextValue, DecisionShown, DivergenceDetail,
    GapDetail, OutputDetail, PromptPart, ReplyRoom, ShownList, StepDetail, StepTrace, TraceDetail,
};

impl Runtime {
    /// Returns a node of a run with everything that is recorded about it.
    pub async fn step_detail(&self, at: NodeAddress) -> Result<StepDetail, Envelope> {
        let NodeAddress { session, run, node } = at;
        let inspected = self.inspect(session).await?;
        let draft = inspected.read(|state| {
            let run = state.run(run)?;
            Some(NodeDraft::new(state, run, run.graph.node(node)?))
        });
        let NodeDraft { mut detail, snapshot, outputs } = draft.ok_or_else(|| no_node(at))?;
        detail.damage = damage(session, &inspected);
        let mut room = ReplyRoom::new();
        detail.keep_causes(&mut room);
        let loader = self.sessions.reader().loader();
        let hash = inspected.read(|state| Some(state.run(run)?.started.workflow_hash));
        let hash = hash.ok_or_else(|| no_node(at))?;
        let content = async {
            let pinned = loader.workflow(hash).await?;
            Ok::<_, session::Error>((pinned, loader.read_snapshot(snapshot).await?))
        };
        match content.await {
            Ok((pinned, snapshot)) => detail.add_step(&pinned.workflow, &snapshot, &mut room),
            // What events record is worth showing without the content.
            Err(error) => detail.unreadable = Some(lost(session, &error)),
        }
        detail.outputs = self.output_details(outputs, &mut room).await;
        detail.context = room.each(std::mem::take(&mut detail.context.items));
        detail.trace.traces = room.newest(std::mem::take(&mut detail.trace.traces.items));
        detail.children = room.newest(std::mem::take(&mut detail.children.items));
        Ok(detail)
    }

    /// Returns a part of the prompt of a node, from a byte on. A reply with everything about a node cuts a long one.
    pub async fn prompt_part(
        &self,
        at: NodeAddress,
        offset: usize,
    ) -> Result<PromptPart, Envelope> {
        let NodeAddress { session, run, node } = at;
        let inspected = self.inspect(session).await?;
        let snapshot = inspected.read(|state| Some(state.run(run)?.graph.node(node)?.snapshot));
        let snapshot = snapshot.ok_or_else(|| no_node(at))?;
        let read = self.sessions.reader().loader().read_snapshot(snapshot).await;
        let read = read.map_err(|error| lost(session, &error))?;
        let prompt = derive_pending_step(&read).map_or("", |pending| pending.prompt.as_str());
        // The offset comes from a page. One behind the end or inside a character finds the next character.
        let offset = prompt.ceil_char_boundary(offset.min(prompt.len()));
        let end = prompt.floor_char_boundary(offset.saturating_add(PROMPT_SHOWN_BYTES_MAX));
        Ok(PromptPart {
            node_id: node,
            bytes: prompt.len(),
            offset,
            text: prompt[offset..end].to_owned(),
            next_offset: (end < prompt.len()).then_some(end),
        })
    }

    /// Returns the outputs for which there is room, with the contents of small artifacts. The newest matter most.
    async fn output_details(
        &self,
        outputs: Vec<(OutputDetail, Option<OutputPayload>)>,
        room: &mut ReplyRoom,
    ) -> ShownList<OutputDetail> {
        let loader = self.sessions.reader().loader();
        let (total, mut shown, mut read) = (outputs.len(), Vec::new(), 0);
        for (mut output, payload) in outputs.into_iter().rev() {
            if let Some(OutputPayload::ArtifactRef { sha256, byte_length, .. }) = payload {
                read += 1;
                let text = if read <= ARTIFACTS_READ_MAX {
                    Arc::unwrap_or_clone(loader.artifact(sha256).await)
                } else {
                    ArtifactText::Large(None)
                };
                let artifact = ArtifactShown::new(output.output_id, sha256, byte_length, text);
                output.artifact = Some(artifact);
            }
            if !room.fits(&output) {
                break;
            }
            shown.push(output);
        }
        shown.reverse();
        ShownList { left_out: total - shown.len(), items: shown }
    }
}

impl StepDetail {
    /// Bounds what explains the way of the run, before anything else takes the room.
    fn keep_causes(&mut self, room: &mut ReplyRoom) {
        self.attempts = room.newest(std::mem::take(&mut self.attempts.items));
        self.gaps = room.newest(std::mem::take(&mut self.gaps.items));
        self.decisions = room.each(std::mem::take(&mut self.decisions.items));
        self.divergences = room.newest(std::mem::take(&mut self.divergences.items));
    }

    /// Adds what the compiled workflow and the snapshot of the node hold.
    fn add_step(
        &mut self,
        workflow: &CompiledWorkflow,
        snapshot: &ExecutionSnapshot,
        room: &mut ReplyRoom,
    ) {
        let tip = TipState::from(snapshot);
        self.step = StepPlace::of(&tip, workflow);
        self.turn = tip.turn;
        let Some(pending) = derive_pending_step(snapshot) else { return };
        let Some(step) = workflow.step(&pending.step_id) else { return };
        let pieces = workflow.prompt_pieces(step, pending.prompt.as_str());
        let whole: usize = pieces.iter().map(|piece| piece.text.len()).sum();
        self.prompt = cut_prompt(pieces);
        self.prompt_bytes_left_out =
            whole - self.prompt.iter().map(|piece| piece.text.len()).sum::<usize>();
        // Counted even if it is more than there is room for: the lists that follow are then shorter.
        room.fits(&self.prompt);
        self.provenance = Some(step.provenance.clone());
        self.output_contract.clone_from(&step.output_contract);
        self.criteria.clone_from(&step.validation_criteria);
        self.access.clone_from(&step.access);
    }
}

/// Keeps the beginning of a prompt that is too long to be shown.
fn cut_prompt(pieces: Vec<PromptPiece>) -> Vec<PromptPiece> {
    let mut left = PROMPT_SHOWN_BYTES_MAX;
    let cut = |piece: PromptPiece| {
        let end = piece.text.floor_char_boundary(left);
        left -= end;
        let text = piece.text[..end].to_owned();
        (!text.is_empty()).then_some(PromptPiece { text, ..piece })
    };
    pieces.into_iter().map_while(cut).collect()
}

/// What events say about a node.
struct NodeDraft {
    detail: StepDetail,
    snapshot: SnapshotRef,
    /// The outputs, each with its artifact.
    outputs: Vec<(OutputDetail, Option<OutputPayload>)>,
}

impl NodeDraft {
    fn new(state: &SessionState, run: &RunState, node: &RunNode) -> Self {
        let view = NodeView { state, run, node };
        let preferences = run.preferences.effective(node.id);
        let (mut traces, mut divergences) = (ShownList::default(), ShownList::default());
        for record in run.side_records.at_node(node.id) {
            let attempt = record.submission.map(|submission| submission.index);
            match &record.body {
                SideRecordBody::Trace(trace) => traces.items.push(TraceDetail {
                    event: record.index,
                    attempt,
                    entries: trace.entries().to_vec(),
                }),
                SideRecordBody::Divergence(divergence) => {
                    divergences.items.push(DivergenceDetail {
                        event: record.index,
                        at: state.time_of(record.index),
                        divergence: divergence.clone(),
                    });
                }
                SideRecordBody::Capability(_) => {}
            }
        }
        let detail = StepDetail {
            session_id: state.session().expect("a session with a run has an id"),
            run_id: run.id,
            label: label(run.id),
            workflow_id: run.started.workflow_id.clone(),
            node_id: node.id,
            parent_id: run.graph.parent(node).map(|parent| parent.id),
            kind: node.kind,
            event: node.created,
            created_at: state.time_of(node.created),
            is_fork: node.cause == Some(EdgeCause::NonTipAdvance),
            is_preferred_tip: run.graph.preferred_tip().map(|tip| tip.id) == Some(node.id),
            step: None,
            turn: None,
            provenance: None,
            prompt: Vec::new(),
            prompt_bytes_left_out: 0,
            output_contract: None,
            criteria: Vec::new(),
            access: None,
            preferences: preferences.unwrap_or(Preferences::preset(Autonomy::Guided)),
            attempts: all(view.attempts()),
            outputs: ShownList::default(),
            decisions: all(view.decisions()),
            gaps: all(view.gaps()),
            trace: StepTrace { collapsed: true, traces },
            divergences,
            capabilities: view.capabilities(),
            context: all(view.context()),
            children: all(run.graph.children(node).map(|child| child.id).collect()),
            damage: None,
            unreadable: None,
        };
        Self { detail, snapshot: node.snapshot, outputs: view.outputs() }
    }
}

fn all<T>(items: Vec<T>) -> ShownList<T> {
    ShownList { items, left_out: 0 }
}

struct NodeView<'a> {
    state: &'a SessionState,
    run: &'a RunState,
    node: &'a RunNode,
}

impl NodeView<'_> {
    fn attempts(&self) -> Vec<AttemptDetail> {
        let made = self.run.advances.on(self.node.id);
        made.into_iter()
            .map(|(attempt_id, attempt)| {
                let (reached, blockers) = match &attempt.outcome {
                    AdvanceOutcome::Advanced { to_node_id } => (Some(*to_node_id), Vec::new()),
                    AdvanceOutcome::Blocked { blockers } => (None, blockers.blockers().to_vec()),
                };
                let (event, at) = (attempt.index, self.state.time_of(attempt.index));
                AttemptDetail { attempt_id, event, at, reached, blockers }
            })
            .collect()
    }

    fn outputs(&self) -> Vec<(OutputDetail, Option<OutputPayload>)> {
        let detail = |output: &RecordedOutput| {
            let notes = output.notes().map(str::to_owned);
            let payload = notes.is_none().then(|| output.payload.clone());
            let detail = OutputDetail {
                output_id: output.id,
                event: output.index,
                at: self.state.time_of(output.index),
                attempt: output.submission.map(|submission| submission.index),
                supersedes: output.supersedes,
                superseded: output.superseded,
                notes,
                artifact: None,
            };
            (detail, payload)
        };
        self.run.outputs.at_node(self.node.id).iter().map(detail).collect()
    }

    fn decisions(&self) -> Vec<DecisionShown> {
        let shown = |made: RecordedDecision| DecisionShown {
            decision: made.decision,
            by: made.by,
            event: made.index,
            at: self.state.time_of(made.index),
        };
        self.run.decisions_on(self.node.id).into_iter().rev().map(shown).collect()
    }

    fn gaps(&self) -> Vec<GapDetail> {
        let gaps = self.run.gaps.on(self.node.id);
        gaps.map(|gap| GapDetail {
            gap: gap.record.clone(),
            event: gap.index,
            at: self.state.time_of(gap.index),
            is_open: gap.is_open(),
            resolved_by: gap.resolved_by,
        })
        .collect()
    }

    fn capabilities(&self) -> Vec<CapabilityDetail> {
        let observed = self.run.capabilities.at_node(self.node.id);
        let detail = |capability: &Capability| {
            let standing = self.run.capabilities.capability(self.node.id, *capability);
            let own = observed.iter().filter(|(_, seen)| seen.capability() == *capability);
            CapabilityDetail {
                capability: *capability,
                enforced: standing.enforced,
                shown: standing.shown,
                observed: own.map(|(_, seen)| seen.clone()).collect(),
            }
        };
        Capability::ALL.iter().map(detail).collect()
    }

    fn context(&self) -> Vec<ContextValue> {
        let context = self.run.contexts.effective(self.node.id);
        let values = context.into_iter().flat_map(RunContext::as_object);
        values.map(|(key, value)| ContextValue { key: key.clone(), value: value.clone() }).collect()
    }
}

fn no_node(NodeAddress { run, node, .. }: NodeAddress) -> Envelope {
    let message = format!("The run {run} has no node {node}.");
    Envelope::new(Code::SessionNotFound, message)
        .with_suggestion(format!("`piton session tree {run} --json` lists its nodes."))
}

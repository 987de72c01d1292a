//! Starts a run.
//!
//! *Invariants*: the workflow is pinned before anything refers to it. A run that was started under a start key is
//! found again under that key by any process.

use std::sync::Arc;

use piton_core::{BoundedText, ContextId, EventIndex, RunId, SessionId, SnapshotRef, canonical};
use piton_store::NewBlob;
use piton_store::port::BlobNamespace;
use serde_json::{Value, json};

use super::advance_draft::merged_context;
use super::derive;
use super::error::{Error, Refusal};
use super::loader::PinnedWorkflow;
use super::reply::{Reply, ReplyNotice};
use super::reply_basis::ReplyBasis;
use super::request::{Start, StartKey};
use super::sessions::{PlanDraft, Sessions};
use crate::bounds::START_KEY_BYTES_MAX;
use crate::compile::PreferenceWarning;
use crate::dedupe;
use crate::engine::{Finding, block, next_step};
use crate::event::{
    ContextSet, DecisionTraceAppended, EventBody, LogRules, NodeCreated, NodeKind,
    NodeOutputAppended, NodeScope, OutputPayload, PreferenceChange, PreferenceSource,
    PreferencesChanged, RunContext, RunStarted,
};
use crate::label::label;
use crate::projection::SessionState;
use crate::run::ContextSource;
use crate::snapshot::ExecutionSnapshot;
use crate::token::NodeAddress;

impl Sessions {
    /// Starts a run, or finds the one that was started under the same start key.
    pub async fn start(&self, request: Start) -> Result<Reply, Error> {
        let session = match &request.key {
            None => SessionId::mint(&*self.entropy),
            Some(key) => session_of(key)?,
        };
        // The id of a session with a start key derives from the key, so a repeated start finds the first one. No
        // lease is needed for that.
        let key = dedupe::session_created(session);
        if request.key.is_some()
            && self.reader().holds(session, &key).await?
            && let Some(reply) = self.started(session, &request).await?
        {
            return Ok(reply);
        }
        let lease = self.lease(session).await?;
        // Another caller started the session between the lookup and the lease.
        if lease.next_event() != EventIndex::ZERO {
            drop(lease);
            // The lookup makes sure that the other caller's start is durable before it is reported.
            self.reader().holds(session, &key).await?;
            let found = self.started(session, &request).await?;
            // Another process is deleting the session at this moment. The same call starts it again a little later.
            let deleted = piton_store::Error::Locked { stream: session.into() };
            return found.ok_or(Error::Store(deleted));
        }
        // The log is empty and leased, so this process is the one that starts the session.
        let beginning = NewRun::new(&request, session, RunId::mint(&*self.entropy))?;
        let draft = beginning.draft(self, &request)?;
        draft.check(&mut LogRules::new())?;
        // A run is of no use if its tokens cannot be signed, so find out before anything is written.
        self.reader().keys.sign(&[]).await?;
        self.append(&lease, None, draft).await?;
        drop(lease);
        let NewRun { pinned, snapshot, .. } = beginning;
        self.reader().loader.learn_workflow(pinned);
        self.reader().loader.learn_snapshot(snapshot.snapshot_ref(), snapshot);
        // The reply is built from the record, exactly as a repeated start would build it.
        let found = self.started(session, &request).await?;
        Ok(found.expect("it was appended"))
    }

    /// Returns the reply that the start of `session` had, or `None` if it was not started. Refused if the session
    /// holds a run with another workflow or goal.
    async fn started(&self, session: SessionId, request: &Start) -> Result<Option<Reply>, Error> {
        let cached = match self.reader().current(session).await {
            Ok(cached) => cached,
            Err(Error::Store(piton_store::Error::NotFound { .. })) => return Ok(None),
            Err(error) => return Err(error),
        };
        let basis = {
            let cached = cached.lock();
            let Some(run) = cached.state.runs().first() else {
                return Ok(None);
            };
            let Some(root) = run.graph.root() else {
                return Ok(None);
            };
            let goal = run.contexts.initial().and_then(|context| context.as_object().get("goal"));
            let differs = if run.started.workflow_id != request.workflow.compiled.workflow_id {
                Some("workflow")
            } else if goal.and_then(Value::as_str) != request.goal.as_deref() {
                Some("goal")
            } else {
                None
            };
            if let Some(differs) = differs {
                return Err(Error::Refused(Refusal::StartKeyTaken {
                    label: label(run.id).to_string(),
                    workflow: run.started.workflow_id.to_string(),
                    differs,
                }));
            }
            // The basis is taken as of the start, so that later events do not change the reply to a repeated start.
            let address = NodeAddress { session, run: run.id, node: root.id };
            ReplyBasis::at_start(&cached.state, address)?
        };
        let preferences = basis.preferences;
        let step_context = self.reader().step_context(basis).await?;
        let body = self.reader().body(&step_context).await?;
        let workflow = &step_context.pinned.workflow;
        let warnings = workflow.preference_warnings(preferences.autonomy, preferences.risk_policy);
        let notice = |warning: &PreferenceWarning| ReplyNotice::BeyondRecommendation {
            message: beyond(*warning),
        };
        let notices = warnings.iter().map(notice).collect();
        Ok(Some(Reply { notices, ..body.into() }))
    }
}

fn beyond(warning: PreferenceWarning) -> String {
    format!("Mind that {warning}.")
}

fn session_of(StartKey { key, project_dir }: &StartKey) -> Result<SessionId, Refusal> {
    if key.is_empty() || key.len() > START_KEY_BYTES_MAX {
        return Err(Refusal::StartKey);
    }
    Ok(derive::session(key, project_dir))
}

/// A run that is about to start.
struct NewRun {
    session: SessionId,
    at: NodeScope,
    pinned: PinnedWorkflow,
    context: Option<RunContext>,
    snapshot: ExecutionSnapshot,
    traces: Vec<crate::event::TraceEntry>,
    /// What the run lacks from its start and proceeds without.
    gaps: Vec<Finding>,
}

impl NewRun {
    fn new(request: &Start, session: SessionId, run: RunId) -> Result<Self, Error> {
        let context = initial_context(request)?;
        let workflow = Arc::clone(&request.workflow.compiled);
        let pinned = PinnedWorkflow::new(workflow.workflow_hash(), workflow);
        let known = context.as_ref().map(|context| context.as_object().clone());
        let begun = next_step::begin(&pinned.workflow, &known.unwrap_or_default())?;
        check_lacking(request, &begun.findings)?;
        let snapshot = ExecutionSnapshot { workflow_hash: pinned.hash, state: begun.next };
        let at = NodeScope { run, node: derive::root_node(session, run) };
        Ok(Self {
            session,
            at,
            pinned,
            context,
            snapshot,
            traces: begun.traces,
            gaps: begun.findings,
        })
    }

    /// Drafts session, run and root, then preferences, context and observations, then the events that explain them.
    fn draft<'a>(&self, sessions: &'a Sessions, request: &Start) -> Result<PlanDraft<'a>, Error> {
        let Self { session, at, pinned, snapshot, .. } = self;
        let (clock, entropy) = (&*sessions.clock, &*sessions.entropy);
        let mut draft = PlanDraft::new(*session, EventIndex::ZERO, clock, entropy);
        draft.push(EventBody::SessionCreated);
        draft.push(EventBody::RunStarted(at.run, started(request, pinned)?));
        // The pinned workflow and the root snapshot travel with the plan, so the events never refer to missing
        // content.
        draft
            .store(NewBlob::canonical(BlobNamespace::PinnedWorkflows, pinned.workflow.canonical()));
        let blob = NewBlob::canonical(BlobNamespace::Snapshots, snapshot.encode());
        let root = NodeCreated {
            node_kind: NodeKind::Step,
            parent_node_id: None,
            workflow_hash: pinned.hash,
            snapshot_ref: SnapshotRef::new(blob.digest()),
        };
        draft.store(blob);
        draft.push(EventBody::NodeCreated(*at, root));
        draft.push(EventBody::PreferencesChanged(*at, self.preferences(request)));
        if let Some(context) = &self.context {
            let context_id = ContextId::from_bytes(*at.run.as_bytes());
            let source = ContextSource::Initial;
            let set = ContextSet { context_id, context: context.clone(), source };
            draft.push(EventBody::ContextSet(at.run, set));
        }
        draft.push_observations(&SessionState::default(), &request.observations);
        for (ordinal, gap) in self.gaps.iter().enumerate() {
            let record = gap.gap(derive::root_gap(*session, at.run, ordinal));
            draft.push(EventBody::GapRecorded(*at, record));
        }
        let trace = derive::root_trace(*session, at.run);
        if let Ok(trace) = DecisionTraceAppended::new(trace, self.traces.clone()) {
            draft.push(EventBody::DecisionTraceAppended(*at, trace));
        }
        self.warnings(&mut draft, request);
        Ok(draft)
    }

    fn preferences(&self, request: &Start) -> PreferencesChanged {
        let preferences = request.preferences;
        let delta = vec![
            PreferenceChange::Autonomy(preferences.autonomy),
            PreferenceChange::RiskPolicy(preferences.risk_policy),
        ];
        let change = derive::root_change(self.session, self.at.run);
        PreferencesChanged::new(change, PreferenceSource::System, preferences, delta)
            .expect("each preference is set once")
    }

    /// Records preferences that go beyond the author's recommendation, as artifacts of the root.
    fn warnings(&self, draft: &mut PlanDraft<'_>, request: &Start) {
        let preferences = request.preferences;
        let workflow = &self.pinned.workflow;
        for warning in workflow.preference_warnings(preferences.autonomy, preferences.risk_policy) {
            let artifact = json!({
                "kind": "wr.preference_warning",
                "warning": warning,
                "summary": beyond(warning),
            });
            let bytes = canonical::encode(&artifact).expect("names and a sentence");
            let byte_length = u32::try_from(bytes.len()).expect("it is short");
            let blob = NewBlob::canonical(BlobNamespace::Artifacts, bytes);
            let sha256 = blob.digest();
            let content_type = "application/json".parse().expect("it is a content type");
            let output = NodeOutputAppended {
                output_id: derive::root_output(self.session, self.at.run, sha256),
                supersedes_output_id: None,
                payload: OutputPayload::ArtifactRef { sha256, content_type, byte_length },
            };
            draft.store(blob);
            draft.push(EventBody::NodeOutputAppended(self.at, output));
        }
    }
}

/// Returns the context of a run at its start, with its goal. There is nothing to remove, so a `null` is left out.
fn initial_context(request: &Start) -> Result<Option<RunContext>, Refusal> {
    let mut object = request.context.clone();
    object.extend(request.goal.clone().map(|goal| ("goal".to_owned(), Value::from(goal))));
    merged_context(None, &object)
}

/// Refuses a start if the preferences of the run make it stop for what it lacks.
fn check_lacking(request: &Start, findings: &[Finding]) -> Result<(), Refusal> {
    let report = block(request.preferences.autonomy, findings);
    let report = report.expect("there are never more findings than a report holds");
    if report.is_none() {
        return Ok(());
    }
    let what: Vec<_> = findings.iter().map(|finding| finding.message.as_str()).collect();
    Err(Refusal::ContextLacking { what: what.join(" ") })
}

fn started(request: &Start, pinned: &PinnedWorkflow) -> Result<RunStarted, Refusal> {
    let text = |error: piton_core::TextTooLong| Refusal::Text {
        what: "source of the workflow",
        reason: error.to_string(),
    };
    Ok(RunStarted {
        workflow_id: pinned.workflow.workflow_id.clone(),
        workflow_hash: pinned.hash,
        source_kind: request.workflow.source_kind,
        source_ref: BoundedText::new(request.workflow.source_ref.as_str()).map_err(text)?,
    })
}

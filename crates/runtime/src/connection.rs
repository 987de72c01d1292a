//! The use cases of one agent, which remember the runs that it has open.
//!
//! *Invariants*: what is remembered only adds notices beside replies and decides which calls are refused for lack of a
//! label. It never decides which run a call is about. Connections share nothing of it.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use piton_backpack::BackpackId;
use piton_core::{Code, Envelope, Provenance, RunId, SessionId, truncate};
use piton_workflow::compile::StepAccess;
use piton_workflow::event::Blocker;
use piton_workflow::session::{
    Checkpoint, CheckpointReply, Continue, PersonVerdict, Question, Reply, ReplyBody, ReplyNotice,
    RunLine, SettleRequest, SettledStep,
};
use piton_workflow::{BlockerCode, NextIntent};

use crate::backpack::Attachment;
use crate::bounds::{CLIENT_NAME_BYTES_MAX, OPEN_RUNS_MAX, OPEN_RUNS_SHOWN_MAX};
use crate::context::{ContextAgent, ProjectContext};
use crate::project_env::{ProjectDir, project_dir};
use crate::reply::{ArtifactPart, InspectedWorkflow, ListedWorkflows, ResumeCandidates};
use crate::request::{GetArtifact, InspectWorkflow, ListWorkflows, ResumeSession, StartWorkflow};
use crate::run_label::LabelledCall;
use crate::workflow::Runtime;

/// The locations that a front end knows for its agent, strongest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The root that the client reported.
    pub client_root: Option<PathBuf>,
    /// The value of `CLAUDE_PROJECT_DIR`.
    pub claude_project_dir: Option<PathBuf>,
    /// The directory that the process was started in.
    pub working_dir: Option<PathBuf>,
}

/// The use cases of one agent.
pub struct Connection {
    runtime: Arc<Runtime>,
    whereabouts: Mutex<Whereabouts>,
    open: Mutex<OpenRuns>,
    client: Mutex<Option<String>>,
    /// Set if every call must name its step; cached once it was looked up for the client's location.
    always_needs_run: Mutex<Option<bool>>,
    /// Set if the open runs outlive a call.
    remembers: bool,
}

/// The step that a call belongs to, and the access that the step leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallBasis {
    /// The step, if the call named one.
    pub provenance: Option<Provenance>,
    /// The part of the configured access that the step leaves, if it narrows it.
    pub access: Option<StepAccess>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(runtime: Arc<Runtime>, whereabouts: Whereabouts, remembers: bool) -> Self {
        Self {
            remembers,
            runtime,
            whereabouts: Mutex::new(whereabouts),
            open: Mutex::default(),
            client: Mutex::default(),
            always_needs_run: Mutex::default(),
        }
    }

    /// Returns the runtime that every connection shares.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Records the name that the client gave itself.
    pub fn named(&self, client: &str) {
        let name = truncate(client, CLIENT_NAME_BYTES_MAX).into_owned();
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
    }

    /// Returns the name that the client gave itself, if any.
    pub fn client(&self) -> Option<String> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the basis of a call. `run` is the token of the pending step that it belongs to, if it names one.
    pub async fn call_basis(&self, run: Option<&str>) -> Result<CallBasis, Envelope> {
        match run {
            Some(token) => self.runtime.call_basis(token).await,
            // A call without a token would escape the limits of the step, so it is refused wherever a step narrows
            // access.
            None if self.needs_run().await? => Err(run_required()),
            None => Ok(CallBasis::default()),
        }
    }

    /// True if access may depend on a step, so that a call must name one.
    async fn needs_run(&self) -> Result<bool, Envelope> {
        if self.always_needs_run()? {
            return Ok(true);
        }
        // Without memory, the open runs are unknown. Then any workflow that narrows access is reason enough.
        if !self.remembers {
            let project = self.project(None)?;
            return self.runtime.any_workflow_narrows(project.as_ref().map(ProjectDir::path));
        }
        for (session, run) in self.open_runs() {
            let pending = self.runtime.pending_access(session, run).await?;
            if pending.is_some_and(|pending| pending.narrows) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the access left by the pending steps of this agent's open runs, each with its session. Empty if the
    /// connection remembers no runs.
    pub async fn step_accesses(&self) -> Result<Vec<(SessionId, Option<StepAccess>)>, Envelope> {
        let mut left = Vec::new();
        for (session, run) in self.open_runs() {
            let pending = self.runtime.pending_access(session, run).await?;
            left.extend(pending.map(|pending| (session, pending.access)));
        }
        Ok(left)
    }

    /// Returns this agent's open runs, newest last. Empty if the connection remembers no runs.
    fn open_runs(&self) -> Vec<(SessionId, RunId)> {
        if !self.remembers {
            return Vec::new();
        }
        self.open.lock().unwrap_or_else(PoisonError::into_inner).runs()
    }

    /// True if the configuration at the client's location requires every call to name its step. Looked up once: reading
    /// a file for every call would cost more than most calls do.
    fn always_needs_run(&self) -> Result<bool, Envelope> {
        let known = *self.always_needs_run.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known {
            return Ok(known);
        }
        // The lock is not held while files are read. Two calls may both look it up and find the same.
        let project = self.project(None)?;
        let found = self.runtime.always_needs_run(project.as_ref().map(ProjectDir::path))?;
        *self.always_needs_run.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(found)
    }

    /// Returns the backpack that the agent is attached to, if any: `backpack`, or else the configured one.
    pub fn attachment(
        &self,
        backpack: Option<&BackpackId>,
    ) -> Result<Option<Attachment>, Envelope> {
        let project = self.project(None)?;
        self.runtime.attachment(project.as_ref().map(ProjectDir::path), backpack)
    }

    /// Returns the context agent that the client acts as in its project, if any.
    pub fn context_agent(&self) -> Option<ContextAgent> {
        let project = self.project(None).ok()?;
        self.runtime.served_agent(project.as_ref())
    }

    /// Returns the context of the project that the client works in.
    pub fn frames(&self) -> Result<ProjectContext, Envelope> {
        self.runtime.frames(self.project(None)?.as_ref(), None)
    }

    /// Records the root that the client reported, or that it no longer has one.
    pub fn moved_to(&self, client_root: Option<PathBuf>) {
        let mut whereabouts = self.whereabouts.lock().unwrap_or_else(PoisonError::into_inner);
        whereabouts.client_root = client_root;
        // Another root may mean another configuration.
        *self.always_needs_run.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Lists every workflow that can be started.
    pub fn list_workflows(&self, request: &ListWorkflows) -> Result<ListedWorkflows, Envelope> {
        let project = self.project(request.project_dir.as_deref())?;
        Ok(self.runtime.list_workflows(request, project.as_ref()))
    }

    /// Shows a workflow without starting it.
    pub fn inspect_workflow(
        &self,
        request: &InspectWorkflow,
    ) -> Result<InspectedWorkflow, Envelope> {
        let project = self.project(request.project_dir.as_deref())?;
        let path = project.as_ref().map(ProjectDir::path);
        self.runtime.inspect_workflow(&request.workflow_id, request.mode, path)
    }

    /// Starts a run, or returns the one that was started under the same key.
    pub async fn start_workflow(&self, request: StartWorkflow) -> Result<Reply, Envelope> {
        let project = self.project(request.project_dir.as_deref())?;
        let mut reply = self.runtime.start_workflow(request, project.as_ref()).await?;
        reply.notices.extend(self.note(&reply.body.run, reply.body.is_complete));
        Ok(reply)
    }

    /// Submits the output of a step, or asks for the current state of a run.
    pub async fn continue_workflow(&self, request: Continue) -> Result<Reply, Envelope> {
        let Continue { ack_token, state_token, label, .. } = &request;
        let is_paired = ack_token.is_some() && state_token.is_some();
        // The label is checked before anything is written: a refusal must leave the run as it is.
        if let Some(token) = ack_token.as_ref().or(state_token.as_ref()) {
            // Tokens of two different runs are refused anyway, so a pair already says which run is meant.
            let open = if is_paired { Vec::new() } else { self.open_runs() };
            self.runtime.check_label(LabelledCall::Output, token, label.as_deref(), &open).await?;
        }
        let mut reply = self.runtime.sessions.proceed(request).await?;
        reply.notices.extend(self.note(&reply.body.run, reply.body.is_complete));
        Ok(reply)
    }

    /// Returns the question for a person that follows from this reply; `None` if there is none or they have answered.
    pub async fn question(&self, body: &ReplyBody) -> Result<Option<Question>, Envelope> {
        // Two situations need a person: a blocker that only they can resolve, and a step that awaits their
        // confirmation.
        let waits = |blocker: &Blocker| blocker.code == BlockerCode::UserOnlyDependency;
        let is_sent_back =
            body.blockers.as_ref().is_some_and(|report| report.blockers().iter().any(waits));
        // A call that only reads a step that already waits brings no attempt to ask about.
        let wants_confirmation =
            body.next_intent == NextIntent::AwaitUserConfirmation && body.state_call.is_none();
        if !is_sent_back && !wants_confirmation {
            return Ok(None);
        }
        let reader = self.runtime.sessions.reader();
        Ok(reader.question(body.run.session_id, body.run.run_id).await?)
    }

    /// Records the person's answer to a question. It counts only if the run still asks that question.
    pub async fn answer_question(
        &self,
        question: &Question,
        verdict: PersonVerdict,
    ) -> Result<SettledStep, Envelope> {
        let RunLine { session_id: session, run_id: run, .. } = question.run;
        let node = Some(question.node);
        self.runtime.record_verdict(SettleRequest { session, run, node, verdict }).await
    }

    /// Creates a bookmark.
    pub async fn checkpoint_workflow(
        &self,
        request: Checkpoint,
    ) -> Result<CheckpointReply, Envelope> {
        let (token, label) = (&request.checkpoint_token, request.label.as_deref());
        let open = self.open_runs();
        self.runtime.check_label(LabelledCall::Bookmark, token, label, &open).await?;
        let mut reply = self.runtime.sessions.checkpoint(request).await?;
        reply.notices.extend(self.note(&reply.body.run, false));
        Ok(reply)
    }

    /// Returns an artifact of an earlier step.
    pub async fn get_artifact(&self, request: &GetArtifact) -> Result<ArtifactPart, Envelope> {
        self.runtime.get_artifact(request).await
    }

    /// Finds runs to resume.
    pub async fn resume_session(
        &self,
        request: &ResumeSession,
    ) -> Result<ResumeCandidates, Envelope> {
        let project = self.project(None)?;
        self.runtime.resume_session(request, project.as_ref()).await
    }

    fn project(&self, asked: Option<&str>) -> Result<Option<ProjectDir>, Envelope> {
        let whereabouts = self.whereabouts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Whereabouts { client_root, claude_project_dir, working_dir } = &whereabouts;
        let configured = self.runtime.applied().project_dir();
        // In this order, the configured directory comes first, then the locations of the front end, strongest first.
        let known = [client_root.as_deref(), claude_project_dir.as_deref(), working_dir.as_deref()];
        project_dir(asked, configured.into_iter().chain(known.into_iter().flatten()))
    }

    /// Remembers a run and returns a notice of the other open ones.
    fn note(&self, run: &RunLine, is_complete: bool) -> Option<ReplyNotice> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.note(run, is_complete);
        open.others(run).map(|message| ReplyNotice::OtherRuns { message })
    }
}

/// The open runs of an agent, newest last.
#[derive(Debug, Default)]
struct OpenRuns(Vec<((SessionId, RunId), String)>);

impl OpenRuns {
    fn runs(&self) -> Vec<(SessionId, RunId)> {
        self.0.iter().map(|(id, _)| *id).collect()
    }

    fn note(&mut self, run: &RunLine, is_complete: bool) {
        let id = (run.session_id, run.run_id);
        // Removed first, so that a run that is still open moves to the end as the newest.
        self.0.retain(|(known, _)| *known != id);
        if is_complete {
            return;
        }
        let place =
            run.step.map_or_else(String::new, |step| format!(", step {step} of {}", run.of));
        self.0.push((id, format!("{} ({}{place})", run.label, run.workflow_id)));
        // The list is bounded: the oldest run is forgotten.
        if self.0.len() > OPEN_RUNS_MAX {
            self.0.remove(0);
        }
    }

    /// Returns the runs besides `run` in one line; `None` if there are none.
    fn others(&self, run: &RunLine) -> Option<String> {
        let id = (run.session_id, run.run_id);
        let others: Vec<&str> = self
            .0
            .iter()
            .rev()
            .filter(|(known, _)| *known != id)
            .map(|(_, line)| line.as_str())
            .collect();
        let more = others.len().saturating_sub(OPEN_RUNS_SHOWN_MAX);
        let shown = others.get(..OPEN_RUNS_SHOWN_MAX).unwrap_or(&others).join(", ");
        match (others.len(), more) {
            (0, _) => None,
            (_, 0) => Some(format!("Also open here: {shown}.")),
            (_, more) => Some(format!("Also open here: {shown}, and {more} more.")),
        }
    }
}

fn run_required() -> Envelope {
    let message = "What may be touched depends on the step that you are at, and the call has no `run`; nothing was \
                   done.";
    Envelope::new(Code::TokenRunRequired, message)
}

//! The use cases of one agent, which remember the runs that it has open. Those that take no part in remembering are
//! beside what they use, in `workflow` and `backpack`.
//!
//! *Invariants*: what is remembered only adds notices beside replies and decides which calls are refused for lack of a
//! label. It never decides which run a call is about. Connections share nothing of it.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use piton_core::{Envelope, RunId, SessionId, truncate};
use piton_workflow::event::Blocker;
use piton_workflow::session::{
    Checkpoint, CheckpointReply, Continue, PersonVerdict, Question, Reply, ReplyBody, ReplyNotice,
    RunLine, SettleRequest, SettledStep,
};
use piton_workflow::{BlockerCode, NextIntent};

use crate::bounds::{CLIENT_NAME_BYTES_MAX, OPEN_RUNS_MAX, OPEN_RUNS_SHOWN_MAX};
use crate::context::{ContextAgent, ProjectContext};
use crate::project_env::{ProjectDir, project_dir};
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
    pub(crate) runtime: Arc<Runtime>,
    whereabouts: Mutex<Whereabouts>,
    open: Mutex<OpenRuns>,
    client: Mutex<Option<String>>,
    /// Set if every call must name its step; cached once it was looked up for the client's location.
    pub(crate) always_needs_run: Mutex<Option<bool>>,
    /// Set if the open runs outlive a call.
    pub(crate) remembers: bool,
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

    /// Returns this agent's open runs, newest last. Empty if the connection remembers no runs.
    pub(crate) fn open_runs(&self) -> Vec<(SessionId, RunId)> {
        if !self.remembers {
            return Vec::new();
        }
        self.open.lock().unwrap_or_else(PoisonError::into_inner).runs()
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
        let is_output = request.ack_token.is_some();
        let ask_after_refusals = is_output.then(|| self.ask_after_refusals());
        let request = Continue { ask_after_refusals, ..request };
        let mut reply = self.runtime.sessions.proceed(request).await?;
        reply.notices.extend(self.note(&reply.body.run, reply.body.is_complete));
        Ok(reply)
    }

    /// Returns the number of refusals in a row with which the person is asked. A configuration that was damaged since
    /// the program started stops no run.
    fn ask_after_refusals(&self) -> u32 {
        let project = self.project(None).ok().flatten();
        let settings = self.runtime.settings_for(project.as_ref().map(ProjectDir::path));
        settings.map_or_else(
            |_| self.runtime.applied().ask_after_refusals(),
            |settings| settings.ask_after_refusals(),
        )
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
        let request = SettleRequest { node, ..SettleRequest::new(session, run, verdict) };
        self.runtime.settle_question(request).await
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

    /// Returns the project directory of a call: the one `asked` for, or the one that is known.
    pub(crate) fn project(&self, asked: Option<&str>) -> Result<Option<ProjectDir>, Envelope> {
        let whereabouts = self.whereabouts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Whereabouts { client_root, claude_project_dir, working_dir } = &whereabouts;
        let configured = self.runtime.applied().project_dir();
        // In this order, the configured directory comes first, then the locations of the front end, strongest first.
        let known = [client_root.as_deref(), claude_project_dir.as_deref(), working_dir.as_deref()];
        project_dir(asked, configured.into_iter().chain(known.into_iter().flatten()))
    }

    /// Remembers a run and returns a notice of the other open ones.
    pub(crate) fn note(&self, run: &RunLine, is_complete: bool) -> Option<ReplyNotice> {
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

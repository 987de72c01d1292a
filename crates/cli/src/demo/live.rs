//! The run that the button of the console plays: a scripted agent, and an MCP server in this process at the other end of
//! a pipe.
//!
//! *Invariants*: one run at a time. The run is an ordinary one, in the data directory of the console, which the agent
//! reaches over MCP alone. Removing it removes its session, its backpack and its project. Only a run of the demo's
//! workflow can be removed here. No program is started, so it works in the sandbox of the console.
#![expect(clippy::disallowed_methods, reason = "the scripted agent has a thread of its own")]

use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use piton_console::demo::{Demo, DemoFuture, DemoRun};
use piton_core::{Code, Envelope, SessionId};
use piton_mcp::{ServerBuilder, serve_pipe};
use piton_runtime::reply::Deleted;
use piton_runtime::request::SessionReference;
use piton_runtime::{Runtime, Whereabouts};
use tokio::sync::oneshot;

use super::agent::DemoAgent;
use super::live_script::{LiveScript, WORKFLOW};
use super::project::DemoProject;
use crate::failure::Failure;
use crate::log::CallLogger;
use crate::open::Open;

/// The demo of the console.
pub(crate) struct LiveDemo {
    runtime: Arc<Runtime>,
    offer: ServerBuilder,
    /// Where the projects of demos are.
    demos: PathBuf,
    log: CallLogger,
    stage: Stage,
}

/// The run that is being played, if there is one.
#[derive(Clone, Default)]
struct Stage(Arc<Mutex<Option<Playing>>>);

struct Playing {
    /// Known once it has started.
    run: Option<DemoRun>,
    /// Closing this stops the agent.
    stop: Sender<()>,
    /// Ready when the agent is gone.
    ended: Option<oneshot::Receiver<()>>,
}

impl LiveDemo {
    pub(crate) fn new(open: &Open) -> Self {
        Self {
            runtime: Arc::clone(&open.runtime),
            offer: open.offer(None),
            demos: open.root().join("demo"),
            log: open.log.clone(),
            stage: Stage::default(),
        }
    }

    /// Starts the agent and its server, and returns the run once it has started.
    async fn start(&self, stop: Receiver<()>, ended: EndSignal) -> Result<DemoRun, Failure> {
        let project = DemoProject::create_live(&self.demos)?;
        let (here, there) = pipe().map_err(Failure::io("connect the agent of the demo"))?;
        let whereabouts =
            Whereabouts { working_dir: Some(project.project.clone()), ..Whereabouts::default() };
        let (read, write) = there.into_split();
        let offer = self.offer.clone().backpack(Some(project.backpack()));
        // It ends when the agent closes its end of the pipe.
        tokio::spawn(serve_pipe(read, write, offer, whereabouts));
        let (started, start) = oneshot::channel();
        let log = self.log.clone();
        // The agent waits between its acts, for seconds, and its replies are read as a client reads a pipe.
        thread::spawn(move || {
            if let Err(failure) = perform(here, &project, stop, &ended.stage, started) {
                log.failed(&failure.envelope());
            }
        });
        start
            .await
            .unwrap_or_else(|_| Err(Failure::broken_promise("the agent left before it began")))
    }

    async fn remove_run(&self, session: SessionId) -> Result<Deleted, Envelope> {
        let reference = SessionReference(session.to_string());
        let shown = self.runtime.show_session(&reference).await?;
        if shown.runs.iter().any(|run| run.summary.workflow.id.as_str() != WORKFLOW) {
            let message = "This is not a demo run.";
            let advice =
                "Delete it with `piton session delete RUN`, or in the console on its page.";
            return Err(Envelope::new(Code::ValidationError, message).with_suggestion(advice));
        }
        self.stage.stop(session).await;
        let project = DemoProject::of_session(&self.demos, session);
        // The session goes last: until then, the demo can be removed again if something else could not be.
        if let Some(project) = project {
            self.runtime.remove_backpack(&project.backpack()).await?;
            project.remove().map_err(|failure| failure.envelope())?;
        }
        self.runtime.delete_session(&reference).await
    }
}

/// Plays a run: starts it, says so, and goes through the script.
fn perform(
    pipe: UnixStream,
    project: &DemoProject,
    stop: Receiver<()>,
    stage: &Stage,
    started: oneshot::Sender<Result<DemoRun, Failure>>,
) -> Result<(), Failure> {
    let begin = || {
        let from = pipe.try_clone().map_err(Failure::io("connect the agent of the demo"))?;
        let agent = DemoAgent::connect(pipe, BufReader::new(from))?;
        let (script, run) = LiveScript::start(agent, &project.project.to_string_lossy(), stop)?;
        project.note_session(run.session_id)?;
        Ok((script, run))
    };
    match begin() {
        Ok((script, run)) => {
            stage.note(run);
            // A page that is gone does not end the demo.
            let _ = started.send(Ok(run));
            script.play().map(drop)
        }
        Err(failure) => {
            let _ = started.send(Err(failure));
            Ok(())
        }
    }
}

/// Returns the two ends of a pipe: the one of the agent blocks, the one of the server does not.
fn pipe() -> std::io::Result<(UnixStream, tokio::net::UnixStream)> {
    let (here, there) = UnixStream::pair()?;
    there.set_nonblocking(true)?;
    Ok((here, tokio::net::UnixStream::from_std(there)?))
}

impl Demo for LiveDemo {
    fn workflow_id(&self) -> &str {
        WORKFLOW
    }

    fn playing(&self) -> Option<DemoRun> {
        self.stage.lock().as_ref().and_then(|playing| playing.run)
    }

    fn play(&self) -> DemoFuture<'_, DemoRun> {
        Box::pin(async {
            let (stop, ended) = self.stage.take()?;
            // A start that fails drops the signal, which frees the stage.
            self.start(stop, ended).await.map_err(|failure| failure.envelope())
        })
    }

    fn remove(&self, session: SessionId) -> DemoFuture<'_, Deleted> {
        Box::pin(self.remove_run(session))
    }
}

/// Frees the stage when it is dropped, however the agent ended.
struct EndSignal {
    stage: Stage,
    ended: Option<oneshot::Sender<()>>,
}

impl Drop for EndSignal {
    fn drop(&mut self) {
        *self.stage.lock() = None;
        let _ = self.ended.take().map(|ended| ended.send(()));
    }
}

impl Stage {
    fn lock(&self) -> MutexGuard<'_, Option<Playing>> {
        // Every change of it is one assignment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the stage for a run, unless there is one on it.
    fn take(&self) -> Result<(Receiver<()>, EndSignal), Envelope> {
        let mut playing = self.lock();
        if playing.is_some() {
            let message = "A demo run is being played, and there is one at a time.";
            let advice = "Watch that one: approve it when it asks, or remove it.";
            return Err(Envelope::new(Code::StoreBusy, message).with_suggestion(advice));
        }
        let (stop, stopped) = mpsc::channel();
        let (ended, end) = oneshot::channel();
        *playing = Some(Playing { run: None, stop, ended: Some(end) });
        Ok((stopped, EndSignal { stage: self.clone(), ended: Some(ended) }))
    }

    fn note(&self, run: DemoRun) {
        if let Some(playing) = self.lock().as_mut() {
            playing.run = Some(run);
        }
    }

    /// Stops the run of a session if it is being played, and waits until its agent is gone.
    async fn stop(&self, session: SessionId) {
        let ended = {
            let mut playing = self.lock();
            let is_its =
                |playing: &&mut Playing| playing.run.is_some_and(|run| run.session_id == session);
            let Some(playing) = playing.as_mut().filter(is_its) else { return };
            // The other sender is gone at once, so the agent's next wait ends.
            playing.stop = mpsc::channel().0;
            playing.ended.take()
        };
        if let Some(ended) = ended {
            let _ = ended.await;
        }
    }
}

//! Running, resuming and cancelling flows.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use futures_util::future::{Either, select};
use piton_core::{Clock, Entropy, RunId, Timer};
use piton_models::ModelClient;
use serde_json::{Map, Value};

use super::abandon::abandon;
use super::batch_item::DoneItems;
use super::flow_run::{FlowFrame, FlowRun, ResumePoint};
use super::progress::{KeptPasses, Progress};
use super::record::{Notebook, RunRecord};
use crate::flow::bounds::{ABANDONED_MAX, STEPS_DEFAULT, SUBSCRIPTION_EVENTS_MAX};
use crate::flow::error::Error;
use crate::flow::event::{
    Audience, Emitter, EventFilter, EventKind, RunStatus, Subscription, pair,
};
use crate::flow::flow_state::FlowState;
use crate::flow::graph::Flow;
use crate::flow::node::Action;
use crate::flow::tool::Tools;

/// The effects that a runner needs.
#[derive(Clone)]
pub struct RunnerPorts {
    /// The source of event times.
    pub clock: Arc<dyn Clock>,
    /// The timer for waits between two attempts.
    pub timer: Arc<dyn Timer>,
    /// The source of run ids.
    pub entropy: Arc<dyn Entropy>,
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Maximum number of nodes that the run visits.
    pub steps_max: u64,
    /// Parameters for the nodes of the run.
    pub params: Map<String, Value>,
    /// The handle that cancels the run from outside.
    pub cancel: Cancel,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { steps_max: STEPS_DEFAULT, params: Map::new(), cancel: Cancel::new() }
    }
}

/// Runs flows with the same models and tools.
#[derive(Clone)]
pub struct Runner {
    models: Arc<dyn ModelClient>,
    tools: Tools,
    ports: RunnerPorts,
    audience: Arc<Audience>,
}

impl Runner {
    /// Creates a runner whose nodes use these models and tools.
    pub fn new(models: Arc<dyn ModelClient>, tools: Tools, ports: RunnerPorts) -> Self {
        Self { models, tools, ports, audience: Arc::default() }
    }

    /// Subscribes to the events of all further runs. A slow subscriber misses some, and receives their number.
    pub fn subscribe(&self, filter: EventFilter) -> Subscription {
        self.subscribe_with_room(filter, SUBSCRIPTION_EVENTS_MAX)
    }

    /// Like [`subscribe`](Self::subscribe), with room for this many events.
    pub fn subscribe_with_room(&self, filter: EventFilter, room: usize) -> Subscription {
        let (listener, subscription) = pair(filter, room);
        self.audience.join(listener);
        subscription
    }

    /// Runs a flow from its start.
    pub async fn run(&self, flow: &Flow, state: &FlowState, options: RunOptions) -> RunReport {
        let run = RunId::mint(&*self.ports.entropy);
        let record = RunRecord::new(run, flow.digest(), options.params.clone());
        self.go(flow, state, &options, record, None).await
    }

    /// Resumes the last run on a state, after the last node that finished. The changes of a node that did not finish
    /// are undone first. Finished passes of a batch stand.
    pub async fn resume(
        &self,
        flow: &Flow,
        state: &FlowState,
        options: RunOptions,
    ) -> Result<RunReport, Error> {
        let refused = |reason: &str| Err(Error::not_resumable(reason));
        let mut record = RunRecord::last(state.backpack())?;
        if record.status == RunStatus::Done {
            return refused("the last run came to its end");
        }
        // Positions in the record are ids of this very flow; with another one they would mean something else.
        if record.flow != flow.digest() {
            return refused("the flow is not the one that the run began with");
        }
        // Read what was finished before the undo: the notes say which commits are to stand.
        let done_items = DoneItems::of(&record, state).await?;
        let kept_passes = KeptPasses::of(&record, state).await?;
        if let Some(abandoned) = abandon(state, flow, &kept_passes).await? {
            record.abandoned.push(abandoned);
            let surplus = record.abandoned.len().saturating_sub(ABANDONED_MAX);
            record.abandoned.drain(..surplus);
        }
        record.status = RunStatus::Running;
        let options = RunOptions { params: record.params.clone(), ..options };
        Ok(self.go(flow, state, &options, record, Some((done_items, kept_passes))).await)
    }

    /// Runs a flow again on a fork taken at the point that [`before_node`](super::before_node) returns: as a run of its
    /// own, from the next node on. The flow may be a different one, as long as it has the nodes that finished.
    pub async fn replay(
        &self,
        flow: &Flow,
        state: &FlowState,
        options: RunOptions,
    ) -> Result<RunReport, Error> {
        let before = RunRecord::last(state.backpack())?;
        // The parameters of the earlier run hold unless they are overridden.
        let mut params = before.params;
        params.extend(options.params);
        let run = RunId::mint(&*self.ports.entropy);
        let mut record = RunRecord::new(run, flow.digest(), params.clone());
        record.finished = before.finished;
        let options = RunOptions { params, ..options };
        Ok(self.go(flow, state, &options, record, None).await)
    }

    async fn go(
        &self,
        flow: &Flow,
        state: &FlowState,
        options: &RunOptions,
        record: RunRecord,
        resumed: Option<(DoneItems, KeptPasses)>,
    ) -> RunReport {
        let run = record.run;
        let clock = Arc::clone(&self.ports.clock);
        let emitter = Arc::new(Emitter::new(run, clock, Arc::clone(&self.audience)));
        // Events of the backpack reach subscribers through this emitter, as long as it lives.
        state.listen(&emitter);
        let is_resumed = resumed.is_some();
        let told = || emitter.tell(None, EventKind::RunStart { resumed: is_resumed });
        let steps = record.steps;
        let (outcome, steps) = match Notebook::open(state) {
            Err(error) => {
                told();
                (Err(error), steps)
            }
            Ok(notebook) => {
                let (done_items, kept_passes) = resumed.unwrap_or_default();
                let pass = FlowRun {
                    state,
                    models: &*self.models,
                    tools: &self.tools,
                    timer: &*self.ports.timer,
                    emitter: Arc::clone(&emitter),
                    cancel: &options.cancel,
                    steps: AtomicU64::new(steps),
                    // Each resumption gets a full allowance of steps, on top of those already taken.
                    steps_max: options.steps_max.saturating_add(steps),
                    record: Mutex::new(record),
                    notebook,
                    done_items,
                    kept_passes,
                };
                // Stored before the event: a run whose start was seen by a subscriber can be resumed.
                let begun = pass.begin(flow).await;
                told();
                let outcome = match begun {
                    Ok(()) => pass.whole(flow, &options.params).await,
                    Err(error) => Err(error),
                };
                (outcome, pass.steps.into_inner())
            }
        };
        let report = RunReport { run, steps, outcome };
        emitter.tell(None, EventKind::RunEnd { status: report.status(), steps });
        report
    }
}

impl FlowRun<'_> {
    /// Stores everything that is needed to resume the run.
    async fn begin(&self, flow: &Flow) -> Result<(), Error> {
        if self.state.is_durable() {
            self.notebook.keep(self.state, flow).await?;
        }
        self.note(|_| ()).await
    }

    /// Runs the flow from the point in its record, and records how it ended.
    async fn whole(&self, flow: &Flow, params: &Map<String, Value>) -> Result<Action, Error> {
        let (finished, count) = {
            let record = self.record();
            (record.finished.clone(), record.nodes_finished)
        };
        // Without a journal nothing survives the process, so progress is not recorded.
        let progress = self.state.is_durable().then(|| Arc::new(Progress::outermost(count)));
        let frame = FlowFrame::outermost(flow, params.clone(), progress)?;
        let walked = self.walk(flow, &frame, finished.as_ref().map(ResumePoint::of));
        let cancelled = std::pin::pin!(self.cancel.requested());
        // Dropping the walk cancels everything in it; a run spawns no tasks.
        let outcome = match select(walked, cancelled).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), _)) => Err(Error::Cancelled),
        };
        let status = status_of(&outcome);
        // The end is recorded whatever the outcome. An error of the run takes precedence over one of recording it.
        let noted = self.note(|record| record.status = status).await;
        let kept = match noted {
            Ok(()) => self.state.flush().await.map_err(Error::from),
            Err(error) => Err(error),
        };
        outcome.and_then(|action| kept.map(|()| action))
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct RunReport {
    pub run: RunId,
    /// Number of nodes that it visited, before and after it was resumed.
    pub steps: u64,
    /// The action with which the last node ended, or the reason that the run did not reach its end.
    pub outcome: Result<Action, Error>,
}

impl RunReport {
    /// Returns the status of the run.
    pub const fn status(&self) -> RunStatus {
        status_of(&self.outcome)
    }
}

const fn status_of(outcome: &Result<Action, Error>) -> RunStatus {
    match outcome {
        Ok(_) => RunStatus::Done,
        Err(Error::Cancelled) => RunStatus::Cancelled,
        Err(_) => RunStatus::Failed,
    }
}

/// Cancels a run. Clones cancel the same run.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<CancelRequest>>);

#[derive(Debug, Default)]
struct CancelRequest {
    done: bool,
    wakers: Vec<Waker>,
}

impl Cancel {
    /// Creates a handle that has not cancelled anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the run at its next await point, between two nodes or inside one.
    pub fn cancel(&self) {
        let mut asked = self.lock();
        asked.done = true;
        let wakers = std::mem::take(&mut asked.wakers);
        // Wake outside of the lock, since woken tasks check the flag at once.
        drop(asked);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// True if the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lock().done
    }

    /// Waits until the run is cancelled.
    pub(crate) async fn requested(&self) {
        std::future::poll_fn(|context| {
            let mut asked = self.lock();
            // The flag is checked and the waker stored under one lock, so that no cancellation is missed.
            if asked.done {
                return Poll::Ready(());
            }
            asked.wakers.retain(|waker| !waker.will_wake(context.waker()));
            asked.wakers.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn lock(&self) -> MutexGuard<'_, CancelRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

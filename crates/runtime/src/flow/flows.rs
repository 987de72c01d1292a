//! Use cases of flows.

use std::sync::Arc;

use futures_util::StreamExt as _;
use piton_backpack::flow::{
    Error, EventFilter, EventKind, Flow, FlowProblem, FlowState, LoadedFlow, Registry, RunEvent,
    RunReport, Runner, RunnerPorts, Severity, SubscriberEvent, Tools,
};
use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, NodeIdentity, Options, PackOptions, Tag};
use piton_core::{Envelope, Timer};
use piton_models::ModelClient;

use super::replay;
use super::request::{FlowChecked, FlowNotice, FlowRan, Initial, ResumeFlow, RunFlow};
use crate::bounds::WARNINGS_MAX;

/// The ports that flows run on.
pub struct FlowPorts {
    /// Storage of backpacks, with clock and entropy.
    pub journal: JournalPorts,
    /// Waits between attempts.
    pub timer: Arc<dyn Timer>,
    pub models: Arc<dyn ModelClient>,
    /// Tools that nodes may call.
    pub tools: Tools,
}

/// Checks, runs and resumes flows.
pub struct Flows {
    pub(super) ports: FlowPorts,
    registry: Registry,
}

impl Flows {
    /// Creates the use cases over these ports.
    pub fn new(ports: FlowPorts) -> Self {
        let registry = Registry::builtin(ports.tools.clone());
        Self { ports, registry }
    }

    /// Returns every problem of a description.
    pub fn check(&self, text: &str) -> FlowChecked {
        let problems = Flow::check_json(text, &self.registry);
        let runs = problems.iter().all(|problem| problem.severity != Severity::Error);
        FlowChecked { runs, problems }
    }

    /// Renders a description as a Mermaid flowchart.
    pub fn graph(&self, text: &str) -> Result<String, Envelope> {
        Ok(self.load(text)?.flow.to_mermaid())
    }

    /// Runs a flow and reports its events to `listener`.
    pub async fn run(
        &self,
        request: RunFlow<'_>,
        listener: &(dyn Fn(FlowNotice<'_>) + Sync),
    ) -> Result<FlowRan, Envelope> {
        let loaded = self.load(request.text)?;
        request.initial.check()?;
        self.check_tools(&loaded.flow).await?;
        let entropy = &*self.ports.journal.ports.entropy;
        let id = request.backpack.unwrap_or_else(|| BackpackId::mint(entropy));
        // From here on the backpack exists, so everything that can be refused was checked before.
        let backpack = self.open(&id).await?;
        pack(&backpack, &request.initial).await?;
        let going = async |runner: &Runner, state: &FlowState| {
            Ok(runner.run(&loaded.flow, state, request.options).await)
        };
        self.follow(&backpack, &loaded.warnings, going, listener).await
    }

    /// Resumes a run and reports its events to `listener`.
    pub async fn resume(
        &self,
        request: ResumeFlow<'_>,
        listener: &(dyn Fn(FlowNotice<'_>) + Sync),
    ) -> Result<FlowRan, Envelope> {
        let given = request.text.map(|text| self.load(text)).transpose()?;
        let backpack = self.open(&request.backpack).await?;
        let loaded = match given {
            Some(loaded) => replay::same(loaded, backpack.memory())?,
            None => self.load(&replay::description(backpack.memory())?.to_string())?,
        };
        self.check_tools(&loaded.flow).await?;
        let going = async |runner: &Runner, state: &FlowState| {
            runner.resume(&loaded.flow, state, request.options).await
        };
        self.follow(&backpack, &loaded.warnings, going, listener).await
    }

    /// Drives a run while its events are delivered, then closes its backpack.
    pub(super) async fn follow(
        &self,
        backpack: &JournaledBackpack,
        odd: &[FlowProblem],
        going: impl AsyncFnOnce(&Runner, &FlowState) -> Result<RunReport, Error>,
        listener: &(dyn Fn(FlowNotice<'_>) + Sync),
    ) -> Result<FlowRan, Envelope> {
        let (runner, state) = (self.runner(), FlowState::journaled(backpack.clone())?);
        let id = backpack.memory().id();
        let mut warnings: Vec<String> = odd.iter().map(ToString::to_string).collect();
        for problem in odd {
            listener(FlowNotice::Warning(problem));
        }
        // Subscribed before the run starts, so that no event is missed.
        let mut events = runner.subscribe(EventFilter::default());
        let running = async move {
            let report = going(&runner, &state).await;
            // The events end when the runner is gone. Without this drop, `hearing` would never finish.
            drop(runner);
            report
        };
        let hearing = async {
            while let Some(event) = events.next().await {
                match event {
                    SubscriberEvent::Event(event) => {
                        if let Some(warning) = warning(&event)
                            && warnings.len() < WARNINGS_MAX
                        {
                            warnings.push(warning);
                        }
                        listener(FlowNotice::Event(&event));
                    }
                    SubscriberEvent::Missed(count) => listener(FlowNotice::Missed(count)),
                }
            }
        };
        let (report, ()) = futures_util::future::join(running, hearing).await;
        // The backpack is closed even if the run failed, but the failure of the run is reported first.
        let closed = backpack.close().await;
        let envelope =
            |error: &Error| error.envelope_for(backpack.memory()).with_name("BACKPACK", id);
        let report = report.map_err(|error| envelope(&error))?;
        closed?;
        let status = report.status();
        let (action, error) = match report.outcome {
            Ok(action) => (Some(action.to_string()), None),
            Err(error) => (None, Some(envelope(&error))),
        };
        let (run_id, backpack, steps) = (report.run, id.clone(), report.steps);
        Ok(FlowRan { run_id, backpack, status, steps, warnings, action, error })
    }

    /// Refuses a flow that calls tools if something that they depend on is missing.
    pub(super) async fn check_tools(&self, flow: &Flow) -> Result<(), Envelope> {
        if flow.calls_tools() { self.ports.tools.ready().await } else { Ok(()) }
    }

    pub(super) fn load(&self, text: &str) -> Result<LoadedFlow, Envelope> {
        Ok(Flow::from_json(text, &self.registry)?)
    }

    async fn open(&self, id: &BackpackId) -> Result<JournaledBackpack, Envelope> {
        let (ports, options) = (self.ports.journal.clone(), Options::default());
        let opened = JournaledBackpack::open(id, holder(), Mode::Durable, options, ports);
        Ok(opened.await?.backpack)
    }

    fn runner(&self) -> Runner {
        let ports = RunnerPorts {
            clock: Arc::clone(&self.ports.journal.ports.clock),
            timer: Arc::clone(&self.ports.timer),
            entropy: Arc::clone(&self.ports.journal.ports.entropy),
        };
        Runner::new(Arc::clone(&self.ports.models), self.ports.tools.clone(), ports)
    }
}

/// Packs the initial values of a run, as `system`.
pub(super) async fn pack(backpack: &JournaledBackpack, initial: &Initial) -> Result<(), Envelope> {
    let system = backpack.scope(NodeIdentity::system(), None)?;
    let about_a_person = PackOptions::new().tagged([Tag::PII])?;
    let plain = PackOptions::new();
    let items = initial.items.iter().map(|item| (item, &plain));
    for ((key, value), options) in
        items.chain(initial.pii.iter().map(|item| (item, &about_a_person)))
    {
        // A new item is never refused to `system`. An existing item that is limited to others comes back as an error.
        let _ = system.pack_with(key, value, options)?;
    }
    Ok(backpack.flush().await?)
}

/// Returns the holder that a backpack names while a flow runs on it.
pub(super) fn holder() -> Holder {
    Holder::new("a flow").expect("two words are a name")
}

/// Returns the text of a warning event, with the node that it is about.
fn warning(event: &RunEvent) -> Option<String> {
    let EventKind::Warning { message } = &event.kind else { return None };
    Some(match &event.node {
        Some(node) => format!("{}: {message}", node.id),
        None => message.clone(),
    })
}

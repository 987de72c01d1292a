//! Stores to run sessions on, and small workflows to run.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::port::{Clock, Entropy, NoTrace};
use piton_core::{SessionId, TimestampMs};
use piton_store::StreamId;
use piton_store::local::{
    DataDir, LocalBlobs, LocalKeyRing, LocalLeases, SegmentedJournal, SystemClock,
};
use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryKeyRing};
use piton_store::port::{Blobs, Journal, KeyRing};
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::Preferences;
use piton_workflow::session::{
    Continue, Error, Reply, Sessions, SourcedWorkflow, Start, SubmittedOutput,
};
use piton_workflow::{Autonomy, EventKind, RiskPolicy, SessionEvent, SourceKind};
use serde_json::{Map, Value, json};

/// A store, and the use cases over it.
pub(crate) struct Rig {
    pub(crate) sessions: Sessions,
    pub(crate) journal: Arc<dyn Journal<SessionEvent>>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) keys: Arc<dyn KeyRing>,
    pub(crate) clock: Arc<ManualClock>,
}

impl Rig {
    pub(crate) fn over(
        journal: Arc<dyn Journal<SessionEvent>>,
        blobs: Arc<dyn Blobs>,
        keys: Arc<dyn KeyRing>,
        seed: u64,
    ) -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_700_000_000_000)));
        let entropy = Arc::new(SeededEntropy::new(seed));
        let sessions = Sessions::new(
            Arc::clone(&journal),
            Arc::clone(&blobs),
            Arc::clone(&keys),
            Arc::clone(&clock) as Arc<dyn Clock>,
            entropy as Arc<dyn Entropy>,
        );
        Self { sessions, journal, blobs, keys, clock }
    }

    /// A store in memory.
    pub(crate) fn memory() -> Self {
        Self::seeded(7)
    }

    pub(crate) fn seeded(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(0)));
        let blobs = MemoryBlobs::new(clock);
        let journal = MemoryJournal::new(blobs.clone());
        let keys = MemoryKeyRing::new(Arc::new(SeededEntropy::new(seed + 1000)));
        Self::over(Arc::new(journal), Arc::new(blobs), Arc::new(keys), seed)
    }

    /// A store under a directory, as a new process opens it.
    pub(crate) fn local(root: &Path, seed: u64) -> Self {
        Self::on(DataDir::open(root).expect("the directory can be used"), seed)
    }

    /// The same under a data directory that is open.
    pub(crate) fn on(dir: DataDir, seed: u64) -> Self {
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        let keys = LocalKeyRing::new(dir.clone(), Arc::new(SeededEntropy::new(seed + 1000)));
        let journal = SegmentedJournal::sessions(dir, blobs.clone(), leases, Arc::new(NoTrace));
        Self::over(Arc::new(journal), Arc::new(blobs), Arc::new(keys), seed)
    }

    /// Another process over the same store.
    pub(crate) fn again(&self) -> Self {
        let (journal, blobs) = (Arc::clone(&self.journal), Arc::clone(&self.blobs));
        Self::over(journal, blobs, Arc::clone(&self.keys), 99)
    }

    pub(crate) async fn start(&self, workflow: &CompiledWorkflow) -> Reply {
        self.sessions.start(start(workflow)).await.expect("it starts")
    }

    pub(crate) async fn notes(&self, reply: &Reply, notes: &str) -> Reply {
        self.submit(reply, notes, vec![]).await.expect("it is answered")
    }

    pub(crate) async fn submit(
        &self,
        reply: &Reply,
        notes: &str,
        artifacts: Vec<Value>,
    ) -> Result<Reply, Error> {
        self.sessions.proceed(ack(reply, notes, artifacts)).await
    }

    pub(crate) async fn events(&self, session: SessionId) -> Vec<SessionEvent> {
        self.journal.load(&StreamId::from(session)).await.expect("it is healthy").events
    }

    pub(crate) async fn kinds(&self, session: SessionId) -> Vec<EventKind> {
        self.events(session).await.iter().map(|event| event.body().kind()).collect()
    }

    pub(crate) async fn event_count(&self, session: SessionId) -> usize {
        self.events(session).await.len()
    }
}

pub(crate) fn start(workflow: &CompiledWorkflow) -> Start {
    Start {
        workflow: SourcedWorkflow {
            compiled: Arc::new(workflow.clone()),
            source_kind: SourceKind::Project,
            source_ref: "workflows/sample.json".to_owned(),
        },
        goal: None,
        context: Map::new(),
        preferences: Preferences {
            autonomy: Autonomy::Guided,
            risk_policy: RiskPolicy::Conservative,
        },
        observations: Vec::new(),
        key: None,
    }
}

pub(crate) fn start_with(workflow: &CompiledWorkflow, autonomy: Autonomy) -> Start {
    let preferences = Preferences { autonomy, risk_policy: RiskPolicy::Conservative };
    Start { preferences, ..start(workflow) }
}

/// Submits the output of what `reply` asks for.
pub(crate) fn ack(reply: &Reply, notes: &str, artifacts: Vec<Value>) -> Continue {
    let notes_markdown = (!notes.is_empty()).then(|| notes.to_owned());
    Continue {
        ack_token: reply.body.ack_token.clone(),
        output: Some(SubmittedOutput { notes_markdown, artifacts }),
        ..Continue::default()
    }
}

/// Asks where the run stands at the node of `reply`.
pub(crate) fn state(reply: &Reply) -> Continue {
    Continue { state_token: Some(reply.body.state_token.clone()), ..Continue::default() }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("it is an object") };
    object
}

pub(crate) fn pending(reply: &Reply) -> &str {
    reply.body.pending.as_ref().map_or("nothing", |pending| pending.step_id.as_str())
}

pub(crate) fn body(reply: &Reply) -> String {
    serde_json::to_string(&reply.body).expect("it is JSON")
}

/// A step whose notes need a code block and enough words.
pub(crate) fn strict_step(id: &str) -> Value {
    json!({
        "id": id,
        "title": format!("Title of {id}"),
        "prompt": format!("Do {id}."),
        "validationCriteria": [
            {"type": "contains", "value": "```", "message": "Show the command in a code block."},
            {"type": "length", "min": 20, "message": "Say more than a few words."},
        ],
    })
}

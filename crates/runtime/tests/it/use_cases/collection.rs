//! A cleaning takes what nothing refers to, of every part, and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use piton_backpack::journal::{BackpackEvent, Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, NodeIdentity, Options};
use piton_core::port::fixed::ManualClock;
use piton_core::{Digest, TimestampMs};
use piton_runtime::context::{ContextPorts, PutFrame};
use piton_runtime::project_env::project_dir;
use piton_runtime::request::SubmittedOutput;
use piton_runtime::workspaces::{Declared, FileWorld, Mount, VirtualPorts, WorkspacePorts, join};
use piton_runtime::{CallBasis, Runtime};
use piton_store::collect::CollectMode;
use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryTable};
use piton_store::port::BlobNamespace;
use serde_json::json;

use crate::rig::{Machine, notes, start, two_steps};

/// More than any part keeps beside its rows.
const LARGE: usize = 200_000;

/// Everything that a process keeps, in memory.
struct Kept {
    machine: Machine,
    clock: Arc<ManualClock>,
    backpacks: JournalPorts,
    frames: ContextPorts,
}

impl Kept {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_700_000_000_000)));
        let blobs = MemoryBlobs::new(Arc::clone(&clock) as _);
        let machine = Machine::over(Arc::clone(&clock), blobs.clone());
        let ports = &machine.ports;
        let entropy = Arc::clone(&ports.entropy);
        let backpacks = JournalPorts {
            journal: Arc::new(MemoryJournal::<BackpackEvent>::new(blobs)),
            blobs: Arc::clone(&ports.blobs) as _,
            ports: piton_backpack::BackpackPorts { clock: Arc::clone(&ports.clock), entropy },
        };
        let frames = ContextPorts {
            table: Arc::new(MemoryTable::new()),
            blobs: Arc::clone(&ports.blobs),
            leases: Arc::clone(&ports.leases),
            clock: Arc::clone(&ports.clock),
            stamps: None,
        };
        Self { machine, clock, backpacks, frames }
    }

    fn runtime(&self) -> Runtime {
        let configuration = self.machine.configuration().unwrap();
        let runtime = Runtime::new(self.machine.ports.clone(), configuration).unwrap();
        runtime.with_backpacks(self.backpacks.clone()).with_frames(self.frames.clone(), None)
    }

    /// Lets the part that owns a namespace refer to a blob of it.
    async fn refer(&self, namespace: BlobNamespace) {
        match namespace {
            BlobNamespace::Snapshots
            | BlobNamespace::Artifacts
            | BlobNamespace::PinnedWorkflows => {
                self.run().await;
            }
            BlobNamespace::Backpacks => self.pack().await,
            BlobNamespace::Virtual => self.write().await,
            BlobNamespace::Context => self.put_frame().await,
        }
    }

    async fn run(&self) {
        self.machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
        let agent = self.machine.agent();
        let first = agent.start_workflow(start("project.a")).await.unwrap().body;
        let mut submitted = notes(first.ack_token.as_ref(), "Done.");
        let artifacts = vec![json!({ "kind": "report", "text": "long" })];
        let notes_markdown = Some("Done.".to_owned());
        submitted.output = Some(SubmittedOutput { notes_markdown, artifacts });
        agent.continue_workflow(submitted).await.unwrap();
    }

    async fn pack(&self) {
        let id: BackpackId = "shared".parse().unwrap();
        let (holder, ports) = (Holder::new("a test").unwrap(), self.backpacks.clone());
        let options = Options::default();
        let opened = JournaledBackpack::open(&id, holder, Mode::Durable, options, ports).await;
        let backpack = opened.unwrap().backpack;
        let scope = backpack.scope(NodeIdentity::new("one", "one").unwrap(), None).unwrap();
        scope.pack("large", &"x".repeat(LARGE)).unwrap().done().unwrap();
        backpack.close().await.unwrap();
    }

    async fn write(&self) {
        let ports = &self.machine.ports;
        let of = |table, blobs| VirtualPorts {
            table,
            blobs,
            clock: Arc::clone(&ports.clock),
            entropy: Arc::clone(&ports.entropy),
        };
        let memory = Arc::new(MemoryBlobs::new(Arc::clone(&self.clock) as _));
        let files = WorkspacePorts {
            kept: of(Arc::clone(&ports.table), Arc::clone(&ports.blobs)),
            memory: of(Arc::new(MemoryTable::new()), memory),
            configuration: None,
            data: None,
        };
        let mounts: [Mount; 1] = ["/scratch=virtual:rw".parse().unwrap()];
        let declared = Declared::typed(&mounts, self.machine.project());
        let world = FileWorld::open(join(vec![declared], None), &files).await.unwrap();
        let arguments = json!({ "path": "/scratch/large", "content": "x".repeat(LARGE) });
        world.call("one", &CallBasis::default(), "write", arguments).await.unwrap();
    }

    async fn put_frame(&self) {
        self.machine.write("project/a.txt", "a");
        let project = self.machine.project();
        let project = project_dir(None, [project.as_path()]).unwrap();
        let frames = self.runtime().frames(project.as_ref(), None).unwrap();
        frames.context.scan(false, None).await.unwrap();
        let request = PutFrame::new("a.txt", "note".parse().unwrap(), "x".repeat(LARGE));
        frames.act_as(None).unwrap().put_frame(&request).await.unwrap();
    }

    async fn listed(&self, namespace: BlobNamespace) -> Vec<Digest> {
        let found = self.machine.ports.blobs.list(namespace, None, 100).await.unwrap();
        found.into_iter().map(|entry| entry.digest).collect()
    }
}

#[tokio::test]
async fn what_any_part_refers_to_stays_and_what_none_does_goes() {
    let kept = Kept::new();
    let mut before = BTreeMap::new();
    for namespace in BlobNamespace::ALL {
        kept.refer(*namespace).await;
    }
    for namespace in BlobNamespace::ALL {
        let referred = kept.listed(*namespace).await;
        assert!(!referred.is_empty(), "no part refers to a blob of {namespace}");
        let stray = format!("nobody's {namespace}").into_bytes();
        let stray = kept.machine.ports.blobs.put(*namespace, stray).await.unwrap();
        before.insert(*namespace, (referred, stray));
    }
    kept.clock.advance(Duration::from_hours(2));
    let cleaned = kept.runtime().clean(CollectMode::Remove).await.unwrap();
    assert!(cleaned.warnings.is_empty() && !cleaned.safe_mode, "{:?}", cleaned.warnings);
    for (namespace, (referred, stray)) in before {
        let left = kept.listed(namespace).await;
        assert_eq!(left, referred, "{namespace}");
        assert!(!left.contains(&stray), "{namespace}");
    }
}

#[tokio::test]
async fn what_a_process_does_not_keep_is_left_alone() {
    let kept = Kept::new();
    for namespace in [BlobNamespace::Backpacks, BlobNamespace::Context] {
        kept.refer(namespace).await;
    }
    let before =
        [kept.listed(BlobNamespace::Backpacks).await, kept.listed(BlobNamespace::Context).await];
    kept.clock.advance(Duration::from_hours(2));
    kept.machine.runtime().clean(CollectMode::Remove).await.unwrap();
    let after =
        [kept.listed(BlobNamespace::Backpacks).await, kept.listed(BlobNamespace::Context).await];
    assert_eq!(before, after);
}

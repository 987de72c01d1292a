//! A project directory and its context.

use std::fs;
use std::future::Future;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton_context::agent::{AgentContext, Agents, ContextAgent, Role};
use piton_context::frame::{Appended, FrameId, PutFrame};
use piton_context::history::{NodeRef, Recorded};
use piton_context::read::{NodeContext, View};
use piton_context::scan::{ScanReport, Scanner};
use piton_context::synthesis::{Inputs, Missing, PolicySpec, SynthesizeRequest, Synthesized};
use piton_context::tree::TreePath;
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_core::TimestampMs;
use piton_core::port::Clock;
use piton_store::memory::{MemoryBlobs, MemoryLeases, MemoryTable};

/// A clock that says what it is told.
#[derive(Default)]
pub(crate) struct HandClock(pub(crate) AtomicU64);

impl Clock for HandClock {
    fn now_ms(&self) -> TimestampMs {
        TimestampMs(self.0.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

pub(crate) fn block_on<R>(future: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A project directory with a scanner and a context in memory.
pub(crate) struct Scene {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) context: Context,
    pub(crate) table: MemoryTable,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) scanner: Scanner,
    pub(crate) ports: ContextPorts,
}

pub(crate) fn path(text: &str) -> TreePath {
    text.parse().unwrap()
}

pub(crate) fn node(text: &str) -> NodeRef {
    text.parse().unwrap()
}

pub(crate) fn write(root: &Path, name: &str, content: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn memory_ports() -> (ContextPorts, MemoryTable, Arc<HandClock>) {
    let clock = Arc::new(HandClock::default());
    let table = MemoryTable::new();
    let ports = ContextPorts {
        table: Arc::new(table.clone()),
        blobs: Arc::new(MemoryBlobs::new(clock.clone())),
        leases: Arc::new(MemoryLeases::new(clock.clone())),
        clock: clock.clone(),
        stamps: None,
    };
    (ports, table, clock)
}

/// An agent of each role, called like the role; and a second writer called `other`.
pub(crate) fn agents() -> Agents {
    let named = |name: &str, role| ContextAgent { id: name.parse().unwrap(), role };
    let mut all: Vec<ContextAgent> =
        Role::ALL.iter().map(|role| named(role.as_str(), *role)).collect();
    all.push(named("other", Role::Synthesis));
    Agents::new(all)
}

impl Scene {
    /// A project directory with these files, not scanned yet.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (ports, table, clock) = memory_ports();
        let context = Context::new(ports.clone(), ProjectLocation::new(dir.path()));
        let scanner = Scanner::new(dir.path());
        let scene = Self { dir, context, table, clock, scanner, ports };
        for (name, content) in files {
            scene.write(name, content);
        }
        scene
    }

    /// The same, scanned.
    pub(crate) fn scanned(files: &[(&str, &str)]) -> Self {
        let mut scene = Self::new(files);
        scene.scan();
        scene
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        write(self.dir.path(), name, content);
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.dir.path().join(name)).unwrap();
    }

    pub(crate) fn scan(&mut self) -> Recorded {
        self.scan_reported().0
    }

    pub(crate) fn scan_reported(&mut self) -> (Recorded, ScanReport) {
        let scanned = self.scanner.scan(false).unwrap();
        let partial = scanned.report.is_partial();
        (block_on(self.context.record(&scanned.tree, partial, None)).unwrap(), scanned.report)
    }

    pub(crate) fn adapter(&self, agent: &str) -> AgentContext {
        AgentContext::new(self.context.clone(), &agents(), &agent.parse().unwrap()).unwrap()
    }

    pub(crate) fn put(&self, at: &str, frame_type: &str, content: &str) -> Appended {
        self.put_as("writer", at, frame_type, content)
    }

    pub(crate) fn put_as(&self, who: &str, at: &str, frame_type: &str, content: &str) -> Appended {
        let frame = PutFrame::new(at, frame_type.parse().unwrap(), content);
        block_on(self.adapter(who).put_frame(&frame)).unwrap()
    }

    pub(crate) fn get(&self, at: &str, view: &View) -> NodeContext {
        block_on(self.adapter("reader").read_context(&node(at), view)).unwrap()
    }

    pub(crate) fn head(&self, at: &str, frame_type: &str) -> Option<FrameId> {
        let head = block_on(self.context.head(&path(at), &frame_type.parse().unwrap())).unwrap();
        head.map(|head| head.frame)
    }

    /// The frame that a synthesis makes of the directory that it is asked for.
    pub(crate) fn make(&self, at: &str, request: &SynthesizeRequest) -> Appended {
        self.synthesize(at, request).frames.last().unwrap().appended
    }

    pub(crate) fn synthesize(&self, at: &str, request: &SynthesizeRequest) -> Synthesized {
        block_on(self.adapter("synthesis").synthesize_with(&node(at), request)).unwrap()
    }
}

/// A recursive synthesis of `summary` frames from `summary` frames.
pub(crate) fn summaries(policy: PolicySpec) -> SynthesizeRequest {
    SynthesizeRequest {
        frame_type: "summary".parse().unwrap(),
        inputs: Inputs::Type("summary".parse().unwrap()),
        policy,
        recursive: true,
        missing: Missing::Refuse,
    }
}

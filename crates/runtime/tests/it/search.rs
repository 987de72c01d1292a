//! Everything found by words, across the parts.

use std::sync::Arc;

use piton_backpack::journal::{BackpackEvent, Holder, JournaledBackpack, Mode};
use piton_backpack::{NodeIdentity, Options, PackOptions};
use piton_core::port::fixed::SeededEntropy;
use piton_runtime::Runtime;
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::backpack::{BackpackPorts, JournalPorts};
use piton_runtime::context::{
    ContextPorts, ContextSettings, ProjectContext, ProjectLocation, PutFrame,
};
use piton_runtime::provenance::Worlds;
use piton_runtime::search::{Findings, FoundGroup, FoundKind};
use piton_runtime::workspaces::{Declared, FileWorld, VirtualPorts, WorkspacePorts, join};
use piton_runtime::{CallBasis, RuntimePorts};
use piton_store::memory::{MemoryBlobs, MemoryIndex, MemoryJournal, MemoryTable};
use serde_json::json;

use crate::rig::{Machine, notes, start, two_steps};

/// A machine with something of every kind.
struct Everything {
    machine: Machine,
    journal: JournalPorts,
    files: FileWorld,
    frames: ProjectContext,
}

impl Everything {
    async fn new() -> Self {
        Self::on(Machine::in_memory()).await
    }

    async fn on(machine: Machine) -> Self {
        let ports = &machine.ports;
        let (clock, entropy) = (Arc::clone(&ports.clock), Arc::new(SeededEntropy::new(4)));
        let blobs = MemoryBlobs::new(Arc::clone(&clock));
        let journal = JournalPorts {
            journal: Arc::new(MemoryJournal::<BackpackEvent>::new(blobs.clone())),
            blobs: Arc::new(blobs.clone()),
            ports: BackpackPorts { clock: Arc::clone(&clock), entropy: entropy.clone() },
        };
        let virtual_ports = VirtualPorts {
            table: Arc::new(MemoryTable::new()),
            blobs: Arc::new(blobs.clone()),
            clock: Arc::clone(&clock),
            entropy,
        };
        let memory = virtual_ports.clone();
        let files = WorkspacePorts { kept: virtual_ports, memory, configuration: None, data: None };
        let mounts = ["/scratch=virtual:rw".parse().unwrap()];
        let declared = Declared::typed(&mounts, machine.project());
        let files = FileWorld::open(join(vec![declared], None), &files).await.unwrap();
        let frames = ContextPorts {
            table: Arc::new(MemoryTable::new()),
            blobs: Arc::new(blobs),
            leases: Arc::clone(&ports.leases),
            clock,
            stamps: None,
        };
        machine.write("project/login.rs", "fn login() {}\n");
        machine.write("project/.piton/workflows/zebra.json", &two_steps("project.zebra_crossing"));
        let location = ProjectLocation::new(machine.project());
        let frames = ProjectContext::open(&frames, location, ContextSettings::default());
        frames.context.scan(false, None).await.unwrap();
        Self { machine, journal, files, frames }
    }

    /// A process that just started.
    fn runtime(&self) -> Arc<Runtime> {
        let configuration = self.machine.configuration().unwrap();
        let runtime = Runtime::new(self.machine.ports.clone(), configuration).unwrap();
        Arc::new(runtime.with_backpacks(self.journal.clone()))
    }

    async fn search(&self, text: &str) -> Findings {
        let backpacks = Backpacks::new(self.journal.clone());
        let worlds =
            Worlds { backpacks: &backpacks, files: Some(&self.files), frames: Some(&self.frames) };
        let (runtime, project) = (self.runtime(), self.machine.project());
        runtime.catch_up_runs().await.unwrap();
        runtime.search_everything(text, 0, None, &worlds, Some(&project)).await.unwrap()
    }

    /// Returns what is found, as kind, place and name.
    async fn names(&self, text: &str) -> Vec<(FoundKind, String, Option<String>)> {
        let groups = self.search(text).await.groups.into_iter();
        let named = groups.flat_map(|FoundGroup { kind, things, total, unavailable, .. }| {
            assert_eq!((total, unavailable), (things.len() as u64, None));
            things.into_iter().map(move |thing| (kind, thing.name.place, thing.name.name))
        });
        named.collect()
    }

    async fn pack(&self, id: &str, key: &str, value: &str, tag: Option<&str>) {
        self.with(id, |scope| {
            let options = PackOptions::new().tagged(tag).unwrap();
            scope.pack_with(key, &json!(value), &options).unwrap().done().unwrap();
        })
        .await;
    }

    async fn with(&self, id: &str, act: impl FnOnce(&piton_backpack::Scope)) {
        let (id, holder) = (id.parse().unwrap(), Holder::new("a test").unwrap());
        let options = Options::default();
        let opened =
            JournaledBackpack::open(&id, holder, Mode::Durable, options, self.journal.clone());
        let backpack = opened.await.unwrap().backpack;
        act(&backpack.scope(NodeIdentity::new("one", "one").unwrap(), None).unwrap());
        backpack.close().await.unwrap();
    }

    async fn put(&self, node: &str, text: &str) {
        let person = self.frames.act_as(None).unwrap();
        let put = PutFrame::new(node, "note".parse().unwrap(), text);
        person.put_frame(&put).await.unwrap();
    }

    async fn write(&self, path: &str) {
        let arguments = json!({ "path": path, "content": "x\n" });
        self.files.call("one", &CallBasis::default(), "write", arguments).await.unwrap();
    }
}

fn found(kind: FoundKind, place: &str, name: Option<&str>) -> (FoundKind, String, Option<String>) {
    (kind, place.to_owned(), name.map(str::to_owned))
}

#[tokio::test]
async fn words_find_things_of_every_kind_with_excerpts() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        let all = Everything::on(machine).await;
        all.pack("osprey-log", "retry.limit", "three", Some("heron")).await;
        all.put("login.rs", "The heron waits beside the retry loop.").await;
        all.write("/scratch/heron/retry.rs").await;
        let run = all.machine.agent().start_workflow(start("project.zebra_crossing")).await;
        let key = found(FoundKind::Backpack, "osprey-log", Some("retry.limit"));
        let frame = found(FoundKind::Frame, "login.rs", Some("note"));
        let file = found(FoundKind::File, "/scratch/heron/retry.rs", None);
        assert_eq!(all.names("heron").await, [key.clone(), frame.clone(), file.clone()]);
        assert_eq!(all.names("HERON ret").await, [key.clone(), frame, file]);
        assert_eq!(all.names("limit").await, [key]);
        let backpack = found(FoundKind::Backpack, "osprey-log", None);
        assert_eq!(all.names("osprey").await[0], backpack);
        // The value of a key is not searched, protected or not.
        assert_eq!(all.names("three").await, []);
        let zebra = all.search("zebra").await;
        assert_eq!(zebra.runs.runs[0].run.session_id, run.unwrap().body.run.session_id);
        assert_eq!(zebra.groups[0].kind, FoundKind::Workflow);
        assert_eq!(zebra.groups[0].things[0].name.place, "project.zebra_crossing");
        let excerpt = all.search("waits").await.groups[0].things[0].excerpt.clone().unwrap();
        assert!(excerpt.pieces.iter().any(|piece| piece.is_match && piece.text == "waits"));
        for nothing in ["", "-", "heron zebra"] {
            assert_eq!(all.names(nothing).await, [], "{nothing}");
        }
    }
}

#[tokio::test]
async fn a_run_is_found_by_what_it_submitted() {
    let all = Everything::new().await;
    let agent = all.machine.agent();
    let started = agent.start_workflow(start("project.zebra_crossing")).await.unwrap().body;
    let mut submitted = notes(started.ack_token.as_ref(), "Saw a kestrel.");
    let output = submitted.output.as_mut().unwrap();
    output.artifacts =
        vec![json!({ "kind": "report", "bird": "cormorant", "long": "x".repeat(1_000) })];
    agent.continue_workflow(submitted).await.unwrap();
    for word in ["kestrel", "cormorant"] {
        let found = all.search(word).await.runs;
        assert_eq!((found.total, found.runs[0].run.session_id), (1, started.run.session_id));
        let pieces = &found.runs[0].excerpt.as_ref().unwrap().pieces;
        assert!(pieces.iter().any(|piece| piece.is_match && piece.text == word), "{pieces:?}");
    }
}

#[tokio::test]
async fn no_protected_value_enters_the_index() {
    let all = Everything::on(Machine::on_disk()).await;
    all.pack("people", "address", "Kingfisher Lane 4", Some("pii")).await;
    all.pack("people", "city", "Kingfisherton", None).await;
    assert_eq!(all.names("address").await.len(), 1);
    let files = std::fs::read_dir(all.machine.data().join("index")).unwrap();
    let files = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let mut texts = files.map(|bytes| String::from_utf8_lossy(&bytes).to_lowercase());
    assert!(texts.all(|text| !text.contains("kingfisher")));
}

#[tokio::test]
async fn what_changes_or_goes_is_found_as_it_is() {
    let all = Everything::new().await;
    all.pack("osprey-log", "heron", "x", None).await;
    all.put("login.rs", "A heron.").await;
    assert_eq!(all.names("heron").await.len(), 2);
    all.put("login.rs", "A kestrel.").await;
    all.with("osprey-log", |scope| {
        scope.delete("heron").unwrap().done().unwrap();
    })
    .await;
    assert_eq!(all.names("heron").await, []);
    assert_eq!(all.names("kestrel").await.len(), 1);
    all.machine.write("project/.piton/workflows/zebra.json", &two_steps("project.okapi"));
    assert_eq!(all.names("zebra").await, []);
    assert_eq!(all.names("okapi").await.len(), 1);
    // A backpack that is removed leaves the index in the same call: nobody searches in between.
    let id = "osprey-log".parse().unwrap();
    let index = Arc::clone(&all.machine.ports.index);
    let name = "backpack-names".parse().unwrap();
    let collection = piton_store::port::Collection { name, version: 1 };
    assert_eq!(index.cursors(&collection, None, 9).await.unwrap().cursors.len(), 1);
    all.runtime().remove_backpack(&id).await.unwrap();
    assert_eq!(index.cursors(&collection, None, 9).await.unwrap().cursors.len(), 0);
    assert_eq!(all.names("osprey").await, []);
    all.runtime().remove_backpack(&id).await.unwrap();
}

#[tokio::test]
async fn an_index_that_is_lost_is_made_again_and_one_that_is_current_is_not_written() {
    let mut all = Everything::new().await;
    all.pack("osprey-log", "heron", "x", None).await;
    all.put("login.rs", "A heron.").await;
    all.write("/scratch/heron.rs").await;
    all.search("heron").await;
    let before = all.search("heron").await;
    let again = all.search("heron").await;
    assert_eq!(before.runs.version, again.runs.version, "nothing was written");
    assert_eq!(before, again);
    all.machine.ports =
        RuntimePorts { index: Arc::new(MemoryIndex::new()), ..all.machine.ports.clone() };
    let made = all.search("heron").await;
    assert_eq!((made.groups, made.runs.runs), (before.groups, before.runs.runs));
}

#[tokio::test]
async fn another_project_does_not_find_what_is_not_its_own() {
    let all = Everything::new().await;
    all.put("login.rs", "A heron.").await;
    all.write("/scratch/heron.rs").await;
    all.pack("osprey-log", "heron", "x", None).await;
    assert_eq!(all.names("heron").await.len(), 3);
    let backpacks = Backpacks::new(all.journal.clone());
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let seen = all.runtime().search_everything("heron", 0, None, &worlds, None).await.unwrap();
    // Backpacks are of no project.
    assert_eq!(seen.groups.len(), 1);
    assert_eq!(seen.groups[0].kind, FoundKind::Backpack);
    let seen = all.runtime().search_everything("zebra", 0, None, &worlds, None).await.unwrap();
    assert_eq!(seen.groups, []);
}

#[tokio::test]
async fn many_matches_are_counted_and_the_first_are_returned() {
    let all = Everything::new().await;
    for number in 0..25 {
        all.pack("many", &format!("heron{number:02}"), "x", None).await;
    }
    let group = &all.search("heron").await.groups[0];
    assert_eq!((group.total, group.things.len()), (25, 20));
    let group = &all.search("heron07").await.groups[0];
    assert_eq!((group.total, group.things.len()), (1, 1));
}

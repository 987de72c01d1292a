//! What an import makes, and what it leaves alone.

use std::sync::Arc;

use piton_core::BoundedText;
use piton_core::port::fixed::SeededEntropy;
use piton_store::memory::{MemoryKeyRing, MemoryTable};
use piton_store::port::BlobNamespace;
use piton_store::testing::SimDisk;
use piton_workflow::bundle::{Bundle, BundleOrigin};
use piton_workflow::label::label;
use piton_workflow::projection::{Offer, ResumeQuery, SeenValue, SessionState, rank};
use piton_workflow::token::{
    AckPayload, AttemptKind, AttemptOrdinal, CheckpointPayload, Payload, StatePayload, attempt_id,
    verify,
};
use piton_workflow::{
    ExecutionSnapshot, NodeAddress, NodeKind, ObservationKey, compile::CompiledWorkflow,
    engine::next_step,
};

use super::store::{Store, block_on};
use super::tale::Tale;
use crate::projection::resume::quiet;
use crate::token::samples::mint;

/// A store with a tale in it, and its bundle as bytes.
fn exported() -> (Store, Tale, Vec<u8>) {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    let bytes = store.export(tale.session).encode().unwrap().into_vec();
    (store, tale, bytes)
}

fn empty_stores() -> Vec<Store> {
    vec![Store::in_memory(2), Store::on(&SimDisk::new(), &MemoryTable::new(), 2)]
}

// shows: WR-474
// shows: WR-549 (with a_changed_byte_is_noticed_or_changes_nothing_of_the_session, an_imported_run_goes_on_in_an_empty_data_directory_under_other_keys)
#[test]
fn every_projection_is_the_same_after_a_journey() {
    let (origin, tale, bytes) = exported();
    for store in empty_stores() {
        let imported = store.import(&Bundle::read(&bytes).unwrap());
        assert_eq!((imported.session, imported.renamed_from), (tale.session, None));
        assert!(store.events(tale.session) == tale.events());
        // Graph, tip, outputs, gaps, preferences, capabilities, advances, contexts, observations.
        assert_eq!(store.state(tale.session), origin.state(tale.session));
        let again = store.export(tale.session);
        let before = Bundle::read(&bytes).unwrap();
        assert_eq!(again.content().events, before.content().events);
        assert_eq!(again.content().snapshots, before.content().snapshots);
        assert_eq!(again.content().pinned_workflows, before.content().pinned_workflows);
        assert_eq!(again.content().artifacts, before.content().artifacts);
    }
}

// shows: WR-462
#[test]
fn a_search_for_what_to_resume_finds_the_same_after_a_journey() {
    let (origin, tale, bytes) = exported();
    let store = Store::in_memory(2);
    store.import(&Bundle::read(&bytes).unwrap());
    for query in [
        ResumeQuery::default(),
        ResumeQuery { branch: Some("fix"), ..ResumeQuery::default() },
        ResumeQuery { text: Some("wrote the report"), ..ResumeQuery::default() },
        ResumeQuery { text: Some("project triage"), ..ResumeQuery::default() },
    ] {
        let before = found(&query, &origin.state(tale.session));
        let after = found(&query, &store.state(tale.session));
        assert_eq!(before, after);
        assert_eq!(before.len(), 1);
    }
}

fn found(query: &ResumeQuery<'_>, state: &SessionState) -> Vec<Offer> {
    let branch = state.observed(ObservationKey::GitBranch).map(|seen| match &seen.value {
        piton_workflow::event::ObservedValue::ShortString(text) => text.as_str(),
        other => panic!("{other:?}"),
    });
    let candidates = state.runs().iter().map(|run| {
        let tip = run.graph.preferred_tip().expect("a run with a root has a tip");
        let recap = run.graph.ancestry(tip.id).find_map(|node| run.outputs.recap(node.id));
        let mut summary = quiet(1, run.active_at.get(), &run.started.workflow_id);
        summary.session_id = state.session().unwrap();
        summary.run_id = run.id;
        summary.label = label(run.id);
        summary.tip = tip.id;
        summary.surroundings.branch = branch.map(SeenValue::truncated);
        summary.recap = recap.map(BoundedText::truncated);
        Arc::new(summary)
    });
    rank(query, candidates).offers
}

// shows: WR-388, WR-468, WR-476
// shows in part: WR-549 (the part about tokens)
#[test]
fn an_imported_run_goes_on_in_an_empty_data_directory_under_other_keys() {
    let (_, tale, bytes) = exported();
    for store in empty_stores() {
        store.import(&Bundle::read(&bytes).unwrap());
        let state = store.state(tale.session);
        let run = &state.runs()[0];
        let tip = run.graph.nodes().find(|node| node.kind == NodeKind::Step).unwrap();
        let get =
            |namespace, digest| block_on(store.blobs.get(namespace, digest)).unwrap().unwrap();
        let snapshot = get(BlobNamespace::Snapshots, tip.snapshot.digest());
        let snapshot = ExecutionSnapshot::decode(&snapshot).unwrap();
        let workflow = get(BlobNamespace::PinnedWorkflows, snapshot.workflow_hash.digest());
        let workflow = CompiledWorkflow::read(&workflow).unwrap();
        assert_eq!(workflow, tale.workflow);
        next_step::next(&workflow, &snapshot.state, &serde_json::Map::new(), &[]).unwrap();

        let keys = MemoryKeyRing::new(Arc::new(SeededEntropy::new(99)));
        let address = NodeAddress { session: tale.session, run: run.id, node: tip.id };
        let attempt = attempt_id(address, AttemptKind::Ack, AttemptOrdinal::FIRST);
        let payloads = [
            Payload::State(StatePayload { address, workflow_hash: snapshot.workflow_hash }),
            Payload::Ack(AckPayload { address, attempt }),
        ];
        for payload in payloads {
            let token = block_on(mint(&payload, &keys)).unwrap();
            assert_eq!(block_on(verify(&token, &keys)).unwrap(), payload);
        }
    }
}

// shows: WR-475
#[test]
fn checkpoints_survive_with_their_edges_and_outputs() {
    let (origin, tale, bytes) = exported();
    let store = Store::in_memory(2);
    store.import(&Bundle::read(&bytes).unwrap());
    let checkpoints = |store: &Store| -> Vec<_> {
        let state = store.state(tale.session);
        let run = &state.runs()[0];
        let nodes = run.graph.nodes().filter(|node| node.kind == NodeKind::Checkpoint);
        nodes.map(|node| (run.id, node.clone())).collect()
    };
    assert_eq!(checkpoints(&store), checkpoints(&origin));
    let [(run, node)] = checkpoints(&store).try_into().unwrap();
    assert!(node.cause.is_some(), "its edge is there");
    let token = |seed| {
        let keys = MemoryKeyRing::new(Arc::new(SeededEntropy::new(seed)));
        let address = NodeAddress { session: tale.session, run, node: node.id };
        let attempt = attempt_id(address, AttemptKind::Checkpoint, AttemptOrdinal::FIRST);
        let payload = Payload::Checkpoint(CheckpointPayload { address, attempt });
        block_on(mint(&payload, &keys)).unwrap()
    };
    assert_eq!(token(3), token(3), "one key ring, one token");
    assert_ne!(token(3), token(4));
    let artifacts = |store: &Store| store.count(BlobNamespace::Artifacts);
    assert_eq!(artifacts(&store), artifacts(&origin));
}

// shows: WR-471
#[test]
fn a_session_whose_id_is_taken_comes_in_under_a_new_one_and_the_first_stays_as_it_was() {
    let (_, tale, bytes) = exported();
    let bundle = Bundle::read(&bytes).unwrap();
    for store in empty_stores() {
        let first = store.import(&bundle);
        let events = store.events(first.session);
        let second = store.import(&bundle);
        assert_eq!(second.renamed_from, Some(tale.session));
        assert_ne!(second.session, tale.session);
        assert_eq!(store.events(first.session), events, "the first is untouched");
        assert_eq!(store.sessions().len(), 2);
        let copy = store.events(second.session);
        assert_eq!(copy.len(), events.len());
        for (copied, event) in copy.iter().zip(&events) {
            assert_eq!(copied.session(), second.session);
            assert_eq!(*copied.dedupe_key(), event.body().dedupe_key(second.session));
            assert_ne!(copied.dedupe_key(), event.dedupe_key());
            assert_eq!((copied.body(), copied.id()), (event.body(), event.id()));
        }
        assert_eq!(store.state(second.session).runs(), store.state(first.session).runs());
        // What came in under a new id is a session like any other.
        store.export(second.session);
    }
}

#[test]
fn a_session_that_somebody_writes_to_or_that_is_damaged_counts_as_taken() {
    let (_, tale, bytes) = exported();
    let bundle = Bundle::read(&bytes).unwrap();
    let store = Store::in_memory(2);
    let lease = block_on(store.journal.lease(&tale.session.into())).unwrap();
    assert!(store.import(&bundle).renamed_from.is_some());
    drop(lease);
    let disk = SimDisk::new();
    let store = Store::on(&disk, &MemoryTable::new(), 2);
    store.import(&bundle);
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    disk.damage(std::path::Path::new(&manifest), |bytes| bytes[0] = b'[');
    assert!(store.import(&bundle).renamed_from.is_some());
}

// shows: WR-465
#[test]
fn who_made_a_bundle_and_when_makes_no_difference() {
    let (_, tale, bytes) = exported();
    let bundle = Bundle::read(&bytes).unwrap();
    let mut origin: BundleOrigin = bundle.origin().clone();
    origin.exported_at = piton_core::TimestampMs(0);
    origin.producer.app_version = piton_core::BoundedText::new("99.0").unwrap();
    origin.producer.applied_config_hash = Some(tale.blobs[0].digest());
    let other = Bundle::new(origin, bundle.content().clone()).unwrap();
    let states = [bundle, other].map(|bundle| {
        let store = Store::in_memory(2);
        let read = Bundle::read(bundle.encode().unwrap().as_bytes()).unwrap();
        let imported = store.import(&read);
        (imported, store.events(tale.session))
    });
    assert_eq!(states[0], states[1]);
}

// shows: WR-472
#[test]
fn a_bundle_that_is_refused_leaves_nothing_behind() {
    let (_, _, bytes) = exported();
    let disk = SimDisk::new();
    let store = Store::on(&disk, &MemoryTable::new(), 2);
    disk.set_fault(None);
    let mut broken = bytes.clone();
    let last = broken.iter().rposition(u8::is_ascii_digit).unwrap();
    broken[last] = if broken[last] == b'1' { b'2' } else { b'1' };
    assert!(Bundle::read(&broken).is_err());
    assert_eq!(disk.calls(), 0, "reading a bundle touches no disk");
    assert!(store.sessions().is_empty());
    for namespace in BlobNamespace::ALL {
        assert_eq!(store.count(*namespace), 0, "{namespace}");
    }
    store.import(&Bundle::read(&bytes).unwrap());
    assert_eq!(store.sessions().len(), 1, "what is whole does come in");
}

#[test]
fn a_report_counts_what_came_in() {
    let (_, tale, bytes) = exported();
    let imported = Store::in_memory(2).import(&Bundle::read(&bytes).unwrap());
    let of = |namespace| {
        let mut found: Vec<_> = tale
            .blobs
            .iter()
            .filter(|blob| blob.namespace() == namespace)
            .map(piton_store::NewBlob::digest)
            .collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    assert_eq!(imported.events, tale.events().len());
    assert_eq!(imported.plans, 1, "all plans of the tale fit into one");
    assert_eq!(imported.snapshots, of(BlobNamespace::Snapshots));
    assert_eq!(imported.pinned_workflows, of(BlobNamespace::PinnedWorkflows));
    assert_eq!(imported.artifacts, of(BlobNamespace::Artifacts));
}

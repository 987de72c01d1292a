//! Two things of one kind, compared.

use std::sync::Arc;

use piton_backpack::journal::{BackpackEvent, Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{NodeIdentity, Options};
use piton_core::{Code, NodeId, Provenance};
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::provenance::{BranchSide, ThingKind, ThingReference, Worlds, WrittenKind};
use piton_runtime::request::SessionReference;
use piton_store::memory::{MemoryBlobs, MemoryJournal};
use serde_json::{Value, json};

use super::lineage::forked;
use crate::rig::Machine;

fn thing(text: &str) -> ThingReference {
    text.parse().unwrap()
}

pub(super) fn journal(machine: &Machine) -> JournalPorts {
    let ports = &machine.ports;
    let (clock, entropy) = (Arc::clone(&ports.clock), Arc::clone(&ports.entropy));
    let blobs = MemoryBlobs::new(Arc::clone(&clock));
    JournalPorts {
        journal: Arc::new(MemoryJournal::<BackpackEvent>::new(blobs.clone())),
        blobs: Arc::new(blobs),
        ports: piton_backpack::BackpackPorts { clock, entropy },
    }
}

async fn pack(ports: &JournalPorts, name: &str, at: Option<Provenance>, key: &str, value: Value) {
    let (id, holder) = (name.parse().unwrap(), Holder::new("a test").unwrap());
    let options = Options::default();
    let opened = JournaledBackpack::open(&id, holder, Mode::Durable, options, ports.clone()).await;
    let backpack = opened.unwrap().backpack;
    let scope = backpack.scope(NodeIdentity::new("one", "one").unwrap(), None).unwrap().at_step(at);
    scope.pack(key, &value).unwrap().done().unwrap();
    backpack.close().await.unwrap();
}

fn keys(side: &BranchSide) -> Vec<(String, WrittenKind)> {
    side.written.keys.iter().map(|key| (key.key.clone(), key.became.kind)).collect()
}

#[tokio::test]
async fn two_branches_are_compared_from_where_they_parted_with_what_their_steps_wrote() {
    let (machine, run) = forked().await;
    let runtime = machine.runtime();
    let tree = runtime.run_tree(&SessionReference(run.clone())).await.unwrap();
    let left = tree.nodes.iter().find(|node| node.is_tip && !node.is_preferred_tip).unwrap();
    let right = tree.nodes.iter().find(|node| node.is_preferred_tip).unwrap();
    let second = tree.nodes.iter().find(|node| Some(node.node_id) == right.parent_id).unwrap();
    let ports = journal(&machine);
    let at = |node: NodeId| {
        let (session, run) = (tree.summary.session_id, tree.summary.run_id);
        Some(Provenance { session, run, node, step: "any".to_owned() })
    };
    pack(&ports, "shared", at(left.node_id), "way", json!("left\n")).await;
    pack(&ports, "shared", at(right.node_id), "way", json!("right\n")).await;
    pack(&ports, "shared", at(second.node_id), "plan", json!("both")).await;
    pack(&ports, "shared", None, "free", json!("nobody's")).await;
    let backpacks = Backpacks::new(ports);
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let left = thing(&format!("{run}@{}", left.node_id));
    let compared = runtime.compare(&left, &thing(&run), &worlds).await.unwrap();
    assert_eq!(compared.kind, ThingKind::Run);
    let ancestor = compared.ancestor.unwrap();
    assert_eq!(ancestor.step.unwrap().step.as_deref(), Some("second"));
    let steps = |side: &BranchSide| {
        side.steps.iter().map(|link| link.step.clone().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(steps(&compared.left), ["second", "third"]);
    assert_eq!(steps(&compared.right), ["second", "third"]);
    // Each side has the notes of its own way, also for the step at which they part.
    let [notes] = compared.outputs.as_slice() else { panic!("{:?}", compared.outputs) };
    assert_eq!(notes.step, "second");
    assert_eq!(
        (notes.diff[0].text.as_str(), notes.diff[1].text.as_str()),
        ("Took the left way.", "Took the right way.",)
    );
    let told = |side: &BranchSide| side.steps[0].outputs[0].digest;
    assert_eq!(
        (notes.left, notes.right),
        (Some(told(&compared.left)), Some(told(&compared.right)))
    );
    assert_eq!(compared.context.len(), 1);
    assert_eq!(compared.context[0].left, Some(json!("left")));
    // Each key is listed on the side whose step packed it; what both could have packed is listed between them.
    assert_eq!(keys(&compared.left), [("way".to_owned(), WrittenKind::Added)]);
    assert_eq!(keys(&compared.right), [("way".to_owned(), WrittenKind::Modified)]);
    let both: Vec<_> = ancestor.written.keys.iter().map(|key| key.key.as_str()).collect();
    assert_eq!(both, ["plan"]);
    let none = runtime.compare(&thing(&run), &thing(&run), &worlds).await.unwrap();
    assert!(none.outputs.is_empty() && none.context.is_empty());
}

#[tokio::test]
async fn what_a_run_packed_is_found_however_many_backpacks_were_used_since() {
    let (machine, run) = forked().await;
    let runtime = machine.runtime();
    let tree = runtime.run_tree(&SessionReference(run.clone())).await.unwrap();
    let tip = tree.nodes.iter().find(|node| node.is_preferred_tip).unwrap();
    let (session, run_id, node) = (tree.summary.session_id, tree.summary.run_id, tip.node_id);
    let at = Provenance { session, run: run_id, node, step: "third".to_owned() };
    let ports = journal(&machine);
    pack(&ports, "zz-oldest", Some(at), "kept", json!(1)).await;
    for number in 0..220 {
        pack(&ports, &format!("other-{number}"), None, "key", json!(number)).await;
    }
    let backpacks = Backpacks::new(ports);
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let left = thing(&format!("{run}@first"));
    let compared = runtime.compare(&left, &thing(&run), &worlds).await.unwrap();
    assert_eq!(keys(&compared.right), [("kept".to_owned(), WrittenKind::Added)]);
    assert!(compared.notes.is_empty(), "{:?}", compared.notes);
}

#[tokio::test]
async fn a_fork_of_a_backpack_is_compared_from_the_commit_that_it_was_taken_at() {
    let machine = Machine::in_memory();
    let ports = journal(&machine);
    pack(&ports, "first", None, "plan", json!("one\ntwo\n")).await;
    pack(&ports, "first", None, "old", json!(1)).await;
    let backpacks = Backpacks::new(ports.clone());
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let runtime = machine.runtime();
    runtime.fork(&thing("first@c0"), Some("second"), &worlds).await.unwrap();
    pack(&ports, "first", None, "plan", json!("one\n2\n")).await;
    pack(&ports, "second", None, "new", json!(2)).await;
    let compared = runtime.compare(&thing("first"), &thing("second"), &worlds).await.unwrap();
    assert_eq!(compared.ancestor.unwrap().name, "first@c0");
    let (added, changed) = (WrittenKind::Added, WrittenKind::Modified);
    let (plan, old, new) = ("plan".to_owned(), "old".to_owned(), "new".to_owned());
    assert_eq!(keys(&compared.left), [(old, added), (plan, changed)]);
    assert_eq!(keys(&compared.right), [(new, added)]);
    assert_eq!(compared.left.commits.len(), 2);
    assert_eq!(compared.right.commits.len(), 1);
    // In one backpack the older commit is what both come from.
    let compared = runtime.compare(&thing("first@c2"), &thing("first@c1"), &worlds).await.unwrap();
    assert_eq!(compared.ancestor.unwrap().name, "first@c1");
    assert!(compared.right.written.is_empty() && compared.right.commits.is_empty());
    // Two that nothing joins are compared as they are.
    pack(&ports, "other", None, "plan", json!("x")).await;
    let compared = runtime.compare(&thing("second"), &thing("other"), &worlds).await.unwrap();
    assert!(compared.ancestor.is_none() && compared.left.written.is_empty());
    assert_eq!(compared.right.written.keys.len(), 2);
    assert!(compared.notes[0].contains("no commit in common"), "{:?}", compared.notes);
}

#[tokio::test]
async fn what_does_not_fit_together_is_refused_with_what_would() {
    let (machine, run) = forked().await;
    let ports = journal(&machine);
    pack(&ports, "shared", None, "plan", json!(1)).await;
    let backpacks = Backpacks::new(ports);
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let runtime = machine.runtime();
    let refused = async |left: &str, right: &str| {
        runtime.compare(&thing(left), &thing(right), &worlds).await.unwrap_err()
    };
    let mixed = refused(&run, "shared").await;
    assert_eq!(mixed.code, Code::ValidationError);
    assert!(mixed.message.contains("is a run and `shared` is a backpack"), "{}", mixed.message);
    assert!(mixed.suggestion.contains("piton backpack list"), "{}", mixed.suggestion);
    assert_eq!(refused("nothing-there", "shared").await.code, Code::StoreNotFound);
    assert_eq!(refused("/a", "/b").await.code, Code::WorkspaceUnmapped);
    assert_eq!(refused("@", "@-1").await.code, Code::ContextNotScanned);
    assert!(refused("shared", "/a").await.message.contains("an overlay"));
    let into = runtime.fork(&thing(&run), Some("x"), &worlds).await.unwrap_err();
    assert_eq!(into.suggestion, "Leave --into out.");
}

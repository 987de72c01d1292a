//! Every answer about a branch shows what was submitted on it: the agent that continues it, `blame` and `diff`.

use std::collections::BTreeMap;

#[cfg(feature = "flow")]
use piton_core::NodeId;
use piton_runtime::Connection;
use piton_runtime::provenance::NodeReference;
use piton_runtime::reply::ReplyBody;
use piton_runtime::request::{Continue, ResumeSession, SessionReference};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::rig::{Machine, notes, start};

/// A workflow of six steps that each send back notes without the word `good`.
fn workflow() -> String {
    let step = |number: u32| {
        json!({
            "id": format!("s{number}"), "title": format!("Step {number}"), "prompt": "Do it.",
            "validationCriteria": [{ "type": "contains", "value": "good" }],
        })
    };
    let steps: Vec<Value> = (1..=6).map(step).collect();
    json!({ "id": "project.a", "name": "A", "description": "For tests.", "steps": steps })
        .to_string()
}

/// What was submitted, as a person would keep it on paper: nodes in the order in which they were made.
#[derive(Default)]
struct Paper {
    /// For each node the one before it, and the notes that led from there.
    came_from: Vec<Option<(usize, String)>>,
    /// For each node the notes of its newest attempt.
    newest: BTreeMap<usize, String>,
}

impl Paper {
    /// The notes on the way to a node, the oldest first.
    fn way(&self, mut node: usize) -> Vec<String> {
        let mut notes: Vec<_> = self.newest.get(&node).cloned().into_iter().collect();
        while let Some((before, submitted)) = &self.came_from[node] {
            notes.push(submitted.clone());
            node = *before;
        }
        notes.reverse();
        notes
    }
}

/// The submissions that occur in a text, in their order there.
fn found(text: &str, all: &[String]) -> Vec<String> {
    let lines = text.lines();
    lines.filter(|line| all.iter().any(|one| one == line)).map(str::to_owned).collect()
}

async fn look(agent: &Connection, body: &ReplyBody) -> ReplyBody {
    let state_token = Some(body.state_token.clone());
    let asked = Continue { state_token, ..Continue::default() };
    agent.continue_workflow(asked).await.unwrap().body
}

#[cfg(feature = "flow")]
async fn check_diff(machine: &Machine, run: &str, paper: &Paper, tips: &[(usize, NodeId)]) {
    use std::sync::Arc;

    use piton_backpack::journal::{BackpackEvent, JournalPorts};
    use piton_runtime::backpack::inspect::Backpacks;
    use piton_runtime::provenance::{ThingReference, Worlds};
    use piton_store::memory::{MemoryBlobs, MemoryJournal};

    let (clock, entropy) = (Arc::clone(&machine.ports.clock), Arc::clone(&machine.ports.entropy));
    let blobs = MemoryBlobs::new(Arc::clone(&clock));
    let backpacks = Backpacks::new(JournalPorts {
        journal: Arc::new(MemoryJournal::<BackpackEvent>::new(blobs.clone())),
        blobs: Arc::new(blobs),
        ports: piton_backpack::BackpackPorts { clock, entropy },
    });
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    for pair in tips.windows(2) {
        let [(left, left_node), (right, right_node)] = pair else { continue };
        let thing = |node: &NodeId| format!("{run}@{node}").parse::<ThingReference>().unwrap();
        let compared = machine
            .runtime()
            .compare(&thing(left_node), &thing(right_node), &worlds)
            .await
            .unwrap();
        // What both have from before they part is no difference; what either has since then is listed as its own.
        let (left, right) = (paper.way(*left), paper.way(*right));
        let common = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
        let told = |side: &piton_runtime::provenance::BranchSide| {
            let outputs = side.steps.iter().flat_map(|link| &link.outputs);
            outputs.map(|output| output.headline.clone().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(told(&compared.left), left[common..], "left");
        assert_eq!(told(&compared.right), right[common..], "right");
    }
}

async fn check(
    machine: &Machine,
    agent: &Connection,
    bodies: &[ReplyBody],
    paper: &Paper,
    all: &[String],
) {
    let runtime = machine.runtime();
    let run = bodies[0].run.run_id.to_string();
    let tree = runtime.run_tree(&SessionReference(run.clone())).await.unwrap();
    assert_eq!(tree.nodes.len(), paper.came_from.len());
    let mut tips = Vec::new();
    for (place, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.is_tip) {
        let own = paper.way(place);
        let reference: NodeReference = format!("{run}@{}", node.node_id).parse().unwrap();
        let blame = runtime.blame_node(&reference).await.unwrap();
        let outputs = blame.chain.iter().flat_map(|link| &link.outputs);
        let told: Vec<_> = outputs.map(|output| output.headline.clone().unwrap()).collect();
        assert_eq!(told, own, "blame run");
        let recap = runtime.blame_recap(&reference).await.unwrap();
        let lines: Vec<_> = recap.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(found(&lines.join("\n"), all), own, "blame recap");
        if let Some(pending) = look(agent, &bodies[place]).await.pending {
            assert_eq!(found(&pending.prompt, all), own, "what the agent reads");
        }
        if node.is_preferred_tip {
            let shown = runtime.show_session(&SessionReference(run.clone())).await.unwrap();
            let steps = shown.runs[0].steps.iter();
            let told: Vec<_> = steps.filter_map(|step| step.notes.clone()).collect();
            assert_eq!(told, own, "session show");
        }
        tips.push((place, node.node_id));
    }
    #[cfg(feature = "flow")]
    check_diff(machine, &run, paper, &tips).await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    // shows: WR-305, CT-096
    #[test]
    fn every_branch_is_told_alike_by_all_who_tell_it(
        choices in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 0..3_u8), 1..12),
    ) {
        let turning = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        turning.block_on(async {
            let machine = Machine::in_memory();
            machine.write("project/.piton/workflows/a.json", &workflow());
            let agent = machine.agent();
            let mut bodies = vec![agent.start_workflow(start("project.a")).await.unwrap().body];
            let mut paper = Paper::default();
            paper.came_from.push(None);
            let mut all = Vec::new();
            for (number, (place, is_at_tip, what)) in choices.into_iter().enumerate() {
                let at = if is_at_tip { bodies.len() - 1 } else { place.index(bodies.len()) };
                let now = look(&agent, &bodies[at]).await;
                let Some(token) = now.ack_token.as_ref() else { continue };
                let word = if what == 0 { "bad" } else { "good" };
                let text = format!("{word} {number}");
                all.push(text.clone());
                let reply = agent.continue_workflow(notes(Some(token), &text)).await.unwrap().body;
                paper.newest.insert(at, text.clone());
                if what > 0 {
                    paper.came_from.push(Some((at, text)));
                    bodies.push(reply);
                }
            }
            check(&machine, &agent, &bodies, &paper, &all).await;
        });
    }
}

#[tokio::test]
async fn an_agent_that_resumes_a_run_continues_on_the_branch_that_a_person_prefers() {
    let (machine, run) = super::lineage::forked().await;
    let runtime = machine.runtime();
    let tree = runtime.run_tree(&SessionReference(run.clone())).await.unwrap();
    let left =
        tree.nodes.iter().find(|node| node.is_tip && !node.is_preferred_tip).unwrap().node_id;
    let asked: NodeReference = format!("{run}@{left}").parse().unwrap();
    let chosen = runtime.prefer_branch(&asked, None).await.unwrap();
    assert_eq!((chosen.tip_id, chosen.was_preferred), (left, false));
    let tree = runtime.run_tree(&SessionReference(run.clone())).await.unwrap();
    let tip = tree.nodes.iter().find(|node| node.is_preferred_tip).unwrap();
    assert_eq!(tip.node_id, left);
    assert_eq!(tip.open_gaps, 0, "nothing is missing");
    let agent = machine.agent();
    let found = agent.resume_session(&ResumeSession::default()).await.unwrap();
    let state_token = found.candidates[0].next_call.params.state_token.clone();
    let call = Continue { state_token, ..Continue::default() };
    let resumed = agent.continue_workflow(call).await.unwrap().body;
    let prompt = resumed.pending.unwrap().prompt;
    assert!(prompt.contains("Took the left way.") && !prompt.contains("right way"), "{prompt}");
}

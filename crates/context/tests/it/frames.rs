//! Frames: what they are, what they depend on, and that they stay.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use piton_context::agent::{AgentContext, ModelAnswer, Right, Role};
use piton_context::frame::{
    AppendOutcome, Basis, BasisInputs, FrameId, Metadata, Policy, Proof, PutFrame,
};
use piton_context::read::{Composition, View};
use piton_context::synthesis::PolicySpec;
use piton_context::{Context, ContextPorts};
use piton_core::{Digest, FileBytes, canonical};
use piton_store::port::{EntryChange, Expect, Table as _, TableWrite};
use piton_store::testing::{TableCall, WatchedTable};
use serde_json::json;

use crate::history::dump;
use crate::scene::{Scene, agents, block_on, node, path, summaries};

fn digest(text: &str) -> Digest {
    Digest::of(&FileBytes(text.as_bytes()))
}

// shows: CT-021 (with what_is_said_about_a_frame_is_no_part_of_its_id, the_same_frames_give_the_same_frame_and_others_another)
// shows: CT-022 (with what_is_said_about_a_frame_is_no_part_of_its_id, a_program_can_register_a_policy_of_its_own, a_tree_is_filled_from_the_bottom_up_and_the_same_again_asks_nobody)
#[test]
fn an_id_changes_with_path_type_agent_and_basis_and_with_nothing_else() {
    let node_id = piton_context::tree::TreeNodeId::new(digest("node"));
    let written = Basis::Written { node_id, content: digest("text") };
    let policy =
        Policy { name: "concatenation".into(), version: 1, parameters: json!({"inputs": "*"}) };
    let child = FrameId::new(digest("child"));
    let synthesis = Basis::synthesis(vec![child], policy.clone());
    let given = vec![BasisInputs::Node { path: path("a"), node_id }];
    let generated = Basis::Generated { prompt: digest("why?"), given: given.clone(), attempt: 1 };
    let id = |at: &str, kind: &str, agent: &str, basis: &Basis| {
        FrameId::of(&path(at), &kind.parse().unwrap(), &agent.parse().unwrap(), basis)
    };
    let golden = [
        id("src/a.rs", "summary", "writer", &written),
        id("src", "summary", "writer", &synthesis),
        id("src", "summary", "writer", &generated),
    ];
    insta::assert_debug_snapshot!(golden);
    // The same, spelled out as the format describes it.
    let (node, text) = (node_id.to_string(), digest("text").to_string());
    let spelled = [
        ("src/a.rs", json!({ "kind": "written", "nodeId": node, "content": text })),
        (
            "src",
            json!({ "kind": "synthesis", "frames": [child.to_string()], "policy": {
                "name": "concatenation", "version": 1, "parameters": { "inputs": "*" } } }),
        ),
        (
            "src",
            json!({ "kind": "generated", "prompt": digest("why?").to_string(), "attempt": 1,
                "given": [{ "what": "node", "path": "a", "nodeId": node }] }),
        ),
    ];
    for ((at, basis), id) in spelled.into_iter().zip(golden) {
        let identity =
            json!({ "path": at, "frameType": "summary", "agentId": "writer", "basis": basis });
        assert_eq!(Digest::of(&canonical::encode(&identity).unwrap()), id.digest(), "{at}");
    }
    let newer = Policy { version: 2, ..policy.clone() };
    let others = [
        id("src/b.rs", "summary", "writer", &written),
        id("src/a.rs", "analysis", "writer", &written),
        id("src/a.rs", "summary", "other", &written),
        // The end of one field is not the beginning of the next.
        id("src/a.rs", "summaryw", "riter", &written),
        id("src/a.rs", "summary", "writer", &Basis::Written { node_id, content: digest("else") }),
        id(
            "src/a.rs",
            "summary",
            "writer",
            &Basis::Written {
                node_id: piton_context::tree::TreeNodeId::new(digest("other")),
                content: digest("text"),
            },
        ),
        id("src", "summary", "writer", &Basis::synthesis(vec![child], newer)),
        id("src", "summary", "writer", &Basis::synthesis(vec![child, child], policy)),
        id(
            "src",
            "summary",
            "writer",
            &Basis::Generated { prompt: digest("why?"), given, attempt: 2 },
        ),
    ];
    let all: BTreeSet<FrameId> = golden.into_iter().chain(others).collect();
    assert_eq!(all.len(), golden.len() + others.len());
}

// shows in part: CT-021 (the part that neither time nor provider counts), CT-022 (the part that an answer is no part of its basis)
#[test]
fn what_is_said_about_a_frame_is_no_part_of_its_id() {
    let put = |clock: u64, provider: &str, text: &str| {
        let scene = Scene::scanned(&[("a", "1")]);
        scene.clock.0.store(clock, Ordering::Relaxed);
        let said = Metadata::new([("provider".to_owned(), provider.to_owned())].into()).unwrap();
        let agent = scene.adapter("writer");
        let frame = PutFrame::new("a", "note".parse().unwrap(), "the same words");
        let written =
            block_on(agent.clone().with_metadata(said.clone()).put_frame(&frame)).unwrap();
        let answer = ModelAnswer {
            prompt: digest("why?"),
            given: Vec::new(),
            attempt: 1,
            content: text.into(),
            metadata: said,
        };
        let kind = "told".parse().unwrap();
        let told = block_on(agent.generate_frame(&node("a"), &kind, answer)).unwrap();
        (written.frame, told.frame)
    };
    let first = put(1, "one", "it is so");
    assert_eq!(put(9_000, "two", "it is not so"), first);
}

// shows: CT-027 (with a_process_that_is_killed_leaves_the_store_as_before_or_after, a_command_that_is_killed_leaves_what_was_before_or_what_is_after)
#[test]
fn a_frame_and_its_head_are_one_commit() {
    let scene = Scene::scanned(&[("a", "1")]);
    let commits = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&commits);
    let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
        if let TableCall::Commit(writes) = call {
            let letters: BTreeSet<u8> = writes.iter().map(|write| write.key[16]).collect();
            seen.lock().unwrap().push(String::from_utf8(letters.into_iter().collect()).unwrap());
        }
    });
    let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.location().clone());
    let writer = AgentContext::new(context, &agents(), &"writer".parse().unwrap()).unwrap();
    for text in ["X", "Y", "X"] {
        let frame = PutFrame::new("a", "summary".parse().unwrap(), text);
        let put = block_on(writer.put_frame(&frame)).unwrap();
        assert_eq!(scene.head("a", "summary"), Some(put.frame), "{text}");
    }
    // The current tree, indices, frame, head, place, number of the next append, set, and the directory that is noted.
    assert_eq!(*commits.lock().unwrap(), ["RUbfhiqsy", "Rbfhiqsy", "Rhmqy"]);
}

// shows: CT-023, CT-024, CT-029
#[test]
fn a_write_is_kept_once_and_moves_the_head_when_it_is_repeated() {
    let scene = Scene::scanned(&[("a", "1")]);
    let x = scene.put("a", "summary", "X");
    assert_eq!(x.outcome, AppendOutcome::Added);
    let before = dump(&scene);
    assert_eq!(scene.put("a", "summary", "X").outcome, AppendOutcome::Unchanged);
    assert_eq!(dump(&scene), before, "nothing was written");
    // The clock goes back, and nobody is confused.
    scene.clock.0.store(5_000, Ordering::Relaxed);
    let y = scene.put("a", "summary", "Y");
    scene.clock.0.store(1, Ordering::Relaxed);
    assert_eq!(scene.head("a", "summary"), Some(y.frame));
    let again = scene.put("a", "summary", "X");
    assert_eq!((again.frame, again.outcome), (x.frame, AppendOutcome::HeadMoved));
    let seen = scene.get("a", &View::default());
    assert_eq!(seen.frame_count, 2);
    let order: Vec<FrameId> = seen.frames.iter().map(|viewed| viewed.id).collect();
    assert_eq!(order, [x.frame, y.frame]);
    let made = block_on(scene.context.frame(seen.frames[0].id)).unwrap();
    assert_eq!((seen.frames[0].sequence, made.sequence), (3, 1));
    // A third frame takes the head, and the order of the other two stays.
    let z = scene.put("a", "summary", "Z");
    let order: Vec<FrameId> =
        scene.get("a", &View::default()).frames.iter().map(|viewed| viewed.id).collect();
    assert_eq!(order, [z.frame, x.frame, y.frame]);
}

// shows: CT-020, CT-025
#[test]
fn bytes_that_were_tampered_with_are_refused_when_they_are_read() {
    let large = "l".repeat(40_000);
    for content in ["short and inline", &large] {
        let scene = Scene::scanned(&[("a", "1")]);
        scene.put("a", "summary", content);
        let seen = scene.get("a", &View::default());
        assert_eq!(seen.frames[0].content.as_deref(), Some(content.as_bytes()));
    }
    let scene = Scene::scanned(&[("a", "1")]);
    scene.put("a", "summary", "the true content");
    let (key, value, _) =
        dump(&scene).into_iter().find(|(key, ..)| key[16] == b'f').expect("there is a frame");
    let places = [value.len() - 1, value.len() - 9, 40, 120, 200];
    for place in places {
        let mut altered = value.clone();
        altered[place] ^= 1;
        let write = |value: Vec<u8>| {
            vec![TableWrite {
                key: key.as_slice().into(),
                expect: Expect::Anything,
                change: EntryChange::Put(value),
            }]
        };
        block_on(scene.table.commit(write(altered))).unwrap();
        let read = block_on(scene.adapter("reader").read_context(&node("a"), &View::default()));
        assert_eq!(read.unwrap_err().code().as_str(), "CONTEXT_INTEGRITY", "byte {place}");
        block_on(scene.table.commit(write(value.clone()))).unwrap();
    }
    assert_eq!(scene.get("a", &View::default()).frames.len(), 1);
}

// shows: CT-026
#[test]
fn the_frames_of_a_path_are_a_set_that_survives_edits_and_proves_its_members() {
    let mut scene = Scene::scanned(&[("a", "1"), ("b", "2")]);
    let frames: Vec<FrameId> =
        (0..7).map(|number| scene.put("a", "note", &number.to_string()).frame).collect();
    let before = block_on(scene.context.frame_set(&path("a"))).unwrap();
    assert_eq!(before.count, 7);
    scene.write("a", "edited");
    scene.scan();
    assert_eq!(block_on(scene.context.frame_set(&path("a"))).unwrap(), before);
    for frame in frames {
        let (root, proof) = block_on(scene.context.prove(frame)).unwrap();
        assert_eq!(root, before);
        assert!(proof.verify(&root));
        let altered = Proof { leaf: digest("another"), ..proof };
        assert!(!altered.verify(&root));
    }
    let elsewhere = scene.put("b", "note", "0").frame;
    let (root, proof) = block_on(scene.context.prove(elsewhere)).unwrap();
    assert!(proof.verify(&root) && !proof.verify(&before));
}

// shows in part: CT-028 (the parts about written and generated frames)
#[test]
fn an_edit_makes_frames_stale_and_never_loses_them() {
    let mut scene = Scene::scanned(&[("src/a", "1"), ("b", "2")]);
    let frame = scene.put("src/a", "summary", "about a");
    let given = vec![
        BasisInputs::Node { path: path("b"), node_id: scene.get("b", &View::default()).node.id },
        BasisInputs::Frame {
            path: path("src/a"),
            frame_type: "summary".parse().unwrap(),
            frame_id: frame.frame,
        },
    ];
    let answer = ModelAnswer {
        prompt: digest("what is it?"),
        given,
        attempt: 1,
        content: b"a thing".to_vec(),
        metadata: Metadata::default(),
    };
    let kind = "answer".parse().unwrap();
    let made = block_on(scene.adapter("writer").generate_frame(&node("b"), &kind, answer.clone()))
        .unwrap();
    // The same question gives the frame that is there, whatever the model would say now.
    let other = ModelAnswer { content: b"something else".to_vec(), ..answer };
    let again = block_on(scene.adapter("writer").generate_frame(&node("b"), &kind, other)).unwrap();
    assert_eq!((again.frame, again.outcome), (made.frame, AppendOutcome::Unchanged));
    let fresh = |scene: &Scene, at: &str| {
        let seen = scene.get(at, &View::default());
        seen.frames[0].freshness.reason().map(str::to_owned)
    };
    assert_eq!((fresh(&scene, "src/a"), fresh(&scene, "b")), (None, None));
    scene.write("src/a", "edited");
    scene.scan();
    assert_eq!(fresh(&scene, "src/a").as_deref(), Some("src/a was changed since"));
    assert_eq!(scene.head("src/a", "summary"), Some(frame.frame), "the head is found by its path");
    assert_eq!(fresh(&scene, "b"), None);
    scene.put("src/a", "summary", "about the edited a");
    assert_eq!(
        fresh(&scene, "b").as_deref(),
        Some("the summary frame of src/a is another one now")
    );
    scene.write("src/a", "1");
    scene.scan();
    scene.put("src/a", "summary", "about a");
    assert_eq!(
        (fresh(&scene, "src/a"), fresh(&scene, "b")),
        (None, None),
        "taken back, fresh again"
    );
    scene.remove("src/a");
    scene.scan();
    assert_eq!(scene.head("src/a", "summary"), Some(frame.frame));
}

// shows: CT-013
#[test]
fn a_node_that_is_not_current_is_refused_with_the_current_id() {
    let mut scene = Scene::scanned(&[("a", "1")]);
    let old = scene.get("a", &View::default()).node.id;
    scene.write("a", "2");
    scene.scan();
    let now = scene.get("a", &View::default()).node.id;
    let writer = scene.adapter("writer");
    let frame = PutFrame::new(old.to_string(), "summary".parse().unwrap(), "about the old one");
    let error = block_on(writer.put_frame(&frame)).unwrap_err();
    assert_eq!(error.code().as_str(), "CONTEXT_NODE_STALE");
    assert!(error.to_string().contains(&now.to_string()), "{error}");
    assert_eq!(scene.head("a", "summary"), None);
    block_on(writer.put_frame(&PutFrame { allow_stale: true, ..frame })).unwrap();
    assert!(!scene.get("a", &View::default()).frames[0].freshness.is_fresh());
    // After a rename the frames of the old path are offered.
    std::fs::rename(scene.dir.path().join("a"), scene.dir.path().join("b")).unwrap();
    scene.scan();
    let seen = scene.get("b", &View::default());
    // The frame went along, and is as stale as it was: it is about what the file was before.
    assert_eq!((seen.frame_count, seen.frames[0].freshness.is_fresh()), (1, false));
    let from = seen.renamed_from.unwrap();
    let count = block_on(scene.context.frame_set(&from)).unwrap().count;
    assert_eq!((from.to_string(), count), ("a".to_owned(), 1));
}

// shows: CT-030 (with a_role_holds_on_the_command_line_and_the_refusal_is_the_same_each_time)
// shows: CT-032 (with a_role_holds_on_the_command_line_and_the_refusal_is_the_same_each_time)
// shows in part: CT-036 (the part that an adapter offers nothing beyond its role)
#[test]
fn each_role_may_do_what_it_is_for() {
    let scene = Scene::scanned(&[("d/a", "1")]);
    scene.put("d/a", "summary", "about a");
    let request = summaries(PolicySpec::Concatenation);
    let scope = piton_context::synthesis::RegenerateFrames::subtree(".");
    let answer = ModelAnswer {
        prompt: digest("why?"),
        given: Vec::new(),
        attempt: 1,
        content: b"so".to_vec(),
        metadata: Metadata::default(),
    };
    for role in Role::ALL {
        let adapter = scene.adapter(role.as_str());
        let frame = PutFrame::new("d/a", "note".parse().unwrap(), role.as_str());
        let kind = "summary".parse().unwrap();
        let outcomes = [
            (Right::Read, block_on(adapter.read_context(&node("d/a"), &View::default())).map(drop)),
            (
                Right::Read,
                block_on(adapter.compose(&node("d/a"), &Composition::default())).map(drop),
            ),
            (Right::Read, block_on(adapter.heads(&path("d/a"))).map(drop)),
            (Right::Append, block_on(adapter.put_frame(&frame)).map(drop)),
            (Right::Append, block_on(adapter.invalidate("d/a", &kind, "why not")).map(drop)),
            (Right::Append, block_on(adapter.adopt("d/a", "d")).map(drop)),
            (
                Right::Append,
                block_on(adapter.generate_frame(&node("d/a"), &kind, answer.clone())).map(drop),
            ),
            (Right::Synthesize, block_on(adapter.synthesize_with(&node("d"), &request)).map(drop)),
            (Right::Synthesize, block_on(adapter.regenerate(&scope)).map(drop)),
        ];
        for (right, outcome) in outcomes {
            match outcome {
                Ok(()) => assert!(role.allows(right), "{role} {right}"),
                Err(error) => {
                    assert!(!role.allows(right), "{role} {right}: {error}");
                    assert_eq!(error.code().as_str(), "CONTEXT_FORBIDDEN");
                }
            }
        }
    }
    let unknown = AgentContext::new(scene.context.clone(), &agents(), &"nobody".parse().unwrap());
    let error = unknown.err().unwrap();
    assert_eq!(error.code().as_str(), "CONTEXT_UNKNOWN_AGENT");
}

// shows: CT-035 (with what_an_agent_writes_is_its_own_and_has_the_ids_of_the_command_line, a_role_holds_on_the_command_line_and_the_refusal_is_the_same_each_time, a_step_narrows_what_the_role_allows)
#[test]
fn a_frame_is_of_the_agent_and_the_node_that_it_is_submitted_for() {
    let scene = Scene::scanned(&[("a", "1"), ("b", "2")]);
    let about_b = scene.get("b", &View::default()).node.id;
    let frame = PutFrame::new("a", "note".parse().unwrap(), "x");
    let wrong = [
        PutFrame { agent_id: Some("other".parse().unwrap()), ..frame.clone() },
        PutFrame { node_id: Some(about_b), ..frame.clone() },
    ];
    for frame in wrong {
        let error = block_on(scene.adapter("writer").put_frame(&frame)).unwrap_err();
        assert_eq!(error.code().as_str(), "CONTEXT_FORBIDDEN", "{error}");
    }
    let right = PutFrame {
        agent_id: Some("writer".parse().unwrap()),
        node_id: Some(scene.get("a", &View::default()).node.id),
        ..frame
    };
    block_on(scene.adapter("writer").put_frame(&right)).unwrap();
}

// shows: CT-060
#[test]
fn frames_are_found_by_their_basis_and_by_what_they_were_made_from() {
    let scene = Scene::scanned(&[("d/a", "1"), ("d/b", "2")]);
    let a = scene.put("d/a", "summary", "about a").frame;
    let b = scene.put("d/b", "summary", "about b").frame;
    let made = scene.make("d", &summaries(PolicySpec::Concatenation)).frame;
    let basis = scene.get("d", &View::default()).frames[0].basis.clone();
    assert_eq!(basis.frames(), [a, b]);
    // A context that was opened anew knows as much.
    let reopened =
        piton_context::Context::new(scene.ports.clone(), scene.context.location().clone());
    assert_eq!(block_on(reopened.frames_with_basis(basis.digest())).unwrap(), [made]);
    for part in [a, b] {
        assert_eq!(block_on(reopened.dependents(part)).unwrap(), [made]);
    }
    assert!(block_on(reopened.dependents(made)).unwrap().is_empty());
}

#[test]
fn what_is_too_large_is_refused_and_nothing_is_written() {
    let scene = Scene::scanned(&[("a", "1")]);
    let before = dump(&scene);
    let frame = PutFrame::new("a", "note".parse().unwrap(), "x".repeat(9 * 1024 * 1024));
    let error = block_on(scene.adapter("writer").put_frame(&frame)).unwrap_err();
    assert_eq!(error.code().as_str(), "VALIDATION_ERROR");
    let many = (0..40).map(|number| (format!("k{number}"), String::new())).collect();
    assert!(Metadata::new(many).is_err());
    for bad in ["", "-x", "a b", "ä", &"x".repeat(65)] {
        assert!(bad.parse::<piton_context::word::FrameType>().is_err(), "{bad}");
    }
    assert_eq!(dump(&scene), before);
}

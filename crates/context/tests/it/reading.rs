//! Views, compositions and their text.

use std::cmp::Ordering;
use std::sync::Arc;

use piton_context::frame::FrameId;
use piton_context::read::{
    ComposeSource, Composition, Order, Relation, View, ViewedFrame, relevance, tokens,
};
use piton_context::synthesis::Registry;
use piton_core::TimestampMs;
use proptest::prelude::*;

use crate::history::dump;
use crate::scene::{Scene, block_on, node, path};

fn scene() -> Scene {
    let mut scene = Scene::scanned(&[("d/a", "1"), ("d/b", "2"), ("d/c", "3"), ("e/x", "4")]);
    for (number, (at, kind, agent)) in [
        ("d/a", "summary", "writer"),
        ("d/a", "analysis", "other"),
        ("d/a", "summary", "other"),
        ("d/a", "notes", "writer"),
        ("d", "summary", "writer"),
        ("d/b", "summary", "writer"),
        ("d/c", "analysis", "other"),
        ("e/x", "summary", "writer"),
    ]
    .into_iter()
    .enumerate()
    {
        scene.clock.0.store(1_000 * (number as u64 + 1), std::sync::atomic::Ordering::Relaxed);
        scene.put_as(agent, at, kind, &format!("{number}: {kind} of {at} by {agent}"));
    }
    scene.write("d/b", "edited");
    scene.scan();
    scene
}

fn contents(scene: &Scene, view: &View) -> Vec<String> {
    let seen = scene.get("d/a", view);
    let text = |content: &Option<Vec<u8>>| String::from_utf8(content.clone().unwrap()).unwrap();
    seen.frames.iter().map(|viewed| text(&viewed.content)[..1].to_owned()).collect()
}

// shows: CT-040
#[test]
fn a_node_is_shown_with_its_record_and_its_frames() {
    let scene = scene();
    let seen = scene.get("d/a", &View { max_frames: 1, ..View::default() });
    insta::assert_snapshot!(serde_json::to_string_pretty(&seen).unwrap());
    assert_eq!(seen.frame_count, 4);
}

// shows: CT-041
#[test]
fn a_view_orders_filters_and_limits() {
    let scene = scene();
    let words = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<_>>();
    let by = |order: Order| View { order, ..View::default() };
    let types = words(&["notes", "summary"]);
    let agents: Vec<piton_context::word::AgentId> = vec!["writer".parse().unwrap()];
    for (view, expected) in [
        (by(Order::Recency), "3210"),
        (by(Order::Type), "1320"),
        (by(Order::Agent), "2130"),
        (View { types_first: types, ..by(Order::Type) }, "3201"),
        (View { agents_first: agents.clone(), ..by(Order::Agent) }, "3021"),
        (by(Order::Relevance), "3210"),
        (View { max_frames: 0, ..View::default() }, ""),
        (View { max_frames: 2, ..View::default() }, "32"),
        (View { agents, ..View::default() }, "30"),
        (View { types: vec!["summary".parse().unwrap()], ..View::default() }, "20"),
        (View { heads_only: true, ..View::default() }, "321"),
        (View { fresh: Some(false), ..View::default() }, ""),
        (View { sequence_min: Some(2), sequence_max: Some(3), ..View::default() }, "21"),
        (View { time_min: Some(TimestampMs(3_000)), ..View::default() }, "32"),
        (View { time_max: Some(TimestampMs(1_000)), ..View::default() }, "0"),
    ] {
        assert_eq!(contents(&scene, &view).concat(), expected, "{view:?}");
    }
    let ids = scene.get("d/a", &View { contents: false, ..View::default() });
    assert!(ids.frames.iter().all(|viewed| viewed.content.is_none()));
}

// shows in part: CT-041 (the part about a registered function)
#[test]
fn a_program_can_register_an_order_of_its_own() {
    let mut scene = scene();
    let longest = Arc::new(|one: &ViewedFrame, other: &ViewedFrame| other.bytes.cmp(&one.bytes));
    scene.context = scene
        .context
        .clone()
        .with_registry(Registry::default().with_order("longest", longest).unwrap());
    let view = View { custom_order: Some("longest".to_owned()), ..View::default() };
    assert_eq!(contents(&scene, &view)[0], "1");
    let nothing = Arc::new(|_: &_, _: &_| Ordering::Equal);
    scene.context = scene
        .context
        .clone()
        .with_registry(Registry::default().with_order("any", nothing).unwrap());
    let ties = View { custom_order: Some("any".to_owned()), ..View::default() };
    let ids: Vec<FrameId> = scene.get("d/a", &ties).frames.iter().map(|f| f.id).collect();
    assert!(ids.is_sorted(), "ties are broken by id");
    let unknown = View { custom_order: Some("no such".to_owned()), ..View::default() };
    let error = block_on(scene.adapter("reader").read_context(&node("d/a"), &unknown)).unwrap_err();
    assert_eq!(error.to_string(), "there is no order called no such");
}

// shows: CT-047
// shows in part: CT-041 (the part that the same request gives the same answer), CT-044 (within one process), CT-043 (the part that nothing is written)
#[test]
fn reads_give_the_same_bytes_every_time_and_write_nothing() {
    let scene = scene();
    let before = dump(&scene);
    let composition = Composition::default();
    let answer = || {
        let seen = scene.get("d/a", &View::default());
        let composed =
            block_on(scene.adapter("reader").compose(&node("d/a"), &composition)).unwrap();
        serde_json::to_string(&(seen, composed)).unwrap()
    };
    let first = answer();
    for _ in 0..100 {
        assert_eq!(answer(), first);
    }
    assert_eq!(dump(&scene), before);
}

// shows in part: CT-048 (the part about the library: code and text)
#[test]
fn the_same_mistake_gives_the_same_words() {
    let scene = scene();
    let reader = scene.adapter("reader");
    let mistakes = || {
        let scope = piton_context::synthesis::RegenerateFrames::subtree(".");
        let errors = [
            block_on(reader.read_context(&node("d/zz"), &View::default())).unwrap_err(),
            block_on(reader.regenerate(&scope)).unwrap_err(),
            block_on(scene.context.root(&"@-9".parse().unwrap())).unwrap_err(),
            block_on(scene.context.prove(FrameId::new(piton_core::Digest::from_bytes([7; 32]))))
                .unwrap_err(),
            "/etc".parse::<piton_context::history::NodeRef>().unwrap_err(),
        ];
        errors.map(|error| serde_json::to_string(&error.envelope()).unwrap())
    };
    let first = mistakes();
    insta::assert_debug_snapshot!(first);
    for _ in 0..100 {
        assert_eq!(mistakes(), first);
    }
}

// shows: CT-049
#[test]
fn relevance_is_a_fixed_score_and_tokens_are_bytes_by_four() {
    let scores: Vec<u64> = Relation::ALL
        .iter()
        .flat_map(|relation| [relevance(*relation, true), relevance(*relation, false)])
        .collect();
    assert_eq!(scores, [450, 400, 350, 300, 250, 200, 150, 100]);
    assert!(scores.is_sorted_by(|one, other| one > other), "own > parent > related > sibling");
    for (bytes, count) in [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2)] {
        assert_eq!(tokens(bytes), count);
    }
}

// shows in part: CT-043, CT-049 (the part that the relation decides the order)
#[test]
fn a_composition_takes_from_the_node_and_its_surroundings() {
    let scene = scene();
    let how = Composition {
        sources: vec![ComposeSource::Siblings, ComposeSource::Parent, ComposeSource::Own],
        related: vec![path("e/x"), path("no/such")],
        ..Composition::default()
    };
    let composed = block_on(scene.adapter("reader").compose(&node("d/a"), &how)).unwrap();
    let seen: Vec<String> = composed
        .frames
        .iter()
        .map(|viewed| format!("{} {}", viewed.relation, viewed.path))
        .collect();
    // The parent's own frame was written for the directory as it was, and is stale.
    let expected =
        ["own d/a", "own d/a", "own d/a", "parent d", "related e/x", "sibling d/c", "sibling d/b"];
    assert_eq!(seen, expected);
    // A frame that comes from two sources is there once, as the first of them.
    let twice =
        Composition { sources: vec![ComposeSource::Own], related: vec![path("d/a")], ..how };
    let composed = block_on(scene.adapter("reader").compose(&node("d/a"), &twice)).unwrap();
    assert_eq!(composed.frames.len(), 3);
    assert!(composed.frames.iter().all(|viewed| viewed.relation == Relation::Own));
}

// shows: CT-045
#[test]
fn an_empty_composition_is_an_empty_result() {
    let scene = Scene::scanned(&[("a", "1")]);
    let composed =
        block_on(scene.adapter("reader").compose(&node("."), &Composition::default())).unwrap();
    assert!(composed.frames.is_empty() && composed.left_out == 0);
    assert_eq!(composed.export(100), "");
}

// shows: CT-046
#[test]
fn a_composition_becomes_text_for_a_prompt() {
    let scene = scene();
    let composed =
        block_on(scene.adapter("reader").compose(&node("d/a"), &Composition::default())).unwrap();
    let text = composed.export(10_000);
    insta::assert_snapshot!(text);
    let exact = tokens(text.len());
    for budget in 0..=exact + 1 {
        let cut = composed.export(budget);
        assert!(cut.len() <= budget * 4, "{} bytes for {budget} tokens", cut.len());
        assert_eq!(cut == text, budget >= exact, "{budget} of {exact}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    // shows: CT-043 (with a_composition_takes_from_the_node_and_its_surroundings, reads_give_the_same_bytes_every_time_and_write_nothing)
    #[test]
    fn no_composition_exceeds_its_limits(
        max_frames in 0_usize..8,
        bytes_max in proptest::option::of(0_usize..160),
        tokens_max in proptest::option::of(0_usize..40),
    ) {
        thread_local!(static SCENE: Scene = scene());
        SCENE.with(|scene| {
            let view = View { max_frames, ..Composition::default().view };
            let how = Composition { view, bytes_max, tokens_max, ..Composition::default() };
            let composed = block_on(scene.adapter("reader").compose(&node("d/a"), &how)).unwrap();
            let bytes: usize = composed.frames.iter().map(|f| f.content.as_ref().unwrap().len()).sum();
            let counted: usize = composed.frames.iter().map(|f| tokens(f.content.as_ref().unwrap().len())).sum();
            let mut ids: Vec<FrameId> = composed.frames.iter().map(|f| f.id).collect();
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), composed.frames.len(), "no frame is there twice");
            prop_assert!(composed.frames.len() <= max_frames);
            prop_assert!(bytes_max.is_none_or(|max| bytes <= max));
            prop_assert!(tokens_max.is_none_or(|max| counted <= max));
            Ok(())
        })?;
    }
}

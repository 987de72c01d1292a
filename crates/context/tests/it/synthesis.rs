//! Frames of directories.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_context::frame::{AppendOutcome, FrameId};
use piton_context::read::{Composition, View};
use piton_context::synthesis::{
    Inputs, Missing, PolicyInput, PolicySpec, RegenerateFrames, RegenerateScope, Registry,
    SynthesizeRequest,
};
use piton_core::port::fixed::SeededEntropy;
use piton_store::port::{Mode, Patience};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::history::dump;
use crate::scene::{Scene, block_on, node, path, summaries};

const FILES: [(&str, &str); 5] =
    [("a/x.rs", "1"), ("a/y.rs", "2"), ("a/in/z.rs", "3"), ("b/w.rs", "4"), ("top.md", "5")];

fn scene() -> Scene {
    let scene = Scene::scanned(&FILES);
    for (at, _) in FILES {
        let text =
            format!("# About {at}\n\nIt does one thing. And more.\n\npub fn {}() {{}}\n", &at[..1]);
        scene.put(at, "summary", &text);
    }
    scene
}

fn content(scene: &Scene, at: &str) -> String {
    let view =
        View { types: vec!["summary".parse().unwrap()], heads_only: true, ..View::default() };
    let seen = scene.get(at, &view);
    String::from_utf8(seen.frames[0].content.clone().unwrap()).unwrap()
}

fn reason(scene: &Scene, at: &str) -> Option<String> {
    let view =
        View { types: vec!["summary".parse().unwrap()], heads_only: true, ..View::default() };
    scene.get(at, &view).frames[0].freshness.reason().map(str::to_owned)
}

fn regenerate(scene: &Scene, scope: &RegenerateFrames) -> piton_context::synthesis::Regenerated {
    block_on(scene.adapter("other").regenerate(scope)).unwrap()
}

// shows in part: CT-051, CT-053 (the golden texts)
#[test]
fn each_policy_writes_what_it_should() {
    let types = vec!["summary".parse().unwrap()];
    let policies = [
        PolicySpec::Concatenation,
        PolicySpec::Summarization { bytes_max: Some(400) },
        PolicySpec::Filtering { types, agents: Vec::new(), frames_max: Some(1) },
    ];
    for policy in policies {
        let scene = scene();
        scene.synthesize("a", &summaries(policy.clone()));
        insta::assert_snapshot!(format!("policy_{}", policy.name()), content(&scene, "a"));
    }
}

// shows in part: CT-053 (the part about a registered function), CT-022 (the part that another version of a policy is another id, and a report says why)
#[test]
fn a_program_can_register_a_policy_of_its_own() {
    let mut scene = scene();
    let count = Arc::new(|pieces: &[PolicyInput], told: &Value| {
        format!("{} pieces, {}", pieces.len(), told["word"]).into_bytes()
    });
    scene.context = scene
        .context
        .clone()
        .with_registry(Registry::default().with_policy("count", 3, count).unwrap());
    let policy = PolicySpec::Custom { name: "count".to_owned(), parameters: json!({"word": "hi"}) };
    scene.synthesize("a", &summaries(policy.clone()));
    assert_eq!(content(&scene, "a"), "3 pieces, \"hi\"");
    assert_eq!(reason(&scene, "a"), None);
    // Another version of it, or none, makes what it wrote stale.
    let newer = Arc::new(|_: &[PolicyInput], _: &Value| b"new".to_vec());
    scene.context = scene
        .context
        .clone()
        .with_registry(Registry::default().with_policy("count", 4, newer).unwrap());
    let told = "the policy count has version 4 now, it was made by version 3";
    assert_eq!(reason(&scene, "a").as_deref(), Some(told));
    let report = block_on(scene.context.report(&"@".parse().unwrap())).unwrap();
    assert_eq!(report.stale.last().unwrap().reason, told);
    let before = scene.head("a", "summary");
    let made = regenerate(
        &scene,
        &RegenerateFrames { everything: true, ..RegenerateFrames::subtree(".") },
    );
    assert_eq!((made.made.len(), content(&scene, "a")), (2, "new".to_owned()));
    assert_ne!(scene.head("a", "summary"), before);
    scene.context = scene.context.clone().with_registry(Registry::default());
    assert_eq!(reason(&scene, "a").as_deref(), Some("the policy count is not known any more"));
}

// shows: CT-052
#[test]
fn children_come_before_parents_or_the_parent_is_refused() {
    let ask = |recursive, missing| SynthesizeRequest {
        recursive,
        missing,
        ..summaries(PolicySpec::Concatenation)
    };
    let refused = scene();
    let request = ask(false, Missing::Refuse);
    let error =
        block_on(refused.adapter("synthesis").synthesize_with(&node("."), &request)).unwrap_err();
    assert_eq!(error.code().as_str(), "CONTEXT_INCOMPLETE");
    assert_eq!(error.to_string(), "directories below . have no summary frame: a and 1 more");
    assert_eq!(refused.head(".", "summary"), None);
    for request in [ask(true, Missing::Refuse), ask(false, Missing::Synthesize)] {
        let scene = scene();
        let made = scene.synthesize(".", &request);
        let order: Vec<String> = made.frames.iter().map(|made| made.path.to_string()).collect();
        assert_eq!(order, ["b", "a/in", "a", "."]);
        assert!(
            content(&scene, ".").contains("About a/in/z.rs"),
            "what is deepest reached the top"
        );
    }
    let skipped = scene();
    skipped.synthesize(".", &ask(false, Missing::Skip));
    assert!(!content(&skipped, ".").contains("About a"));
}

// shows: CT-051 (with each_policy_writes_what_it_should)
#[test]
fn a_synthesis_takes_the_heads_of_direct_entries_by_name_and_then_by_frame() {
    let mut scene = Scene::scanned(&[("d/b", "1"), ("d/a", "2"), ("d/in/deep", "3"), ("d/c", "4")]);
    scene.put("d/b", "note", "replaced by the next");
    let head = |at: &str, kind: &str| scene.put(at, kind, &format!("{kind} of {at}")).frame;
    let (b_note, b_other) = (head("d/b", "note"), head("d/b", "other"));
    let (a_note, a_other) = (head("d/a", "note"), head("d/a", "other"));
    head("d/in/deep", "note");
    let taken = |scene: &Scene, inputs: &str| {
        let request = SynthesizeRequest {
            frame_type: "made".parse().unwrap(),
            inputs: inputs.parse().unwrap(),
            recursive: false,
            ..summaries(PolicySpec::Concatenation)
        };
        let request = SynthesizeRequest { missing: Missing::Skip, ..request };
        scene.synthesize("d", &request);
        let view = View { types: vec!["made".parse().unwrap()], ..View::default() };
        let view = View { heads_only: true, ..view };
        scene.get("d", &view).frames[0].basis.frames()
    };
    let sorted = |mut two: [FrameId; 2]| {
        two.sort();
        two
    };
    assert_eq!(taken(&scene, "note"), [a_note, b_note]);
    let all = [sorted([a_note, a_other]), sorted([b_note, b_other])].concat();
    assert_eq!(taken(&scene, "*"), all);
    // An edit gives an entry another node id, and changes nothing of the order.
    scene.write("d/a", "edited");
    scene.write("d/b", "edited too");
    scene.scan();
    assert_eq!(taken(&scene, "*"), all);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    // shows: CT-054 (with the_same_frames_give_the_same_frame_and_others_another, regenerating_what_changed_gives_what_regenerating_everything_gives)
    #[test]
    fn the_heads_of_the_entries_decide_the_frame_and_nothing_else_does(
        texts in proptest::collection::vec((0_usize..3, 0_u8..4), 1..12),
        changed in (0_usize..3, 4_u8..8),
    ) {
        let names = ["d/a", "d/b", "d/c"];
        let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "x")).collect();
        let (one, other) = (Scene::scanned(&files), Scene::scanned(&files));
        let mut last = BTreeMap::new();
        for (place, text) in &texts {
            one.put(names[*place], "summary", &format!("text {text}"));
            last.insert(*place, *text);
        }
        // The other comes to the same heads at once, and from the other end.
        for (place, text) in last.iter().rev() {
            other.put(names[*place], "summary", &format!("text {text}"));
        }
        let request = summaries(PolicySpec::Concatenation);
        let made = |scene: &Scene| scene.make("d", &request).frame;
        let first = made(&one);
        prop_assert_eq!(made(&other), first);
        prop_assert_eq!(content(&other, "d"), content(&one, "d"));
        prop_assert_eq!(made(&one), first);
        other.put(names[changed.0], "summary", &format!("text {}", changed.1));
        prop_assert_ne!(made(&other), first);
    }
}

// shows in part: CT-054, CT-021 (the part that an edit below a directory leaves its synthesis alone)
#[test]
fn the_same_frames_give_the_same_frame_and_others_another() {
    let mut scene = scene();
    let request = summaries(PolicySpec::Concatenation);
    let first = scene.make(".", &request).frame;
    let before = dump(&scene);
    let again = scene.make(".", &request);
    assert_eq!((again.frame, again.outcome), (first, AppendOutcome::Unchanged));
    assert_eq!(dump(&scene), before);
    scene.write("a/x.rs", "edited");
    scene.scan();
    assert_eq!(scene.make(".", &request).frame, first);
    scene.put("a/x.rs", "summary", "about the edited one");
    let other = scene.synthesize(".", &request);
    assert_ne!(other.frames.last().unwrap().appended.frame, first);
    let untouched = other.frames.iter().find(|made| made.path == path("b")).unwrap();
    assert_eq!(untouched.appended.outcome, AppendOutcome::Unchanged);
}

// shows: CT-055
#[test]
fn an_empty_directory_has_a_stable_empty_frame() {
    let mut scene = Scene::new(&[]);
    std::fs::create_dir(scene.dir.path().join("empty")).unwrap();
    scene.scan();
    let request = summaries(PolicySpec::Concatenation);
    let made = scene.make("empty", &request);
    assert_eq!(scene.make("empty", &request).frame, made.frame);
    assert_eq!(content(&scene, "empty"), "");
    insta::assert_snapshot!(made.frame);
}

// shows in part: CT-067 (no text is replaced by an empty one), CT-055 (only an empty directory has one)
#[test]
fn a_directory_gets_no_frame_while_nothing_in_it_is_described() {
    let mut scene = Scene::scanned(&[("a/x", "1"), ("b/in/y", "2"), ("c/z", "3"), ("d/w", "4")]);
    std::fs::create_dir(scene.dir.path().join("bare")).unwrap();
    scene.scan();
    scene.put("a/x", "summary", "about x");
    scene.put("c", "summary", "what somebody wrote about c");
    let request = summaries(PolicySpec::Concatenation);
    scene.synthesize(".", &request);
    assert_eq!(
        content(&scene, "."),
        "## a (summary, synthesis)\n\n## a/x (summary, writer)\n\nabout x\n\n## bare (summary, synthesis)\n\n\n## c (summary, writer)\n\nwhat somebody wrote about c\n"
    );
    for at in ["b", "b/in", "d"] {
        assert_eq!(scene.head(at, "summary"), None, "{at}");
    }
    assert_eq!(content(&scene, "c"), "what somebody wrote about c");
    // Directories that have nothing to be made from are not waited for.
    let alone = SynthesizeRequest { recursive: false, ..request.clone() };
    scene.synthesize(".", &alone);
    for at in ["b", "c", "d"] {
        for request in [&request, &alone] {
            let error = block_on(scene.adapter("synthesis").synthesize_with(&node(at), request));
            let error = error.unwrap_err();
            assert_eq!(error.code().as_str(), "CONTEXT_INCOMPLETE", "{at}");
            let told = format!("nothing in {at} has a summary frame that one could be made from");
            assert_eq!(error.to_string(), told);
        }
    }
    assert_eq!(content(&scene, "c"), "what somebody wrote about c");
}

// shows in part: CT-055 (it is stale once something is in it)
#[test]
fn an_empty_frame_is_stale_once_the_directory_holds_something() {
    let mut scene = Scene::new(&[]);
    std::fs::create_dir(scene.dir.path().join("d")).unwrap();
    scene.scan();
    scene.synthesize("d", &summaries(PolicySpec::Concatenation));
    assert_eq!(reason(&scene, "d"), None);
    scene.write("d/x", "1");
    scene.scan();
    let told = "nothing in it has a frame that it could be made from";
    assert_eq!(reason(&scene, "d").as_deref(), Some(told));
    let report = block_on(scene.context.report(&"@".parse().unwrap())).unwrap();
    assert_eq!(report.stale[0].remedy.as_str(), "put");
    let done = regenerate(&scene, &RegenerateFrames::subtree("."));
    assert_eq!((done.made.len(), done.skipped[0].reason.as_str()), (0, told));
    scene.put("d/x", "summary", "about x");
    assert_eq!(regenerate(&scene, &RegenerateFrames::subtree(".")).made.len(), 1);
    assert_eq!(reason(&scene, "d"), None);
    // What was described is gone again, and so is everything else: the text stays.
    scene.remove("d/x");
    scene.scan();
    let error = block_on(
        scene
            .adapter("synthesis")
            .synthesize_with(&node("d"), &summaries(PolicySpec::Concatenation)),
    );
    assert_eq!(error.unwrap_err().code().as_str(), "CONTEXT_INCOMPLETE");
    assert!(content(&scene, "d").contains("about x"));
}

// shows in part: CT-064 (what stays stale is named every time), CT-067 (they are listed as stale)
#[test]
fn a_regeneration_names_everything_in_its_scope_that_stays_stale_each_time() {
    let mut scene = scene();
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    scene.put("b/w.rs", "note", "a note");
    regenerate(&scene, &RegenerateFrames::subtree("."));
    scene.write("a/in/z.rs", "edited");
    scene.write("b/w.rs", "edited too");
    scene.scan();
    let named = |scope: &RegenerateFrames| -> Vec<String> {
        let done = regenerate(&scene, scope);
        assert_eq!(done.made, []);
        let line = |skipped: &piton_context::synthesis::SkippedFrame| {
            format!("{} {} {}", skipped.path, skipped.frame_type, skipped.remedy)
        };
        done.skipped.iter().map(line).collect()
    };
    let report = || -> Vec<String> {
        let report = block_on(scene.context.report(&"@".parse().unwrap())).unwrap();
        let line = |stale: &piton_context::report::StaleFrame| {
            format!("{} {} {}", stale.path, stale.frame_type, stale.remedy)
        };
        report.stale.iter().map(line).collect()
    };
    let all = [
        ". summary regenerate",
        "a summary regenerate",
        "a/in summary regenerate",
        "a/in/z.rs summary put",
        "b summary regenerate",
        "b/w.rs note put",
        "b/w.rs summary put",
    ];
    let everything = RegenerateFrames::subtree(".");
    for _ in 0..2 {
        assert_eq!(named(&everything), all);
        assert_eq!(report(), all);
    }
    let note = RegenerateFrames { frame_type: Some("note".parse().unwrap()), ..everything.clone() };
    assert_eq!(named(&note), ["b/w.rs note put"]);
    assert_eq!(named(&RegenerateFrames::subtree("b")), all[4..]);
    let above = RegenerateFrames {
        scope: Some(RegenerateScope::Ancestors),
        depth: Some(1),
        ..RegenerateFrames::subtree("a/in/z.rs")
    };
    assert_eq!(named(&above), all[2..4]);
    let head = scene.head("b", "summary").map(|head| head.to_string());
    assert_eq!(named(&RegenerateFrames { frame: head, ..everything }), ["b summary regenerate"]);
}

// shows: CT-050
#[test]
fn nothing_is_synthesised_unless_it_is_asked_for() {
    let mut scene = scene();
    scene.put("a/y.rs", "summary", "another text");
    scene.scan();
    scene.get("a", &View::default());
    block_on(scene.adapter("reader").compose(&node("a/x.rs"), &Composition::default())).unwrap();
    block_on(scene.adapter("writer").invalidate("a/x.rs", &"summary".parse().unwrap(), "old"))
        .unwrap();
    for at in [".", "a", "a/in", "b"] {
        assert_eq!(block_on(scene.context.frame_set(&path(at))).unwrap().count, 0, "{at}");
    }
}

// shows: CT-028
#[test]
fn a_stale_child_makes_its_parent_stale_and_is_named() {
    let mut scene = scene();
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    assert_eq!(reason(&scene, "."), None);
    scene.write("a/in/z.rs", "edited");
    scene.scan();
    let expected = "the summary frame of a is stale: the summary frame of a/in is stale: the summary frame of \
                    a/in/z.rs is stale: a/in/z.rs was changed since";
    assert_eq!(reason(&scene, ".").as_deref(), Some(expected));
    assert_eq!(reason(&scene, "b"), None);
    scene.put("a/in/z.rs", "summary", "about the edited one");
    assert_eq!(
        reason(&scene, "a/in").as_deref(),
        Some("the frames that it is made from are others now")
    );
}

// shows: CT-062, CT-063, CT-067
// shows in part: CT-064 (the part about what was made and skipped)
#[test]
fn regenerating_makes_anew_what_changed_and_a_second_time_nothing() {
    let mut scene = scene();
    let first = scene.make(".", &summaries(PolicySpec::Concatenation)).frame;
    regenerate(&scene, &RegenerateFrames::subtree("."));
    scene.write("a/in/z.rs", "edited");
    scene.write("b/w.rs", "edited too");
    scene.scan();
    scene.put("a/in/z.rs", "summary", "about the edited one");
    let done = regenerate(&scene, &RegenerateFrames::subtree("."));
    let made: Vec<String> = done.made.iter().map(|made| made.path.to_string()).collect();
    assert_eq!(made, ["a/in", "a", "."]);
    let skipped: Vec<(String, &str)> = done
        .skipped
        .iter()
        .map(|skipped| (skipped.path.to_string(), skipped.reason.as_str()))
        .collect();
    let why = "b/w.rs was changed since";
    let above = |of: &str| format!("the summary frame of {of} is stale: {why}");
    let (by_child, by_directory) = (above("b/w.rs"), above("b").replace(why, &above("b/w.rs")));
    let expected = [(".", by_directory.as_str()), ("b", &by_child), ("b/w.rs", why)];
    assert_eq!(skipped, expected.map(|(at, why)| (at.to_owned(), why)));
    assert!(content(&scene, ".").contains("about the edited one"));
    // What was there before stays readable.
    let all = scene.get(".", &View::default());
    assert_eq!(all.frame_count, 2);
    assert!(all.frames.iter().any(|viewed| viewed.id == first && !viewed.is_head));
    let before = dump(&scene);
    let again = regenerate(&scene, &RegenerateFrames::subtree("."));
    assert_eq!((again.made.len(), again.examined), (0, 0));
    assert_eq!(dump(&scene), before);
}

// shows: CT-064
#[test]
fn a_scope_is_never_exceeded() {
    let scene = scene();
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    regenerate(&scene, &RegenerateFrames::subtree("."));
    let heads =
        |scene: &Scene| ["a/in", "a", "b", "."].map(|at| scene.head(at, "summary").unwrap());
    scene.put("a/in/z.rs", "summary", "new z");
    scene.put("b/w.rs", "summary", "new w");
    let before = heads(&scene);
    let changed = |scene: &Scene, before: &[FrameId; 4]| {
        let now = heads(scene);
        (0..4).map(|place| if now[place] == before[place] { '.' } else { 'x' }).collect::<String>()
    };
    let only = |at: &str, ancestors| RegenerateFrames {
        scope: Some(RegenerateScope::Ancestors),
        depth: Some(ancestors),
        ..RegenerateFrames::subtree(at)
    };
    let other_type = RegenerateFrames {
        frame_type: Some("analysis".parse().unwrap()),
        ..RegenerateFrames::subtree(".")
    };
    for (scope, expected) in [
        (other_type, "...."),
        (
            RegenerateFrames {
                frame: Some(before[0].to_string()),
                ..RegenerateFrames::subtree("b")
            },
            "....",
        ),
        (only("a/in", 0), "x..."),
        (only("a/in", 1), "xx.."),
        (RegenerateFrames::subtree("b"), "xxx."),
        (RegenerateFrames::subtree("."), "xxxx"),
    ] {
        regenerate(&scene, &scope);
        assert_eq!(changed(&scene, &before), expected, "{scope:?}");
    }
}

// shows: CT-065
#[test]
fn what_is_made_anew_keeps_policy_type_and_agent_and_says_who_asked() {
    let scene = scene();
    let agents = vec!["writer".parse().unwrap()];
    let policy = PolicySpec::Filtering { types: Vec::new(), agents, frames_max: Some(9) };
    scene.synthesize("b", &summaries(policy));
    scene.put("b/w.rs", "summary", "changed");
    regenerate(&scene, &RegenerateFrames::subtree("."));
    let view = View { heads_only: true, ..View::default() };
    let frame = scene.get("b", &view).frames[0].clone();
    assert_eq!(frame.agent.as_str(), "synthesis");
    assert_eq!(frame.metadata.get("regenerated_by"), Some("other"));
    let piton_context::frame::Basis::Synthesis { policy, .. } = frame.basis else {
        panic!("{frame:?}")
    };
    assert_eq!((policy.name.as_str(), &policy.parameters["framesMax"]), ("filtering", &json!(9)));
}

// shows: CT-066
#[test]
fn an_invalidated_frame_stays_and_is_looked_at_again() {
    let scene = scene();
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    regenerate(&scene, &RegenerateFrames::subtree("."));
    let head = scene.head("a", "summary");
    let kind = "summary".parse().unwrap();
    block_on(scene.adapter("writer").invalidate("a", &kind, "the words are poor")).unwrap();
    assert_eq!(scene.head("a", "summary"), head);
    let told = "it was invalidated: the words are poor (writer)";
    assert_eq!(reason(&scene, "a").as_deref(), Some(told));
    let done = regenerate(&scene, &RegenerateFrames::subtree("."));
    assert!(done.made.is_empty() && done.examined > 0, "the same frames give the same frame");
    assert_eq!(reason(&scene, "a"), None);
    let error = block_on(scene.adapter("writer").invalidate("a", &"none".parse().unwrap(), "x"));
    assert_eq!(error.unwrap_err().code().as_str(), "CONTEXT_FRAME_NOT_FOUND");
}

// shows in part: CT-068 (the part that the other reports that it is busy)
#[test]
fn while_one_regenerates_another_is_told_that_it_is_busy() {
    let scene = scene();
    let name = format!("context-{}-regenerate", scene.context.location().id()).parse().unwrap();
    let lease =
        block_on(scene.ports.leases.acquire(&name, Mode::Exclusive, Patience::FailFast)).unwrap();
    let scope = RegenerateFrames::subtree(".");
    let error = block_on(scene.adapter("other").regenerate(&scope)).unwrap_err();
    assert_eq!(error.code().as_str(), "STORE_BUSY");
    drop(lease);
    regenerate(&scene, &scope);
}

// shows: CT-061
#[test]
fn one_edit_in_ten_thousand_nodes_costs_its_ancestors_only() {
    let mut scene = Scene::new(&[]);
    for number in 0..9_000 {
        let directory = format!("d{}/s{}", number % 10, number % 100);
        let directory = scene.dir.path().join(directory);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(number.to_string()), "x").unwrap();
    }
    scene.scan();
    for number in (0..9_000).step_by(90) {
        scene.put(&format!("d{}/s{}/{number}", number % 10, number % 100), "summary", "text");
    }
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    regenerate(&scene, &RegenerateFrames::subtree("."));
    scene.write("d0/s0/0", "edited");
    scene.scan();
    scene.put("d0/s0/0", "summary", "about the edited one");
    let changed = RegenerateFrames { changes_only: true, ..RegenerateFrames::subtree(".") };
    let done = regenerate(&scene, &changed);
    assert_eq!(done.made.len(), 3, "d0/s0, d0 and the top");
    assert!(done.examined <= 4, "{} directories", done.examined);
}

#[test]
fn a_regeneration_of_a_part_claims_nothing_about_the_rest() {
    let mut scene = scene();
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    regenerate(&scene, &RegenerateFrames::subtree("."));
    let none = "Nothing had to be regenerated: no frame is stale.";
    assert_eq!(regenerate(&scene, &RegenerateFrames::subtree(".")).text(), none);
    // Two frames are stale now: the one that was written, and the one that was made from it.
    scene.write("top.md", "edited");
    scene.scan();
    let only_changes = RegenerateFrames { changes_only: true, ..RegenerateFrames::subtree(".") };
    let other_type = RegenerateFrames {
        frame_type: Some("review".parse().unwrap()),
        ..RegenerateFrames::subtree(".")
    };
    for part in [RegenerateFrames::subtree("a"), only_changes, other_type] {
        let said = regenerate(&scene, &part).text();
        assert!(said.starts_with("Nothing had to be regenerated") && said != none, "{said}");
    }
    let said = regenerate(&scene, &RegenerateFrames::subtree(".")).text();
    assert!(said.starts_with("Nothing could be regenerated.\n2 frames stay stale:"), "{said}");
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    /// The heads of all directories.
    fn heads(scene: &Scene) -> BTreeMap<String, Option<FrameId>> {
        let paths = [".", "a", "a/in", "b"];
        paths.iter().map(|at| ((*at).to_owned(), scene.head(at, "summary"))).collect()
    }

    // shows in part: CT-054, CT-061 (the part that nothing that changed is missed)
    #[test]
    fn regenerating_what_changed_gives_what_regenerating_everything_gives() {
        let run = LongRun::start("context: regeneration of what changed");
        let luck = SeededEntropy::new(run.seed());
        println!("seed {}", run.seed());
        let rounds = LongRun::size(20, 500);
        let mut made = 0;
        for _ in 0..rounds {
            let mut scene = scene();
            scene.synthesize(".", &summaries(PolicySpec::Concatenation));
            for _ in 0..6 {
                let at = FILES[usize::try_from(luck.next_u64() % 5).unwrap()].0;
                let gone = !scene.dir.path().join(at).exists();
                match luck.next_u64() % 4 {
                    0 if !gone => scene.remove(at),
                    1 if !gone => {
                        scene.put(at, "summary", &format!("text {}", luck.next_u64() % 3));
                    }
                    2 => scene.write(at, &format!("{}", luck.next_u64() % 3)),
                    _ => {
                        made += regenerate(&scene, &RegenerateFrames::subtree(".")).made.len();
                    }
                }
                scene.scan();
            }
            made += regenerate(&scene, &RegenerateFrames::subtree(".")).made.len();
            let incremental = heads(&scene);
            let everything =
                RegenerateFrames { everything: true, ..RegenerateFrames::subtree(".") };
            let rest = regenerate(&scene, &everything);
            assert!(rest.made.is_empty(), "missed: {:?}", rest.made);
            assert_eq!(heads(&scene), incremental);
        }
        run.report(&[("rounds", rounds), ("frames made", made as u64)]);
    }
}

#[test]
fn only_directories_are_synthesised_and_only_by_known_policies() {
    let scene = scene();
    let ask = |at: &str, policy| {
        let request = SynthesizeRequest { inputs: Inputs::All, ..summaries(policy) };
        block_on(scene.adapter("synthesis").synthesize_with(&node(at), &request))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        ask("top.md", PolicySpec::Concatenation),
        "top.md is a file; only directories are synthesised"
    );
    let unknown = PolicySpec::Custom { name: "magic".to_owned(), parameters: Value::Null };
    assert_eq!(ask("a", unknown), "there is no policy called magic");
}

// shows in part: CT-053 (the part about more frames than a synthesis lists)
#[test]
fn a_synthesis_of_more_frames_than_it_lists_is_fresh_until_one_of_them_changes() {
    const FILES: usize = piton_context::bounds::SYNTHESIS_LISTED_MAX + 1;
    let mut scene = Scene::new(&[]);
    for number in 0..FILES {
        scene.write(&format!("d/{number:05}"), "x");
    }
    scene.scan();
    for number in 0..FILES {
        scene.put(&format!("d/{number:05}"), "summary", &format!("The number {number}. More."));
    }
    scene.synthesize("d", &summaries(PolicySpec::Concatenation));
    assert_eq!(reason(&scene, "d"), None);
    let text = content(&scene, "d");
    assert!(text.len() <= piton_context::bounds::CONCATENATION_BYTES, "{}", text.len());
    assert!(text.starts_with("d/00000: The number 0.\nd/00001: The number 1.\n"), "{text}");
    assert_eq!(text.lines().count(), FILES);
    let scope = RegenerateFrames::subtree(".");
    assert!(regenerate(&scene, &scope).made.is_empty());
    scene.put("d/00007", "summary", "Another one.");
    assert!(reason(&scene, "d").unwrap().contains("others now"));
    assert_eq!(regenerate(&scene, &scope).made.len(), 1);
    assert_eq!(reason(&scene, "d"), None);
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
}

// shows in part: CT-053 (the part that what is cut ends with a whole sentence)
#[test]
fn long_frames_are_cut_at_the_end_of_a_sentence_and_short_ones_stay_whole() {
    let scene = Scene::scanned(&[("d/a", "1"), ("d/b", "2"), ("d/c", "3")]);
    let long = "A sentence of some length. ".repeat(4_000);
    scene.put("d/a", "summary", &long);
    scene.put("d/b", "summary", "Short and whole.");
    scene.put("d/c", "summary", &long);
    scene.synthesize("d", &summaries(PolicySpec::Concatenation));
    let text = content(&scene, "d");
    let max = piton_context::bounds::CONCATENATION_BYTES;
    assert!(text.len() <= max && text.len() > max * 9 / 10, "{}", text.len());
    assert!(text.contains("\n\nShort and whole.\n"));
    assert_eq!(text.matches("A sentence of some length.\n[").count(), 2);
    assert_eq!(text.matches(" bytes left out]\n").count(), 2);
}

//! Finding damage.

use piton_context::check::DamageKind::{
    self, Content, Frame, Head, Index, Node, Root, Sequence, Set,
};
use piton_context::synthesis::PolicySpec;
use piton_store::port::{EntryChange, Expect, Table as _, TableWrite};

use crate::history::dump;
use crate::scene::{Scene, block_on, summaries};

fn scene() -> Scene {
    let mut scene = Scene::scanned(&[("a/x", "1"), ("a/y", "2"), ("b", "3")]);
    scene.put("a/x", "summary", "about x");
    scene.put("a/y", "summary", "about y");
    scene.put("a/y", "summary", "more about y");
    scene.put("a/y", "summary", "about y");
    scene.synthesize(".", &summaries(PolicySpec::Concatenation));
    scene.write("b", "4");
    let tree = scene.scanner.scan(false).unwrap().tree;
    block_on(scene.context.record(&tree, false, Some(&"second".parse().unwrap()))).unwrap();
    scene
}

fn change(scene: &Scene, key: &[u8], change: EntryChange) {
    let write = TableWrite { key: key.into(), expect: Expect::Anything, change };
    block_on(scene.table.commit(vec![write])).unwrap();
}

// shows in part: CT-081 (the library's part: each kind of damage is found)
#[test]
fn every_kind_of_damage_is_found() {
    let scene = scene();
    let sound = block_on(scene.context.validate()).unwrap();
    assert!(sound.is_sound(), "{:?}", sound.damage);
    assert_eq!((sound.roots, sound.nodes, sound.frames, sound.heads), (2, 7, 5, 4));
    let expected: [(u8, &[DamageKind]); 12] = [
        (b'R', &[Root]),
        (b'r', &[Root]),
        (b'l', &[Root]),
        // A missing topmost directory is reported as a missing tree.
        (b'n', &[Node, Root]),
        // A missing frame is reported with what refers to it.
        (b'f', &[Frame, Content, Set]),
        (b's', &[Set]),
        (b'h', &[Head]),
        (b'i', &[Index]),
        (b'b', &[Index]),
        (b'd', &[Index]),
        (b'q', &[Sequence]),
        // Without it another frame would be the head.
        (b'm', &[Sequence, Head]),
    ];
    for (letter, kinds) in expected {
        let rows = dump(&scene).into_iter().filter(|(key, ..)| key[16] == letter);
        let rows: Vec<_> = rows.collect();
        assert!(!rows.is_empty(), "{}", letter as char);
        for (key, value, _) in rows {
            let mut ways = vec![EntryChange::Remove];
            if !value.is_empty() {
                let mut flipped = value.clone();
                let place = flipped.len() / 2;
                flipped[place] ^= 1;
                ways.push(EntryChange::Put(flipped));
                ways.push(EntryChange::Put(value[..value.len() - 1].to_vec()));
            }
            for way in ways {
                // A label that is gone was never there: nothing can tell.
                if letter == b'l' && way == EntryChange::Remove {
                    continue;
                }
                change(&scene, &key, way.clone());
                let found = block_on(scene.context.validate()).unwrap();
                assert!(
                    found.damage.iter().any(|damage| kinds.contains(&damage.kind)),
                    "{} {way:?}: {:?}",
                    letter as char,
                    found.damage
                );
                change(&scene, &key, EntryChange::Put(value.clone()));
            }
        }
    }
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
}

// shows: CT-085 (with every_command_that_speaks_of_freshness_notices_an_edit)
#[test]
fn a_report_tells_coverage_and_what_is_stale() {
    let mut scene = scene();
    scene.write("a/x", "edited");
    scene.remove("b");
    scene.scan();
    let report = block_on(scene.context.report(&"@".parse().unwrap())).unwrap();
    assert_eq!(report.stale.len(), 3);
    insta::assert_snapshot!("report_text", report.text());
    insta::assert_snapshot!("report_markdown", report.markdown());
    insta::assert_snapshot!("report_json", serde_json::to_string_pretty(&report).unwrap());
    let before = block_on(scene.context.report(&"@-1".parse().unwrap())).unwrap();
    assert!(before.stale.is_empty(), "{:?}", before.stale);
}

// shows: CT-086
#[test]
fn a_batch_carries_out_each_line_and_the_same_again_changes_nothing() {
    let scene = Scene::scanned(&[("d/a", "1"), ("d/b", "2")]);
    let text = [
        r#"{"op":"put","node":"d/a","frameType":"summary","content":"about a"}"#,
        r#"{"op":"put","node":"d/zz","frameType":"summary","content":"about nothing"}"#,
        "not json",
        "",
        r#"{"op":"put","node":"d/b","frameType":"summary","content":"about b"}"#,
        r#"{"op":"synthesize","node":"d","frameType":"summary","inputs":"summary","recursive":true}"#,
        r#"{"op":"regenerate","path":"."}"#,
    ]
    .join("\n");
    let agent = scene.adapter("synthesis");
    let run = || block_on(agent.batch(&text)).unwrap();
    let first = run();
    let codes: Vec<(usize, Option<&str>)> = first
        .iter()
        .map(|line| (line.line, line.error.as_ref().map(|error| error.code.as_str())))
        .collect();
    let expected = [
        (1, None),
        (2, Some("CONTEXT_NODE_NOT_FOUND")),
        (3, Some("VALIDATION_ERROR")),
        (5, None),
        (6, None),
        (7, None),
    ];
    assert_eq!(codes, expected);
    let before = dump(&scene);
    run();
    assert_eq!(dump(&scene), before);
}

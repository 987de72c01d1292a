//! One directory of the tree at a time, and what a composition takes in at a budget.

use piton_context::read::{ComposeContext, FrameCounts, LevelQuery, TreeLevel};
use proptest::prelude::*;

use crate::scene::{Scene, block_on};

fn scene() -> Scene {
    let files = [("d/a", "1"), ("d/b", "2"), ("d/deep/x", "3"), ("e/y", "4"), ("top", "5")];
    let mut scene = Scene::scanned(&files);
    for (at, kind) in [
        ("d", "summary"),
        ("d/a", "summary"),
        ("d/a", "analysis"),
        ("d/b", "summary"),
        ("d/deep/x", "analysis"),
        ("e/y", "summary"),
    ] {
        scene.put(at, kind, &format!("{kind} of {at}"));
    }
    scene.write("d/b", "edited");
    scene.write("e/y", "edited");
    scene.scan();
    scene
}

fn level(scene: &Scene, query: &LevelQuery) -> TreeLevel {
    block_on(scene.adapter("writer").level(query)).unwrap()
}

fn counts(nodes: u64, fresh: u64, stale: u64) -> FrameCounts {
    FrameCounts { nodes, fresh, stale, missing: nodes - fresh - stale, unchecked: 0 }
}

#[test]
fn each_entry_of_a_directory_counts_what_is_fresh_stale_and_missing_below_it() {
    let scene = scene();
    let top = level(&scene, &LevelQuery::default());
    let shown: Vec<_> =
        top.entries.iter().map(|entry| (entry.name.as_str(), entry.counts.unwrap())).collect();
    // Of d: itself, a and deep/x are described, b is stale, deep is missing. A written frame of a directory is about
    // the directory as it was, so it is stale once something in it changed.
    let d = top.entries[0].counts.unwrap();
    assert_eq!((d.nodes, d.fresh + d.stale, d.missing), (5, 4, 1));
    assert_eq!(shown[1], ("e", counts(2, 0, 1)));
    assert_eq!(shown[2], ("top", counts(1, 0, 0)));
    assert_eq!((top.total, top.own), (3, counts(1, 0, 0)));
    // The directory by itself.
    let inside = level(&scene, &LevelQuery { node: Some("d".into()), ..LevelQuery::default() });
    let shown: Vec<_> =
        inside.entries.iter().map(|entry| (entry.name.as_str(), entry.counts.unwrap())).collect();
    assert_eq!(shown, [("a", counts(1, 1, 0)), ("b", counts(1, 0, 1)), ("deep", counts(2, 1, 0))]);
    // What is inside and the directory itself add up to what the level above says.
    let sum = inside.entries.iter().map(|entry| entry.counts.unwrap()).chain([inside.own]);
    let sum =
        sum.fold((0, 0, 0), |sum, one| (sum.0 + one.nodes, sum.1 + one.fresh, sum.2 + one.stale));
    assert_eq!(sum, (d.nodes, d.fresh, d.stale));
}

#[test]
fn frames_of_one_type_count_alone_and_pages_are_parts_of_the_whole() {
    let scene = scene();
    let query = |from, limit| LevelQuery {
        node: Some("d".into()),
        frame_type: Some("analysis".parse().unwrap()),
        from,
        limit: Some(limit),
    };
    let whole = level(&scene, &query(0, 100));
    let fresh: Vec<u64> = whole.entries.iter().map(|entry| entry.counts.unwrap().fresh).collect();
    assert_eq!(fresh, [1, 0, 1]);
    let pages: Vec<_> = (0..3).flat_map(|from| level(&scene, &query(from, 1)).entries).collect();
    assert_eq!(pages, whole.entries);
    let beyond = level(&scene, &query(7, 1));
    assert_eq!((beyond.entries.len(), beyond.from, beyond.total), (0, 3, 3));
    assert_eq!(
        level(&scene, &LevelQuery { node: Some("top".into()), ..LevelQuery::default() }).total,
        0
    );
}

fn request(max_tokens: usize, max_frames: Option<usize>) -> ComposeContext {
    ComposeContext {
        node: "d/a".into(),
        max_tokens: Some(max_tokens),
        max_frames,
        ..ComposeContext::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The composition itself is the oracle: the preview includes what its text contains, at every budget.
    #[test]
    fn a_preview_includes_exactly_what_the_composition_contains(
        lengths in prop::collection::vec(1_usize..120, 4),
        budget in 0_usize..120,
        max_frames in prop::option::of(0_usize..5),
    ) {
        let scene = Scene::scanned(&[("d/a", "1"), ("d/b", "2"), ("d/c", "3")]);
        for (at, length) in ["d", "d/a", "d/b", "d/c"].iter().zip(&lengths) {
            scene.put(at, "summary", &format!("of {at} {}", "x".repeat(*length)));
        }
        let agent = scene.adapter("writer");
        let request = request(budget, max_frames);
        let composed = block_on(agent.compose_context(&request)).unwrap();
        let preview = block_on(agent.preview_context(&request)).unwrap();
        prop_assert_eq!(preview.frames.len(), 4);
        for one in &preview.frames {
            let heading = format!("### {} [", one.frame.path);
            prop_assert_eq!(one.is_included, composed.text.contains(&heading), "{}", heading);
        }
        prop_assert!(preview.tokens <= budget);
        // From the budget that is named on, a frame is always there.
        for one in &preview.frames {
            let Some(fits_at) = one.fits_at else { continue };
            for budget in [fits_at, fits_at + 1, fits_at * 2] {
                let ComposeContext { max_frames, .. } = request.clone();
                let again = ComposeContext { max_tokens: Some(budget), max_frames, ..request.clone() };
                let again = block_on(agent.preview_context(&again)).unwrap();
                let same = again.frames.iter().find(|other| other.frame.id == one.frame.id).unwrap();
                prop_assert!(same.is_included, "{} at {budget}", one.frame.path);
            }
        }
    }
}

//! Part of an overlay: applied and dropped by path.

use std::fs;
use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::overlay::{
    Applied, ApplyRequest, LeftReason, LowerEntry, OverlayDifference, OverlayStore,
};
use piton_workspaces::path::{LogicalPath, MountPath};
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Error, Files, Workspaces};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::overlay_trees::shown;
use crate::snapshot::tree;
use crate::world::{definition, memory_ports, namespace, physical, quick_directory};

struct Draft {
    directory: tempfile::TempDir,
    overlay: OverlayStore,
    agent: Files,
    person: Files,
}

impl Draft {
    async fn new() -> Self {
        let directory = quick_directory();
        for (path, text) in [
            ("a.txt", "alpha\n"),
            ("b.txt", "bravo\n"),
            ("src/m.rs", "main\n"),
            ("src/deep/old.rs", "old\n"),
            ("gone/x.txt", "x\n"),
        ] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let store = physical(directory.path(), PhysicalOptions::default());
        let lower = Workspaces::new(vec![definition("/project", "read-only", store)]).unwrap();
        let upper = VirtualStore::new(memory_ports(9), &namespace(&["draft"]), None);
        let overlay = OverlayStore::new(upper, &lower.all()[0]);
        let agent = definition("/draft", "read-write", Arc::new(overlay.clone()));
        let agent = Files::new(Arc::new(Workspaces::new(vec![agent]).unwrap()));
        let person = overlay.operator(&"/project".parse().unwrap()).unwrap();
        let draft = Self { directory, overlay, agent, person: Files::new(Arc::new(person)) };
        draft.write("a.txt", "changed\n").await;
        draft.call("delete", json!({ "path": "/draft/b.txt" })).await;
        draft.write("new/deep/x.txt", "x\n").await;
        draft.write("new/deep/y.txt", "y\n").await;
        // A directory in the place of another.
        draft.call("delete", json!({ "path": "/draft/src", "recursive": true })).await;
        draft.write("src/other.rs", "other\n").await;
        draft.call("delete", json!({ "path": "/draft/gone", "recursive": true })).await;
        draft
    }

    async fn call(&self, tool: &str, arguments: Value) {
        let reply = self.agent.call(tool, arguments).await;
        assert!(!reply.is_error(), "{tool}: {}", reply.text);
    }

    async fn write(&self, path: &str, content: &str) {
        let path = format!("/draft/{path}");
        self.call("write", json!({ "path": path, "content": content })).await;
    }

    fn below(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.directory.path().join(path)).ok()
    }

    async fn changes(&self) -> Vec<String> {
        let differences = self.overlay.diff().await.unwrap();
        let mut paths: Vec<String> = differences.iter().map(|one| one.path.to_string()).collect();
        paths.dedup();
        paths
    }

    async fn apply(&self, request: ApplyRequest) -> Result<Applied, Error> {
        self.overlay.apply(&self.person, &request).await
    }
}

fn part(paths: &[&str]) -> ApplyRequest {
    ApplyRequest { paths: mounted(paths), ..ApplyRequest::everything("/project".parse().unwrap()) }
}

fn mounted(paths: &[&str]) -> Vec<MountPath> {
    paths.iter().map(|path| path.parse().unwrap()).collect()
}

fn named(applied: &Applied) -> Vec<&str> {
    applied.paths.iter().map(LogicalPath::as_str).collect()
}

#[tokio::test]
async fn a_part_is_applied_with_the_directories_that_it_needs_and_the_rest_stays() {
    let draft = Draft::new().await;
    let seen = shown(&draft.agent, "/draft").await;
    let applied = draft.apply(part(&["a.txt", "new/deep/x.txt"])).await.unwrap();
    assert_eq!(
        named(&applied),
        ["/project/a.txt", "/project/new", "/project/new/deep", "/project/new/deep/x.txt"]
    );
    assert!(applied.left.iter().all(|one| one.reason == LeftReason::NotChosen), "{applied:?}");
    assert_eq!(
        (draft.below("a.txt"), draft.below("new/deep/y.txt")),
        (Some("changed\n".into()), None)
    );
    assert_eq!(draft.below("b.txt").as_deref(), Some("bravo\n"));
    // The agent sees the same as before.
    assert_eq!(shown(&draft.agent, "/draft").await, seen);
    assert_eq!(draft.changes().await, ["b.txt", "gone", "new/deep/y.txt", "src", "src/other.rs"]);
    draft.apply(part(&[])).await.unwrap();
    assert_eq!(shown(&draft.person, "/project").await, seen);
}

#[tokio::test]
async fn a_directory_that_replaced_another_is_applied_as_a_whole_or_not_at_all() {
    let draft = Draft::new().await;
    let before = tree(draft.directory.path());
    let refused = draft.apply(part(&["src/other.rs"])).await.unwrap_err();
    assert_eq!(refused.code(), Code::WorkspaceBadArgument);
    assert!(refused.to_string().contains("choose /project/src instead"), "{refused}");
    assert_eq!(tree(draft.directory.path()), before);
    draft.apply(part(&["src"])).await.unwrap();
    assert_eq!(
        (draft.below("src/m.rs"), draft.below("src/other.rs")),
        (None, Some("other\n".into()))
    );
}

#[tokio::test]
async fn a_part_is_dropped_and_shows_what_is_below_again() {
    let draft = Draft::new().await;
    let before = tree(draft.directory.path());
    let paths = mounted(&["a.txt", "src", "new/deep/x.txt"]);
    let dropped = draft.overlay.drop_paths(&paths, None).await.unwrap();
    assert_eq!((dropped.changes, dropped.left), (5, Vec::new()));
    assert_eq!(tree(draft.directory.path()), before);
    assert_eq!(draft.changes().await, ["b.txt", "gone", "new", "new/deep", "new/deep/y.txt"]);
    let shown = shown(&draft.agent, "/draft").await;
    let text = |path: &str| shown.iter().find(|(at, _)| at == path).map(|(_, text)| text.as_str());
    assert_eq!((text("/a.txt"), text("/src/m.rs")), (Some("alpha\n"), Some("main\n")));
    assert_eq!((text("/src/deep/old.rs"), text("/src/other.rs")), (Some("old\n"), None));
    // A deletion is dropped as well, and a directory with everything inside.
    draft.overlay.drop_paths(&mounted(&["gone", "b.txt", "new"]), None).await.unwrap();
    assert_eq!(draft.changes().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_was_written_after_the_review_is_neither_applied_nor_dropped() {
    for drops in [false, true] {
        let draft = Draft::new().await;
        let reviewed = draft.overlay.diff().await.unwrap();
        draft.write("a.txt", "newer\n").await;
        draft.write("new/deep/z.txt", "z\n").await;
        let paths = ["a.txt", "new"];
        if drops {
            let dropped =
                draft.overlay.drop_paths(&mounted(&paths), Some(&reviewed)).await.unwrap();
            let left: Vec<&str> = dropped.left.iter().map(MountPath::as_str).collect();
            assert_eq!(left, ["a.txt", "new", "new/deep", "new/deep/z.txt"]);
        } else {
            let request = ApplyRequest { reviewed: Some(reviewed), ..part(&paths) };
            let applied = draft.apply(request).await.unwrap();
            let newer = applied.left.iter().filter(|one| one.reason == LeftReason::Newer);
            let newer: Vec<&str> = newer.map(|one| one.path.as_str()).collect();
            assert_eq!(newer, ["/project/a.txt", "/project/new/deep/z.txt"]);
        }
        assert_eq!(draft.below("a.txt").as_deref(), Some("alpha\n"));
        let shown = shown(&draft.agent, "/draft").await;
        assert!(shown.contains(&("/a.txt".to_owned(), "newer\n".to_owned())), "{shown:?}");
        assert!(shown.contains(&("/new/deep/z.txt".to_owned(), "z\n".to_owned())), "{shown:?}");
    }
}

fn confirmed(differences: &[OverlayDifference]) -> Vec<(MountPath, LowerEntry)> {
    differences.iter().filter_map(|one| Some((one.path.clone(), one.below?))).collect()
}

// shows in part: WS-059 (what changed below is replaced only as somebody saw it)
#[tokio::test]
async fn what_changed_below_is_replaced_only_by_somebody_who_saw_it() {
    let draft = Draft::new().await;
    let put = |path: &str, text: &str| fs::write(draft.directory.path().join(path), text).unwrap();
    put("a.txt", "theirs\n");
    put("b.txt", "theirs\n");
    put("src/m.rs", "theirs\n");
    let seen = draft.overlay.diff().await.unwrap();
    let conflicts: Vec<String> =
        confirmed(&seen).iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(conflicts, ["a.txt", "b.txt", "src", "src"]);
    // Without a word, nothing is applied. With one about another file, neither.
    let refused = draft.apply(part(&["a.txt"])).await.unwrap_err();
    assert_eq!(refused.code(), Code::WorkspaceConflict);
    let both = ApplyRequest { confirmed: confirmed(&seen[..1]), ..part(&["a.txt", "b.txt"]) };
    assert_eq!(draft.apply(both).await.unwrap_err().code(), Code::WorkspaceConflict);
    assert_eq!(draft.below("a.txt").as_deref(), Some("theirs\n"));
    // It changes once more after somebody looked.
    put("b.txt", "theirs again\n");
    let request = ApplyRequest { confirmed: confirmed(&seen), ..part(&["a.txt", "b.txt", "src"]) };
    let applied = draft.apply(request).await.unwrap();
    assert_eq!(draft.below("a.txt").as_deref(), Some("changed\n"));
    assert_eq!(
        (draft.below("src/m.rs"), draft.below("src/other.rs")),
        (None, Some("other\n".into()))
    );
    let left = applied.left.iter().find(|one| one.path.as_str() == "/project/b.txt").unwrap();
    assert_eq!(left.reason, LeftReason::ChangedBelow);
    assert_eq!(draft.below("b.txt").as_deref(), Some("theirs again\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// In whatever order parts are applied or dropped, what the agent sees does not change by applying, and in the end
    /// below is what it sees.
    #[test]
    fn parts_add_up_to_the_whole(order in Just(vec!["a.txt", "b.txt", "new/deep/x.txt", "new/deep/y.txt", "src", "gone"]).prop_shuffle()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (draft, whole) = (Draft::new().await, Draft::new().await);
            let seen = shown(&draft.agent, "/draft").await;
            for path in order {
                let applied = draft.apply(part(&[path])).await.unwrap();
                assert!(named(&applied).iter().any(|one| one.ends_with(path)), "{path}: {applied:?}");
                assert_eq!(shown(&draft.agent, "/draft").await, seen);
            }
            assert_eq!(draft.changes().await, Vec::<String>::new());
            whole.apply(part(&[])).await.unwrap();
            assert_eq!(shown(&draft.person, "/project").await, shown(&whole.person, "/project").await);
        });
    }
}

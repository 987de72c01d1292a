//! Workspaces: as they are typed, declared, joined and opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::{
    Code, Provenance, TimestampMs, port::fixed::ManualClock, port::fixed::SeededEntropy,
};
use piton_runtime::CallBasis;
use piton_runtime::bounds::{
    OVERLAY_CHANGES_SHOWN_MAX, OVERLAY_DIFF_BYTES_MAX, OVERLAY_FILE_LINES_MAX,
};
use piton_runtime::workspaces::{
    ApplySeen, Declared, DeclaredBy, DropSeen, FileLogQuery, FileWorld, Mount, OverlayDiff,
    SeenChange, VirtualPorts, WorkspaceConfig, WorkspacePorts, join,
};
use piton_store::memory::{MemoryBlobs, MemoryTable};
use serde_json::{Value, json};

fn ports() -> WorkspacePorts {
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    let of = |seed| VirtualPorts {
        table: Arc::new(MemoryTable::default()),
        blobs: Arc::new(MemoryBlobs::new(clock.clone())),
        clock: clock.clone(),
        entropy: Arc::new(SeededEntropy::new(seed)),
    };
    WorkspacePorts { kept: of(1), memory: of(2), configuration: None, data: None }
}

fn typed(mounts: &[&str], base: &Path) -> Declared {
    let mounts: Vec<Mount> = mounts.iter().map(|text| text.parse().unwrap()).collect();
    Declared::typed(&mounts, base.to_owned())
}

fn declared(by: DeclaredBy, base: &Path, list: Value) -> Declared {
    Declared { by, base: base.to_owned(), workspaces: serde_json::from_value(list).unwrap() }
}

async fn world(places: Vec<Declared>, ports: &WorkspacePorts) -> FileWorld {
    FileWorld::open(join(places, None), ports).await.unwrap()
}

async fn write(world: &FileWorld, path: &str) {
    let arguments = json!({ "path": path, "content": "x\n" });
    world.call("one", &CallBasis::default(), "write", arguments).await.unwrap();
}

#[test]
fn a_workspace_is_typed_as_prefix_store_and_scope() {
    let config = |text: &str| text.parse::<Mount>().unwrap().0;
    let of = |prefix: &str, scope: &str| WorkspaceConfig {
        prefix: prefix.to_owned(),
        scope: scope.to_owned(),
        ..WorkspaceConfig::default()
    };
    let own = |name: &str| Some(vec![name.to_owned()]);
    for (text, expected) in [
        (
            "/docs=./docs:ro",
            WorkspaceConfig {
                directory: Some(PathBuf::from("./docs")),
                ..of("/docs", "read-only")
            },
        ),
        (
            "/a=/srv/a=b:c:wo",
            WorkspaceConfig {
                directory: Some(PathBuf::from("/srv/a=b:c")),
                ..of("/a", "write-only")
            },
        ),
        (
            "/scratch=virtual:rw",
            WorkspaceConfig { namespace: own("/scratch"), ..of("/scratch", "read-write") },
        ),
        (
            "/s=virtual/agent/two:rw",
            WorkspaceConfig {
                namespace: Some(vec!["agent".to_owned(), "two".to_owned()]),
                ..of("/s", "read-write")
            },
        ),
        ("/m=memory:rw", WorkspaceConfig { memory: own("/m"), ..of("/m", "read-write") }),
        (
            "/draft=over/docs:rw",
            WorkspaceConfig {
                namespace: own("/draft"),
                over: Some("/docs".to_owned()),
                ..of("/draft", "read-write")
            },
        ),
    ] {
        assert_eq!(config(text), expected, "{text}");
    }
    for text in
        ["", "=", "/a", "/a=b", "/a=virtual", "/a=virtual/:rw", "/a=:rw", "a=.:rw", "/a=.:RW"]
    {
        let told = text.parse::<Mount>().unwrap_err();
        assert!(told.ends_with(Mount::FORM), "{text}: {told}");
    }
}

#[test]
fn the_strongest_place_counts_and_a_project_stays_inside() {
    let directory = tempfile::tempdir().unwrap();
    let (project, home) = (directory.path().join("p"), directory.path().join("h"));
    fs::create_dir_all(project.join("in")).unwrap();
    fs::create_dir_all(&home).unwrap();
    std::os::unix::fs::symlink(&home, project.join("out")).unwrap();
    let one =
        |prefix: &str, at: &str| json!({ "prefix": prefix, "scope": "read-only", "directory": at });
    let joined = join(
        vec![
            declared(DeclaredBy::User, &home, json!([one("/b", "."), one("/u", "~")])),
            declared(
                DeclaredBy::Project,
                &project,
                json!([one("/a", "in"), one("/b", "in"), one("/c", "in"), one("/l", "out/x")]),
            ),
            typed(&["/c=.:rw"], &home),
        ],
        Some(&home),
    );
    let held: Vec<_> = joined
        .workspaces
        .iter()
        .map(|(config, by)| (config.prefix.as_str(), *by, config.directory.clone().unwrap()))
        .collect();
    assert_eq!(
        held,
        [
            ("/a", DeclaredBy::Project, project.join("in")),
            ("/b", DeclaredBy::User, home.clone()),
            ("/c", DeclaredBy::Command, home.clone()),
            ("/u", DeclaredBy::User, home.clone()),
        ]
    );
    assert_eq!(joined.notes.len(), 2, "{:?}", joined.notes);
    assert!(joined.notes[0].contains("/b is declared by the project and by the user"));
    assert!(joined.problems[0].starts_with("/l has a `directory` outside of the project"));
}

#[tokio::test]
async fn a_project_never_reaches_the_virtual_files_of_another_or_of_the_user() {
    let directory = tempfile::tempdir().unwrap();
    let ports = ports();
    let mut worlds = Vec::new();
    for (by, name) in
        [(DeclaredBy::Project, "p"), (DeclaredBy::Project, "q"), (DeclaredBy::User, "p")]
    {
        let base = directory.path().join(name);
        fs::create_dir_all(&base).unwrap();
        let list = json!([{ "prefix": "/s", "scope": "read-write", "virtual": ["s"] }]);
        worlds.push(world(vec![declared(by, &base, list)], &ports).await);
    }
    write(&worlds[0], "/s/secret").await;
    for other in &worlds[1..] {
        let listed =
            other.call("one", &CallBasis::default(), "ls", json!({ "path": "/s" })).await.unwrap();
        assert!(!listed.contains("secret"), "{listed}");
    }
}

// shows in part: WS-058 (records follow the Mount, whatever set reaches it)
#[tokio::test]
async fn records_belong_to_the_mount_whoever_reaches_it() {
    let directory = tempfile::tempdir().unwrap();
    let ports = ports();
    let base = directory.path();
    fs::create_dir_all(base.join("a")).unwrap();
    fs::create_dir_all(base.join("b")).unwrap();
    let first = world(vec![typed(&["/d=./a:rw"], base)], &ports).await;
    let at = Provenance {
        session: piton_core::SessionId::mint(&SeededEntropy::new(5)),
        run: piton_core::RunId::mint(&SeededEntropy::new(6)),
        node: piton_core::NodeId::mint(&SeededEntropy::new(7)),
        step: "review".to_owned(),
    };
    let standing = CallBasis { provenance: Some(at.clone()), access: None };
    let arguments = json!({ "path": "/d/f", "content": "x\n" });
    first.call("one", &standing, "write", arguments).await.unwrap();
    let wider = world(vec![typed(&["/d=./a:ro", "/e=./b:rw"], base)], &ports).await;
    let history = wider.history("/d/f").await.unwrap();
    assert!(!history.blame.changed_outside);
    let actor = &history.blame.records[0].intent.actor;
    assert_eq!((actor.agent.as_str(), actor.step.as_deref()), ("one", Some("review")));
    assert_eq!(actor.session, Some(at.session.to_string()));
    // Another directory under the same prefix has records of its own.
    let other = world(vec![typed(&["/d=./b:rw"], base)], &ports).await;
    assert!(other.history("/d/f").await.unwrap().blame.records.is_empty());
}

#[tokio::test]
async fn of_many_changes_of_an_overlay_the_first_are_shown_and_the_others_counted() {
    const MORE: usize = 3;
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("docs")).unwrap();
    let mounts = ["/docs=./docs:ro", "/draft=over/docs:rw"];
    let world = world(vec![typed(&mounts, directory.path())], &ports()).await;
    for number in 0..OVERLAY_CHANGES_SHOWN_MAX + MORE {
        write(&world, &format!("/draft/{number:06}")).await;
    }
    let diff = world.diff("/draft", &[]).await.unwrap();
    assert_eq!((diff.changes.len(), diff.left_out), (OVERLAY_CHANGES_SHOWN_MAX, MORE));
    assert_eq!(diff.total(), OVERLAY_CHANGES_SHOWN_MAX + MORE);
    let change = diff.changes.last().unwrap();
    let by = &change.by.as_ref().unwrap().intent.actor;
    assert_eq!((change.added, by.agent.as_str()), (1, "one"));
}

#[tokio::test]
async fn lines_of_an_overlay_are_shown_until_there_are_too_many() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("docs")).unwrap();
    let mounts = ["/docs=./docs:ro", "/draft=over/docs:rw"];
    let world = world(vec![typed(&mounts, directory.path())], &ports()).await;
    // Few lines of many bytes: what is compared is lines.
    let content = format!("{}\n", "x".repeat(OVERLAY_DIFF_BYTES_MAX / 16)).repeat(9);
    for name in ["a", "b", "c"] {
        let arguments = json!({ "path": format!("/draft/{name}"), "content": content });
        world.call("one", &CallBasis::default(), "write", arguments).await.unwrap();
    }
    let diff = world.diff("/draft", &[]).await.unwrap();
    let shown = diff.changes.iter().map(|change| (change.difference.path.as_str(), change.added));
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown, [("a", 9), ("b", 9), ("c", 0)]);
    let last = diff.changes[2].diff.as_deref();
    let told = "--- a/c\n+++ b/c\nnot shown: there are too many lines before these\n";
    assert_eq!((last, diff.left_out), (Some(told), 0));
}

#[tokio::test]
async fn every_problem_is_named_and_nothing_is_open() {
    let places = vec![typed(&["/x=./gone:ro", "/y=over/none:rw"], Path::new("/"))];
    let refused = FileWorld::open(join(places, None), &ports()).await.unwrap_err();
    for part in ["/x has a `directory` that does not exist", "/y lies over /none"] {
        assert!(refused.message.contains(part), "{}", refused.message);
    }
}

// shows in part: WS-042 (what a step leaves of the Workspaces)
#[tokio::test]
async fn a_step_leaves_no_more_than_is_configured_and_no_more_than_it_names() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path();
    for (path, text) in
        [("p/a", "a\n"), ("p/src/m", "m\n"), ("p/src/deep/d", "d\n"), ("r/x", "x\n")]
    {
        fs::create_dir_all(base.join(path).parent().unwrap()).unwrap();
        fs::write(base.join(path), text).unwrap();
    }
    let mounts = ["/p=./p:rw", "/r=./r:ro", "/o=memory:wo"];
    let world = world(vec![typed(&mounts, base)], &ports()).await;
    // What is granted; a call; what part of its answer says, and whether it is refused.
    let read = |path: &str| ("read", json!({ "path": path }));
    let put = |path: &str| ("write", json!({ "path": path, "content": "new\n" }));
    let cases: [(Value, (&str, Value), &str, bool); 15] = [
        (json!([]), read("/p/a"), "no tool `read`", true),
        (json!([["/p", "read-only"]]), read("/p/a"), "a\n", false),
        (json!([["/p", "read-only"]]), put("/p/a"), "no tool `write`", true),
        (
            json!([["/p", "read-only"], ["/o", "write-only"]]),
            put("/p/a"),
            "read-only Workspace /p",
            true,
        ),
        (json!([["/p", "read-only"]]), read("/r/x"), "is in no Workspace", true),
        (
            json!([["/r", "read-write"], ["/o", "read-write"]]),
            put("/r/x"),
            "does not permit `write`",
            true,
        ),
        (
            json!([["/r", "write-only"], ["/p", "read-only"]]),
            read("/r/x"),
            "is in no Workspace",
            true,
        ),
        (json!([["/o", "read-write"]]), put("/o/report"), "", false),
        (json!([["/", "read-only"]]), read("/r/x"), "x\n", false),
        // A part of a Workspace.
        (json!([["/p/src", "read-write"]]), put("/p/src/new"), "created", false),
        (json!([["/p/src", "read-write"]]), read("/p/a"), "is in no Workspace", true),
        (
            json!([["/p/src", "read-write"]]),
            ("grep", json!({ "pattern": "." })),
            "/p/src/deep/d:1:d\n/p/src/m:1:m\n",
            false,
        ),
        (
            json!([["/p", "read-only"], ["/p/src", "read-write"]]),
            put("/p/src/more"),
            "created",
            false,
        ),
        (
            json!([["/p", "read-only"], ["/p/src", "read-write"]]),
            put("/p/b"),
            "Permitted in /p/src",
            true,
        ),
        (
            json!([["/p", "read-only"], ["/p/src", "read-write"]]),
            ("ls", json!({ "path": "/p" })),
            "a\t2\nsrc/\tread-write Workspace\n",
            false,
        ),
    ];
    for (grants, (tool, arguments), part, is_refused) in cases {
        let grants = grants.as_array().unwrap().iter();
        let grants: Vec<Value> =
            grants.map(|one| json!({ "prefix": one[0], "scope": one[1] })).collect();
        let what = format!("{grants:?} {tool} {arguments}");
        let access = serde_json::from_value(json!({ "workspaces": grants })).unwrap();
        let standing = CallBasis { provenance: None, access: Some(access) };
        let said = world.call("one", &standing, tool, arguments).await;
        assert_eq!(said.is_err(), is_refused, "{what}: {said:?}");
        let text = said.unwrap_or_else(|refused| {
            assert!(
                refused.suggestion.contains("The step that you are at leaves you this:\nFiles:"),
                "{what}"
            );
            refused.message
        });
        assert!(text.contains(part), "{what}: {text}");
    }
    assert_eq!(fs::read_to_string(base.join("p/src/new")).unwrap(), "new\n");
    let history = world.history("/p/src/new").await.unwrap();
    assert_eq!(history.blame.records.len(), 1, "a part of a Workspace has its records");
}

/// An overlay with a changed file, a new one in a new directory, and a deleted one.
async fn reviewed() -> (tempfile::TempDir, FileWorld) {
    let directory = tempfile::tempdir().unwrap();
    let docs = directory.path().join("docs");
    fs::create_dir(&docs).unwrap();
    for name in ["a", "gone"] {
        fs::write(docs.join(name), format!("{name}\n")).unwrap();
    }
    let mounts = ["/docs=./docs:ro", "/draft=over/docs:rw"];
    let world = world(vec![typed(&mounts, directory.path())], &ports()).await;
    for path in ["/draft/a", "/draft/new/b"] {
        write(&world, path).await;
    }
    let gone = json!({ "path": "/draft/gone" });
    world.call("one", &CallBasis::default(), "delete", gone).await.unwrap();
    (directory, world)
}

fn seen(diff: &OverlayDiff, path: &str, replaces_below: bool) -> SeenChange {
    let change = diff.changes.iter().find(|one| one.difference.path.as_str() == path).unwrap();
    SeenChange { path: change.difference.path.clone(), seen: change.seen, replaces_below }
}

fn apply(changes: Vec<SeenChange>) -> ApplySeen {
    ApplySeen { overlay: "/draft".to_owned(), changes, leaves_conflicts: false }
}

#[tokio::test]
async fn changes_of_an_overlay_are_applied_and_dropped_one_by_one_as_they_were_seen() {
    let (directory, world) = reviewed().await;
    let docs = directory.path().join("docs");
    let diff = world.overlay_changes("/draft", 0, 100).await.unwrap();
    let paths: Vec<&str> = diff.changes.iter().map(|one| one.difference.path.as_str()).collect();
    assert_eq!(paths, ["a", "gone", "new", "new/b"]);
    assert!(diff.changes.iter().all(|one| one.diff.is_none()));
    // The page after the first two is the rest of the same list.
    let rest = world.overlay_changes("/draft", 2, 1).await.unwrap();
    assert_eq!((rest.changes[0].clone(), rest.left_out), (diff.changes[2].clone(), 1));
    // Somebody goes on writing, so that change is no longer the one that was seen.
    let more = json!({ "path": "/draft/a", "content": "newer\n" });
    world.call("one", &CallBasis::default(), "write", more).await.unwrap();
    let both = apply(vec![seen(&diff, "a", false), seen(&diff, "new/b", false)]);
    let applied = world.apply_seen(&both, "ann").await.unwrap();
    let changed: Vec<String> = applied.applied.paths.iter().map(ToString::to_string).collect();
    assert_eq!(changed, ["/docs/new", "/docs/new/b"]);
    assert_eq!(fs::read_to_string(docs.join("a")).unwrap(), "a\n");
    assert!(docs.join("gone").exists());
    let history = world.history("/docs/new/b").await.unwrap();
    assert!(history.blame.records.iter().any(|record| record.intent.actor.agent == "ann"));
    // Dropping follows the same rule.
    let dropping = |changes| DropSeen { overlay: "/draft".to_owned(), changes };
    let dropped = world.drop_seen(&dropping(vec![seen(&diff, "a", false)])).await.unwrap();
    assert_eq!((dropped.changes, dropped.left.len()), (0, 1));
    let dropped = world.drop_seen(&dropping(vec![seen(&diff, "gone", false)])).await.unwrap();
    assert_eq!((dropped.changes, dropped.left.len()), (1, 0));
    let left = world.overlay_changes("/draft", 0, 100).await.unwrap();
    assert_eq!(left.changes.len(), 1);
    assert!(world.apply_seen(&apply(Vec::new()), "ann").await.is_err());
}

#[tokio::test]
async fn what_changed_below_is_shown_and_replaced_only_if_somebody_says_so() {
    let (directory, world) = reviewed().await;
    let below = directory.path().join("docs/a");
    fs::write(&below, "theirs\n").unwrap();
    let before = world.overlay_changes("/draft", 0, 100).await.unwrap();
    assert!(before.changes[0].difference.changed_below);
    let refused = world.apply_seen(&apply(vec![seen(&before, "a", false)]), "ann").await;
    assert_eq!(refused.unwrap_err().code, Code::WorkspaceConflict);
    // What is below changes once more: whoever agreed to the version before did not agree to this.
    fs::write(&below, "theirs again\n").unwrap();
    let applied = world.apply_seen(&apply(vec![seen(&before, "a", true)]), "ann").await.unwrap();
    assert_eq!(applied.applied.paths, []);
    assert_eq!(fs::read_to_string(&below).unwrap(), "theirs again\n");
    let now = world.overlay_changes("/draft", 0, 100).await.unwrap();
    world.apply_seen(&apply(vec![seen(&now, "a", true)]), "ann").await.unwrap();
    assert_ne!(fs::read_to_string(&below).unwrap(), "theirs again\n");
}

#[tokio::test]
async fn a_diff_of_a_million_lines_is_counted_and_not_sent() {
    let (_directory, world) = reviewed().await;
    let arguments = json!({ "path": "/draft/many", "content": "x\n".repeat(1_000_000) });
    world.call("one", &CallBasis::default(), "write", arguments).await.unwrap();
    let changes = world.overlay_change("/draft", "many").await.unwrap();
    let [change] = &changes[..] else { panic!("one file changed") };
    assert_eq!(change.added, 1_000_000);
    let diff = change.diff.as_deref().unwrap();
    assert_eq!(diff.lines().count(), OVERLAY_FILE_LINES_MAX);
    assert!(change.lines_left_out > 900_000 && diff.len() < 100_000);
    let unchanged = world.overlay_change("/draft", "none").await.unwrap_err();
    assert!(unchanged.message.contains("changes nothing at /draft/none"), "{}", unchanged.message);
}

#[tokio::test]
async fn the_changes_of_all_files_are_listed_and_chosen() {
    let (_directory, world) = reviewed().await;
    let all = world.log(&FileLogQuery::default()).await.unwrap();
    let paths: Vec<&str> = all.records.iter().map(|one| one.intent.path.as_str()).collect();
    assert_eq!(paths.first(), Some(&"/draft/gone"), "{paths:?}");
    let one = FileLogQuery { limit: Some(1), ..FileLogQuery::default() };
    let first = world.log(&one).await.unwrap();
    let from = serde_json::to_value(&first).unwrap()["next"].as_str().map(str::to_owned);
    let second = world.log(&FileLogQuery { from, ..one.clone() }).await.unwrap();
    assert_eq!([&first.records[..], &second.records[..]].concat(), all.records[..2]);
    let under = FileLogQuery { under: Some("/draft/new".to_owned()), ..FileLogQuery::default() };
    assert!(world.log(&under).await.unwrap().records.len() < all.records.len());
    let wrong = FileLogQuery { from: Some("nonsense".to_owned()), ..one };
    assert_eq!(world.log(&wrong).await.unwrap_err().code, Code::WorkspaceBadArgument);
}

//! Copy-on-write over another Workspace.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::overlay::{ApplyRequest, DifferenceKind, LeftReason, OverlayStore};
use piton_workspaces::path::LogicalPath;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Files, Workspaces};
use serde_json::{Value, json};

use crate::meddled::Meddled;
use crate::snapshot::tree;
use crate::world::{definition, memory_ports, namespace, physical, put, quick_directory};

struct Scratch {
    directory: tempfile::TempDir,
    overlay: OverlayStore,
    agent: Files,
    operator: Files,
}

fn scratch() -> Scratch {
    let directory = quick_directory();
    for (path, text) in [
        ("a.txt", "alpha\n"),
        ("src/m.rs", "fn main() {}\n"),
        ("src/old.rs", "old\n"),
        (".env", "KEY=1\n"),
    ] {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let store = physical(directory.path(), PhysicalOptions::default());
    let mut lower = definition("/project", "read-only", Arc::clone(&store));
    lower.deny = vec![".env".into()];
    let lower = Workspaces::new(vec![lower]).unwrap();
    let upper = VirtualStore::new(memory_ports(9), &namespace(&["scratch"]), None);
    let overlay = OverlayStore::new(upper, &lower.all()[0]);
    let agent =
        Workspaces::new(vec![definition("/scratch", "read-write", Arc::new(overlay.clone()))]);
    let operator = Workspaces::new(vec![definition("/project", "read-write", store)]);
    Scratch {
        directory,
        overlay,
        agent: Files::new(Arc::new(agent.unwrap())),
        operator: Files::new(Arc::new(operator.unwrap())),
    }
}

impl Scratch {
    async fn call(&self, tool: &str, arguments: Value) -> String {
        let reply = self.agent.call(tool, arguments).await;
        assert!(!reply.is_error(), "{tool}: {}", reply.text);
        reply.text
    }

    /// What an agent does that changes a bit of everything.
    async fn work(&self) {
        self.call(
            "edit",
            json!({ "path": "/scratch/src/m.rs", "old_string": "main", "new_string": "start" }),
        )
        .await;
        self.call("write", json!({ "path": "/scratch/tests/new.rs", "content": "new\n" })).await;
        self.call("delete", json!({ "path": "/scratch/src/old.rs" })).await;
        self.call(
            "write",
            json!({ "path": "/scratch/a.txt", "content": "beta\n", "append": true }),
        )
        .await;
        self.call("mkdir", json!({ "path": "/scratch/void" })).await;
    }

    async fn differences(&self) -> Vec<(String, DifferenceKind)> {
        let differences = self.overlay.diff().await.unwrap();
        differences.into_iter().map(|one| (one.path.to_string(), one.kind)).collect()
    }
}

fn everything() -> ApplyRequest {
    ApplyRequest::everything(project())
}

fn project() -> LogicalPath {
    "/project".parse().unwrap()
}

// shows: WS-054
#[tokio::test]
async fn changes_stay_above_and_what_is_below_shines_through() {
    let scratch = scratch();
    let before = tree(scratch.directory.path());
    assert_eq!(scratch.call("ls", json!({ "path": "/scratch" })).await, "a.txt\t6\nsrc/\n");
    scratch.work().await;
    assert_eq!(before, tree(scratch.directory.path()));
    assert_eq!(
        scratch.call("ls", json!({ "path": "/scratch" })).await,
        "a.txt\t11\nsrc/\ntests/\nvoid/\n"
    );
    assert_eq!(scratch.call("ls", json!({ "path": "/scratch/src" })).await, "m.rs\t14\n");
    assert!(
        scratch
            .call("read", json!({ "path": "/scratch/a.txt" }))
            .await
            .ends_with("]\nalpha\nbeta\n")
    );
    let found =
        scratch.call("grep", json!({ "pattern": "start|main|old|new|KEY", "all": true })).await;
    assert_eq!(found, "/scratch/src/m.rs:1:fn start() {}\n/scratch/tests/new.rs:1:new\n");
    let gone = scratch.agent.call("read", json!({ "path": "/scratch/src/old.rs" })).await;
    assert_eq!(gone.error.unwrap().code(), Code::WorkspaceNotFound);
    let hidden = scratch.agent.call("read", json!({ "path": "/scratch/.env" })).await;
    assert_eq!(hidden.error.unwrap().code(), Code::WorkspaceNotFound);
    assert_eq!(
        scratch.differences().await,
        [
            ("a.txt".to_owned(), DifferenceKind::Modified),
            ("src/old.rs".to_owned(), DifferenceKind::Deleted),
            ("src/m.rs".to_owned(), DifferenceKind::Modified),
            ("tests".to_owned(), DifferenceKind::Directory),
            ("tests/new.rs".to_owned(), DifferenceKind::Added),
            ("void".to_owned(), DifferenceKind::Directory),
        ]
        .into_iter()
        .collect::<std::collections::BTreeMap<_, _>>()
        .into_iter()
        .collect::<Vec<_>>()
    );
    scratch.overlay.drop_all().await.unwrap();
    assert!(scratch.differences().await.is_empty());
    assert_eq!(
        scratch.call("ls", json!({ "path": "/scratch/src" })).await,
        "m.rs\t13\nold.rs\t4\n"
    );
}

// shows in part: WS-054 (applied)
#[tokio::test]
async fn applying_makes_the_lower_as_the_overlay_showed_it() {
    let scratch = scratch();
    scratch.work().await;
    let applied = scratch.overlay.apply(&scratch.operator, &everything()).await.unwrap();
    assert_eq!(applied.paths.len(), 6);
    let read = |name: &str| fs::read_to_string(scratch.directory.path().join(name)).unwrap();
    assert_eq!(read("a.txt"), "alpha\nbeta\n");
    assert_eq!(read("src/m.rs"), "fn start() {}\n");
    assert_eq!(read("tests/new.rs"), "new\n");
    assert!(!scratch.directory.path().join("src/old.rs").exists());
    assert!(scratch.directory.path().join("void").is_dir());
    assert!(scratch.differences().await.is_empty());
    // Nothing stays above that would hide what happens below from now on, not even that a directory goes.
    for name in ["src", "tests", "void"] {
        fs::remove_dir_all(scratch.directory.path().join(name)).unwrap();
    }
    assert_eq!(scratch.call("ls", json!({ "path": "/scratch" })).await, "a.txt\t11\n");
}

// shows: WS-059
#[tokio::test]
async fn a_lower_file_that_changed_since_is_a_conflict_and_nothing_is_applied() {
    for (name, content) in [
        ("a.txt", Some("changed\n")),
        ("a.txt", None),
        ("src/old.rs", Some("changed\n")),
        ("tests/new.rs", Some("made by somebody else\n")),
    ] {
        let scratch = scratch();
        scratch.work().await;
        let path = scratch.directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let before = tree(scratch.directory.path());
        let differences = scratch.differences().await;
        let refused = scratch.overlay.apply(&scratch.operator, &everything()).await.unwrap_err();
        assert_eq!(refused.code(), Code::WorkspaceConflict);
        assert!(refused.to_string().contains(&format!("/project/{name}")), "{refused}");
        assert_eq!(before, tree(scratch.directory.path()), "{name}");
        assert_eq!(differences, scratch.differences().await);
    }
    // Applying is no tool of agents, and needs read-write on what is below.
    let scratch = scratch();
    assert!(!scratch.agent.workspaces().tools().iter().any(|tool| tool.as_str().contains("apply")));
    let refused = {
        let request = ApplyRequest::everything("/scratch".parse().unwrap());
        scratch.overlay.apply(&scratch.agent, &request).await
    };
    assert!(refused.is_err());
}

// shows in part: WS-059 (what fits is applied if conflicts are left, and what was left is named)
#[tokio::test]
async fn conflicts_that_are_left_stay_above_with_what_lies_in_them_and_the_rest_is_applied() {
    let scratch = scratch();
    scratch.work().await;
    // A directory in the place of another, whose content has no place below without it.
    scratch.call("delete", json!({ "path": "/scratch/src", "recursive": true })).await;
    scratch.call("write", json!({ "path": "/scratch/src/deep/x.rs", "content": "x\n" })).await;
    let write = |name: &str, content: &str| {
        fs::write(scratch.directory.path().join(name), content).unwrap();
    };
    write("a.txt", "changed\n");
    write("src/m.rs", "changed\n");
    let changed_below = async || {
        let differences = scratch.overlay.diff().await.unwrap();
        let changed = differences.into_iter().filter(|one| one.changed_below);
        changed.map(|one| one.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(changed_below().await, ["a.txt", "src", "src"]);
    let request = ApplyRequest { leaves_conflicts: true, ..everything() };
    let applied = scratch.overlay.apply(&scratch.operator, &request).await.unwrap();
    let paths: Vec<&str> = applied.paths.iter().map(LogicalPath::as_str).collect();
    assert_eq!(paths, ["/project/tests", "/project/tests/new.rs", "/project/void"]);
    let left: Vec<(&str, LeftReason)> =
        applied.left.iter().map(|one| (one.path.as_str(), one.reason)).collect();
    assert_eq!(
        left,
        ["/project/a.txt", "/project/src", "/project/src/deep", "/project/src/deep/x.rs"]
            .map(|path| (path, LeftReason::ChangedBelow))
    );
    let read = |name: &str| fs::read_to_string(scratch.directory.path().join(name)).ok();
    assert_eq!(read("a.txt").as_deref(), Some("changed\n"));
    assert_eq!(read("src/m.rs").as_deref(), Some("changed\n"));
    assert_eq!((read("tests/new.rs").as_deref(), read("src/deep/x.rs")), (Some("new\n"), None));
    let seen = scratch.call("read", json!({ "path": "/scratch/a.txt" })).await;
    assert!(seen.ends_with("]\nalpha\nbeta\n"), "{seen}");
}

// shows in part: WS-054 (a change is compared with what is below now)
#[tokio::test]
async fn a_change_is_compared_with_what_is_below_now_and_says_that_this_changed() {
    // What somebody else does to the file below, how the overlay differs from that, and what stands on both sides.
    for (name, content, kind, below, above) in [
        ("a.txt", Some("theirs\n"), DifferenceKind::Modified, Some("theirs\n"), "alpha\nbeta\n"),
        ("a.txt", None, DifferenceKind::Added, None, "alpha\nbeta\n"),
        ("tests/new.rs", Some("theirs\n"), DifferenceKind::Modified, Some("theirs\n"), "new\n"),
    ] {
        let scratch = scratch();
        scratch.work().await;
        let path = scratch.directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let differences = scratch.overlay.diff().await.unwrap();
        let one = differences.iter().find(|one| one.path.as_str() == name).unwrap();
        assert_eq!((one.kind, one.changed_below), (kind, true), "{name}: {content:?}");
        assert!(differences.iter().all(|other| !other.changed_below || other == one));
        let (now, own) = scratch.overlay.contents(one).await.unwrap();
        assert_eq!(now.as_deref(), below.map(str::as_bytes), "{name}: {content:?}");
        assert_eq!(own.as_deref(), Some(above.as_bytes()), "{name}: {content:?}");
    }
}

// shows in part: WS-059 (what was reviewed)
#[tokio::test]
async fn what_is_written_after_the_review_is_not_applied_and_is_named() {
    let scratch = scratch();
    scratch.work().await;
    let reviewed = scratch.overlay.diff().await.unwrap();
    scratch.call("write", json!({ "path": "/scratch/a.txt", "content": "unseen\n" })).await;
    scratch.call("write", json!({ "path": "/scratch/tests/unseen.rs", "content": "x\n" })).await;
    let request = ApplyRequest { reviewed: Some(reviewed), ..everything() };
    let applied = scratch.overlay.apply(&scratch.operator, &request).await.unwrap();
    let left: Vec<(&str, LeftReason)> =
        applied.left.iter().map(|one| (one.path.as_str(), one.reason)).collect();
    assert_eq!(
        left,
        [("/project/a.txt", LeftReason::Newer), ("/project/tests/unseen.rs", LeftReason::Newer)]
    );
    assert_eq!(applied.paths.len(), 5);
    let read = |name: &str| fs::read_to_string(scratch.directory.path().join(name)).ok();
    assert_eq!(read("a.txt").as_deref(), Some("alpha\n"));
    assert_eq!(read("tests/new.rs").as_deref(), Some("new\n"));
    assert_eq!(read("tests/unseen.rs"), None);
}

// shows in part: WS-054 (what an agent wrote stays above until it is applied or dropped)
#[tokio::test]
async fn what_an_agent_did_stays_above_although_it_is_no_change_for_a_moment() {
    let write = |name: &str, content: &str| {
        ("write", json!({ "path": format!("/scratch/{name}"), "content": content }))
    };
    let deleted = ("delete", json!({ "path": "/scratch/a.txt" }));
    let back = || vec![write("a.txt", "x\n"), write("a.txt", "alpha\n")];
    let mut wrong = Vec::new();
    // What an agent does to a file, what is below for a moment, what is there after that, and what the agent sees.
    for (name, calls, moment, after, seen) in [
        ("a.txt", back(), Some("alpha\n"), Some("later\n"), Some("alpha\n")),
        ("a.txt", back(), Some("between\n"), Some("later\n"), Some("alpha\n")),
        ("a.txt", back(), None, None, Some("alpha\n")),
        ("a.txt", vec![write("a.txt", "x\n")], Some("x\n"), Some("alpha\n"), Some("x\n")),
        ("n/n.txt", vec![write("n/n.txt", "n\n")], Some("n\n"), None, Some("n\n")),
        ("a.txt", vec![deleted], None, Some("alpha\n"), None),
    ] {
        for applies in [false, true] {
            let scratch = scratch();
            for (tool, arguments) in &calls {
                scratch.call(tool, arguments.clone()).await;
            }
            let path = scratch.directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let is_below = |content: Option<&str>| match content {
                Some(content) => fs::write(&path, content).unwrap(),
                None => fs::remove_file(&path).unwrap_or_default(),
            };
            is_below(moment);
            let when = format!("{name} {moment:?}, applied: {applies}");
            assert_eq!(scratch.differences().await, [], "{when}");
            if applies {
                let applied = scratch.overlay.apply(&scratch.operator, &everything()).await;
                assert_eq!(applied.unwrap().paths, [], "{when}");
            }
            is_below(after);
            let arguments = json!({ "path": format!("/scratch/{name}") });
            let read = scratch.agent.call("read", arguments).await;
            let shown = read.text.split_once("]\n").map(|(_, text)| text);
            if shown.filter(|_| !read.is_error()) != seen {
                wrong.push(format!("{when}: {}", read.text));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    // What still is a change stays, whatever is below: here, that a file becomes a program.
    let scratch = scratch();
    let path = scratch.directory.path().join("a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    for (tool, arguments) in [
        ("copy", json!({ "from": "/scratch/a.txt", "to": "/scratch/b.txt" })),
        ("move", json!({ "from": "/scratch/b.txt", "to": "/scratch/program" })),
    ] {
        scratch.call(tool, arguments).await;
    }
    fs::write(scratch.directory.path().join("program"), "alpha\n").unwrap();
    assert_eq!(scratch.differences().await, [("program".to_owned(), DifferenceKind::Modified)]);
}

// shows in part: WS-056 (appends to an overlay)
#[tokio::test]
async fn what_two_append_to_an_overlay_at_once_is_all_there() {
    for name in ["a.txt", "new.txt"] {
        let lower = VirtualStore::new(memory_ports(3), &namespace(&["lower"]), None);
        put(&lower, "a.txt", b"alpha\n").await;
        let meddled = Arc::new(Meddled::new(Arc::new(lower)));
        let below = definition("/project", "read-only", Arc::clone(&meddled) as Arc<dyn Store>);
        let below = Workspaces::new(vec![below]).unwrap();
        let upper = VirtualStore::new(memory_ports(4), &namespace(&["upper"]), None);
        let overlay = OverlayStore::new(upper, &below.all()[0]);
        let set = Workspaces::new(vec![definition("/s", "read-write", Arc::new(overlay))]);
        let files = Files::new(Arc::new(set.unwrap()));
        let path = format!("/s/{name}");
        let append = |text: &str| json!({ "path": path, "content": text, "append": true });
        meddled.lets_in(files.clone(), append("other\n"));
        let reply = files.call("write", append("mine\n")).await;
        assert!(!reply.is_error(), "{name}: {}", reply.text);
        let read = files.call("read", json!({ "path": path })).await.text;
        let start = if name == "a.txt" { "alpha\n" } else { "" };
        assert!(read.ends_with(&format!("]\n{start}other\nmine\n")), "{name}: {read}");
    }
}

// shows in part: WS-054 (a large overlay can be dropped and applied)
#[tokio::test]
async fn an_overlay_of_more_than_one_commit_takes_is_dropped_and_applied_as_any_other() {
    for applies in [false, true] {
        let scratch = scratch();
        for number in 0..4_100 {
            let path = format!("/scratch/many/{}/{number}", number % 2);
            scratch.call("write", json!({ "path": path, "content": "x" })).await;
        }
        scratch.work().await;
        if applies {
            let applied = scratch.overlay.apply(&scratch.operator, &everything()).await.unwrap();
            assert_eq!(applied.paths.len(), 4_100 + 3 + 6);
        } else {
            scratch.overlay.drop_all().await.unwrap();
        }
        assert!(scratch.differences().await.is_empty());
        assert_eq!(scratch.directory.path().join("many/1/4099").exists(), applies);
    }
}

#[tokio::test]
async fn a_deleted_directory_hides_what_is_below_and_a_new_one_in_its_place_starts_empty() {
    let scratch = scratch();
    scratch.call("delete", json!({ "path": "/scratch/src", "recursive": true })).await;
    assert_eq!(scratch.call("ls", json!({ "path": "/scratch" })).await, "a.txt\t6\n");
    scratch.call("write", json!({ "path": "/scratch/src/deep/x.rs", "content": "x\n" })).await;
    assert_eq!(scratch.call("ls", json!({ "path": "/scratch/src" })).await, "deep/\n");
    let found = scratch.call("grep", json!({ "pattern": "." })).await;
    assert_eq!(found, "/scratch/a.txt:1:alpha\n/scratch/src/deep/x.rs:1:x\n");
    scratch.call("move", json!({ "from": "/scratch/a.txt", "to": "/scratch/b.txt" })).await;
    assert_eq!(scratch.call("ls", json!({ "path": "/scratch" })).await, "b.txt\t6\nsrc/\n");
    assert!(scratch.directory.path().join("src/m.rs").exists());
}

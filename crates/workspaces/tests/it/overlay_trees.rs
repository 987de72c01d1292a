//! Whole directories in an overlay: deleted, replaced, moved, and then applied, over each kind of Store.

use std::ffi::OsStr;
use std::fs;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use piton_core::{Code, Digest, FileBytes};
use piton_store::testing::{TableCall, WatchedTable};
use piton_workspaces::mask::Mask;
use piton_workspaces::overlay::{ApplyRequest, OverlayStore};
use piton_workspaces::path::{LogicalPath, MountPath};
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::store::{Expected, FileChange, Store, StoreFault};
use piton_workspaces::virtual_store::{VirtualPorts, VirtualStore};
use piton_workspaces::{Files, Workspaces};
use serde_json::{Value, json};

use crate::snapshot::tree;
use crate::world::{definition, memory_ports, namespace, physical, put};

/// What lies below, and hides `.env`.
const FILES: [(&str, &str); 5] = [
    ("a.txt", "alpha\n"),
    ("src/m.rs", "fn main() {}\n"),
    ("src/deep/old.rs", "old\n"),
    ("kept/k.txt", "kept\n"),
    ("secrets/.env", "KEY=1\n"),
];

struct Rig {
    overlay: OverlayStore,
    agent: Files,
    operator: Files,
    /// How often something was written above.
    commits: Arc<AtomicU64>,
    directory: tempfile::TempDir,
}

impl Rig {
    async fn over(is_virtual: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = if is_virtual {
            Arc::new(VirtualStore::new(memory_ports(4), &namespace(&["lower"]), None))
        } else {
            physical(directory.path(), PhysicalOptions::default())
        };
        for (path, text) in FILES {
            if is_virtual {
                put(&*store, path, text.as_bytes()).await;
            } else {
                let path = directory.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
        }
        let mut lower = definition("/project", "read-only", store);
        lower.deny = vec![".env".into()];
        let lower = Workspaces::new(vec![lower]).unwrap();
        let commits = Arc::new(AtomicU64::new(0));
        let ports = memory_ports(9);
        let counted = Arc::clone(&commits);
        let table = WatchedTable::new(ports.table, move |call| {
            let is_commit = matches!(call, TableCall::Commit(_));
            counted.fetch_add(u64::from(is_commit), Ordering::Relaxed);
        });
        let ports = VirtualPorts { table: Arc::new(table), ..ports };
        let upper = VirtualStore::new(ports, &namespace(&["upper"]), None);
        let overlay = OverlayStore::new(upper, &lower.all()[0]);
        let agent = definition("/scratch", "read-write", Arc::new(overlay.clone()));
        let agent = Files::new(Arc::new(Workspaces::new(vec![agent]).unwrap()));
        let operator = Files::new(Arc::new(overlay.operator(&project()).unwrap()));
        Self { overlay, agent, operator, commits, directory }
    }

    async fn call(&self, tool: &str, arguments: Value) {
        let reply = self.agent.call(tool, arguments).await;
        assert!(!reply.is_error(), "{tool}: {}", reply.text);
    }
}

/// Every file and empty directory with its content, as agent or operator sees them.
pub(crate) async fn shown(files: &Files, prefix: &str) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    let mut waiting = vec![prefix.to_owned()];
    while let Some(directory) = waiting.pop() {
        let listed = files.call("ls", json!({ "path": directory })).await;
        assert!(!listed.is_error(), "{}", listed.text);
        for line in listed.text.lines() {
            let name = line.split('\t').next().unwrap();
            // An empty directory is described in words.
            if name == line && !name.ends_with('/') {
                continue;
            }
            let path = format!("{directory}/{}", name.trim_end_matches('/'));
            let below = path[prefix.len()..].to_owned();
            if name.ends_with('/') {
                waiting.push(path);
                shown.push((below, String::new()));
            } else {
                let read = files.call("read", json!({ "path": path })).await.text;
                shown.push((below, read.split_once('\n').unwrap().1.to_owned()));
            }
        }
    }
    shown.sort();
    shown.retain(|(path, _)| !path.ends_with("/.env"));
    shown
}

fn everything() -> ApplyRequest {
    ApplyRequest::everything(project())
}

fn project() -> LogicalPath {
    "/project".parse().unwrap()
}

// shows in part: WS-054 (directories, over a Physical and over a Virtual Store)
#[tokio::test]
async fn applying_makes_directories_below_as_they_are_above() {
    let edits: [&[(&str, Value)]; 6] = [
        // Deleted.
        &[("delete", json!({ "path": "/scratch/src", "recursive": true }))],
        // Deleted, and another one with one of the same names in its place.
        &[
            ("delete", json!({ "path": "/scratch/src", "recursive": true })),
            ("write", json!({ "path": "/scratch/src/m.rs", "content": "other\n" })),
            ("mkdir", json!({ "path": "/scratch/src/deep" })),
        ],
        // The same, deleted once more.
        &[
            ("delete", json!({ "path": "/scratch/src", "recursive": true })),
            ("mkdir", json!({ "path": "/scratch/src" })),
            ("delete", json!({ "path": "/scratch/src", "recursive": true })),
        ],
        // A file in the place of a directory, and a directory in that of a file.
        &[
            ("delete", json!({ "path": "/scratch/src", "recursive": true })),
            ("write", json!({ "path": "/scratch/src", "content": "a file now\n" })),
            ("delete", json!({ "path": "/scratch/a.txt" })),
            ("write", json!({ "path": "/scratch/a.txt/b", "content": "b\n" })),
        ],
        // Moved, with what is in it.
        &[("move", json!({ "from": "/scratch/src", "to": "/scratch/lib/inner" }))],
        // Moved after something in it was edited.
        &[
            ("write", json!({ "path": "/scratch/src/deep/new.rs", "content": "new\n" })),
            ("delete", json!({ "path": "/scratch/src/m.rs" })),
            ("move", json!({ "from": "/scratch/src", "to": "/scratch/lib" })),
        ],
    ];
    for is_virtual in [false, true] {
        for edits in edits {
            let rig = Rig::over(is_virtual).await;
            let before = shown(&rig.operator, "/project").await;
            for (tool, arguments) in edits {
                rig.call(tool, arguments.clone()).await;
            }
            let above = shown(&rig.agent, "/scratch").await;
            assert_ne!(above, before, "{edits:?}");
            assert_eq!(before, shown(&rig.operator, "/project").await, "{edits:?}");
            let applied = rig.overlay.apply(&rig.operator, &everything()).await;
            assert!(applied.is_ok(), "virtual {is_virtual}, {edits:?}: {applied:?}");
            assert_eq!(above, shown(&rig.operator, "/project").await, "{edits:?}");
            assert_eq!(above, shown(&rig.agent, "/scratch").await, "{edits:?}");
            assert!(rig.overlay.diff().await.unwrap().is_empty());
        }
    }
}

#[tokio::test]
async fn a_directory_that_changed_below_since_it_was_deleted_above_is_a_conflict() {
    for is_virtual in [false, true] {
        for remade in [false, true] {
            let rig = Rig::over(is_virtual).await;
            rig.call("delete", json!({ "path": "/scratch/src", "recursive": true })).await;
            if remade {
                rig.call("mkdir", json!({ "path": "/scratch/src" })).await;
            }
            let newer = json!({ "path": "/project/src/deep/newer.rs", "content": "newer\n" });
            assert!(!rig.operator.call("write", newer).await.is_error());
            let before = shown(&rig.operator, "/project").await;
            let refused = rig.overlay.apply(&rig.operator, &everything()).await.unwrap_err();
            assert_eq!(refused.code(), Code::WorkspaceConflict, "{refused}");
            assert_eq!(before, shown(&rig.operator, "/project").await);
        }
    }
}

/// Something that happens in a directory of the machine.
type Act = fn(&Path);

// shows in part: WS-059 (a directory is a conflict whatever changed in it)
#[tokio::test]
async fn a_directory_is_a_conflict_whatever_changed_in_it() {
    let add_odd: Act = |at| fs::write(at.join(OsStr::from_bytes(b"odd\xff")), "odd\n").unwrap();
    // What is there at first, and what somebody makes of it after the agent deleted the directory.
    let cases: [(&str, Act, Act); 6] = [
        (
            "a file without a digest",
            |at| {
                let file = File::create(at.join("large")).unwrap();
                file.set_len(70 << 20).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            },
            |at| {
                let file = OpenOptions::new().write(true).open(at.join("large")).unwrap();
                file.write_all_at(b"x", 1 << 20).unwrap();
            },
        ),
        ("a name that cannot be used", |_| {}, add_odd),
        ("a name that is hidden", |_| {}, |at| fs::write(at.join(".env"), "KEY=2\n").unwrap()),
        (
            "where a link leads",
            |at| symlink("here", at.join("link")).unwrap(),
            |at| {
                fs::remove_file(at.join("link")).unwrap();
                symlink("there", at.join("link")).unwrap();
            },
        ),
        (
            "a file that is a program now",
            |_| {},
            |at| fs::set_permissions(at.join("old.rs"), fs::Permissions::from_mode(0o755)).unwrap(),
        ),
        ("a file", |_| {}, |at| fs::write(at.join("old.rs"), "new\n").unwrap()),
    ];
    let mut wrong = Vec::new();
    for (what, first, then) in cases {
        let rig = Rig::over(false).await;
        let deep = rig.directory.path().join("src/deep");
        first(&deep);
        rig.call("delete", json!({ "path": "/scratch/src", "recursive": true })).await;
        then(&deep);
        let differences = rig.overlay.diff().await.unwrap();
        assert!(differences.iter().all(|one| one.changed_below), "{what}");
        let refused = rig.overlay.apply(&rig.operator, &everything()).await;
        let code = refused.as_ref().err().map(piton_workspaces::Error::code);
        if code != Some(Code::WorkspaceConflict) || !deep.join("old.rs").exists() {
            wrong.push(what);
        }
        // As it was before, it goes.
        let rig = Rig::over(false).await;
        first(&rig.directory.path().join("src/deep"));
        rig.call("delete", json!({ "path": "/scratch/src", "recursive": true })).await;
        let applied = rig.overlay.apply(&rig.operator, &everything()).await.unwrap();
        assert_eq!((applied.paths.len(), applied.stopped), (1, None), "{what}");
        assert!(!rig.directory.path().join("src").exists(), "{what}");
    }
    assert_eq!(wrong, [""; 0]);
    // What nobody could compare later is not deleted in the first place.
    let rig = Rig::over(false).await;
    add_odd(&rig.directory.path().join("src/deep"));
    let delete = json!({ "path": "/scratch/src", "recursive": true });
    let refused = rig.agent.call("delete", delete).await;
    assert_eq!(refused.error.unwrap().code(), Code::WorkspaceHidden, "{}", refused.text);
}

// shows in part: WS-059 (a directory that changes at the last moment)
#[tokio::test]
async fn a_directory_that_changes_before_it_is_gone_stays_where_it_is() {
    let changes: [Act; 4] = [
        |at| fs::write(at.join("deep/old.rs"), "newer\n").unwrap(),
        |at| fs::write(at.join("deep/newer.rs"), "newer\n").unwrap(),
        |at| fs::write(at.join(OsStr::from_bytes(b"odd\xff")), "odd\n").unwrap(),
        |at| fs::remove_file(at.join("m.rs")).unwrap(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let rig = Rig::over(false).await;
        let store = physical(rig.directory.path(), PhysicalOptions::default());
        let mask = Arc::new(Mask::default());
        let path: MountPath = "src".parse().unwrap();
        let expected = Expected::Digest(Digest::of(&FileBytes(b"")));
        let delete = FileChange::Delete { path, recursive: true, expected, mask };
        let prepared = store.prepare(delete).await.unwrap();
        change(&rig.directory.path().join("src"));
        let before = tree(rig.directory.path());
        assert_eq!(prepared.commit().await, Err(StoreFault::Raced), "{number}");
        assert_eq!(tree(rig.directory.path()), before, "{number}");
    }
}

#[tokio::test]
async fn a_directory_that_holds_something_hidden_below_is_not_deleted_above() {
    let rig = Rig::over(false).await;
    let refused =
        rig.agent.call("delete", json!({ "path": "/scratch/secrets", "recursive": true })).await;
    assert_eq!(refused.error.unwrap().code(), Code::WorkspaceHidden);
}

#[tokio::test]
async fn a_directory_is_not_moved_into_itself_or_over_something() {
    let rig = Rig::over(true).await;
    for (to, code) in [
        ("/scratch/src/in", Code::WorkspaceNotDirectory),
        ("/scratch/kept", Code::WorkspaceExists),
        ("/scratch/a.txt", Code::WorkspaceExists),
        ("/scratch/src", Code::WorkspaceExists),
    ] {
        let refused = rig.agent.call("move", json!({ "from": "/scratch/src", "to": to })).await;
        assert_eq!(refused.error.unwrap().code(), code, "{to}");
    }
    assert!(rig.overlay.diff().await.unwrap().is_empty());
}

// A commit of a table happens whole or not at all, so a process that dies leaves everything at one of the two places.
#[tokio::test]
async fn a_move_is_one_commit_whatever_it_takes_along() {
    for is_virtual in [false, true] {
        for (from, to) in [
            ("/scratch/src", "/scratch/lib"),
            ("/scratch/src/deep", "/scratch/src/other/place"),
            ("/scratch/a.txt", "/scratch/kept/b.txt"),
        ] {
            let rig = Rig::over(is_virtual).await;
            rig.call("write", json!({ "path": "/scratch/src/deep/new.rs", "content": "new\n" }))
                .await;
            rig.call("delete", json!({ "path": "/scratch/kept/k.txt" })).await;
            let before = rig.commits.load(Ordering::Relaxed);
            rig.call("move", json!({ "from": from, "to": to })).await;
            assert_eq!(rig.commits.load(Ordering::Relaxed) - before, 1, "{from} to {to}");
            assert!(rig.agent.call("stat", json!({ "path": from })).await.is_error(), "{from}");
            assert!(!rig.agent.call("stat", json!({ "path": to })).await.is_error(), "{to}");
        }
    }
}

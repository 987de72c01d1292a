//! The file world that attacks are tried on, and what must hold after each.
//!
//! Inside the jail: `/home` read-only, `/home/src` read-write, `/home/src/inbox` write-only, all
//! physical; `/mem` read-write, `/drop` write-only, `/ref` read-only, all virtual. Outside: a secret
//! file, a sibling directory whose name begins like a Mount's, and other namespaces.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use piton_core::{
    TimestampMs,
    port::fixed::{ManualClock, SeededEntropy},
};
use piton_store::memory::{MemoryBlobs, MemoryTable};
use piton_workspaces::{
    Definition, Error, Files, Workspaces,
    path::MountPath,
    physical::{PhysicalOptions, PhysicalStore},
    store::{Change, Expected, Store},
    tools::Reply,
    virtual_store::{Namespace, VirtualPorts, VirtualStore},
};
use serde_json::{Value, json};

use crate::counting::Counting;

/// What must never be in a reply.
const CANARIES: [&str; 5] = ["CANARY-OUT", "CANARY-SIB", "CANARY-NS", "CANARY-WO-P", "CANARY-WO-V"];

pub(crate) struct World {
    pub(crate) files: Files,
    pub(crate) jail: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) calls: Arc<AtomicU64>,
    pub(crate) ports: VirtualPorts,
    directory: tempfile::TempDir,
}

pub(crate) fn memory_ports(seed: u64) -> VirtualPorts {
    let clock = Arc::new(ManualClock::new(TimestampMs(1_763_260_000_000)));
    VirtualPorts {
        table: Arc::new(MemoryTable::default()),
        blobs: Arc::new(MemoryBlobs::new(clock.clone())),
        clock,
        entropy: Arc::new(SeededEntropy::new(seed)),
    }
}

/// A directory in memory where the machine has one: syncs cost nothing there.
pub(crate) fn quick_directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn namespace(parts: &[&str]) -> Namespace {
    Namespace::new(parts.iter().copied()).unwrap()
}

pub(crate) fn definition(prefix: &str, scope: &str, store: Arc<dyn Store>) -> Definition {
    Definition {
        prefix: prefix.into(),
        scope: scope.into(),
        purpose: String::new(),
        deny: Vec::new(),
        store: Ok(store),
    }
}

pub(crate) fn physical(directory: &Path, options: PhysicalOptions) -> Arc<dyn Store> {
    let entropy = Arc::new(SeededEntropy::new(fs::metadata(directory).unwrap().ino()));
    Arc::new(PhysicalStore::open(directory, options, entropy).unwrap())
}

pub(crate) async fn put(store: &dyn Store, path: &str, bytes: &[u8]) {
    let path: MountPath = path.parse().unwrap();
    let change = Change::Write { path, bytes: bytes.into(), expected: Expected::Anything };
    store.prepare(change).await.unwrap().commit().await.unwrap();
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(PhysicalOptions::default(), &[]).await
    }

    /// A world whose Physical Stores have these options and whose `/home/src` hides these names.
    pub(crate) async fn with(options: PhysicalOptions, deny: &[&str]) -> Self {
        let directory = quick_directory();
        let (jail, outside) = (directory.path().join("J"), directory.path().join("O"));
        for (path, text) in [
            ("J/home/a.txt", "alpha\nbeta\n"),
            ("J/home/sub/b.txt", "bravo\n"),
            ("J/home/srcX/c.txt", "charlie\n"),
            ("J/home/src/shadow.txt", "SHADOW\n"),
            ("J/src/m.rs", "fn main() {}\n"),
            ("J/src/dup.txt", "x\nx\n"),
            ("J/inbox/old.txt", "CANARY-WO-P\n"),
            ("J/srcEvil/x.txt", "CANARY-SIB\n"),
            ("O/secret.txt", "CANARY-OUT\n"),
        ] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let ports = memory_ports(7);
        let of = |parts: &[&str]| VirtualStore::new(ports.clone(), &namespace(parts), None);
        put(&of(&["ws", "drop"]), "old", b"CANARY-WO-V\n").await;
        put(&of(&["ws", "ref"]), "guide.md", b"# Guide\n").await;
        put(&of(&["ws", "ab"]), "c", b"CANARY-NS\n").await;
        put(&of(&["ws", "a", "b"]), "c", b"CANARY-NS\n").await;
        let calls = Arc::new(AtomicU64::new(0));
        let counted =
            |store: Arc<dyn Store>| Arc::new(Counting::new(store, &calls)) as Arc<dyn Store>;
        let mount = |name: &str| counted(physical(&jail.join(name), options));
        let virtual_mount = |parts: &[&str]| counted(Arc::new(of(parts)));
        let mut src = definition("/home/src", "read-write", mount("src"));
        src.deny = deny.iter().map(|pattern| (*pattern).to_owned()).collect();
        let set = Workspaces::new(vec![
            definition("/home", "read-only", mount("home")),
            src,
            definition("/home/src/inbox", "write-only", mount("inbox")),
            definition("/mem", "read-write", virtual_mount(&["ws", "a"])),
            definition("/drop", "write-only", virtual_mount(&["ws", "drop"])),
            definition("/ref", "read-only", virtual_mount(&["ws", "ref"])),
        ]);
        let files = Files::new(Arc::new(set.unwrap()));
        Self { files, jail, outside, calls, ports, directory }
    }

    /// A path of the machine inside the jail.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.jail.join(path)
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.files.call(tool, arguments).await
    }

    /// Calls a tool and holds the world to what must be so whatever was called.
    pub(crate) async fn checked(&self, tool: &str, arguments: Value) -> Reply {
        let what: String = format!("{tool} {arguments}").chars().take(300).collect();
        let before = self.state().await;
        let descriptors = descriptors();
        self.calls.store(0, Ordering::Relaxed);
        let reply = self.call(tool, arguments).await;
        let asked = self.calls.load(Ordering::Relaxed);
        self.nothing_leaks(&what, &reply.text);
        let after = self.state().await;
        for part in ["O", "J/srcEvil", "J/home", "ref", "others"] {
            assert_eq!(before[part], after[part], "{what}: {part} changed");
        }
        if let Some(error) = &reply.error {
            assert_eq!(before, after, "{what}: a failed call changed something: {}", reply.text);
            let by_router = matches!(
                error,
                Error::Scope { .. }
                    | Error::Unmapped { .. }
                    | Error::Path { .. }
                    | Error::Hidden { .. }
            );
            if by_router {
                assert_eq!(asked, 0, "{what}: a Store was asked: {}", reply.text);
            }
        }
        let stray = |path: &&String| path.contains(".piton-");
        assert_eq!(
            tree(&self.jail).keys().find(stray),
            None,
            "{what}: an unfinished write is left"
        );
        assert!(descriptors_settled(descriptors) <= descriptors, "{what}: descriptors leaked");
        let alive = self.call("ls", json!({ "path": "/home" })).await;
        assert!(!alive.is_error(), "{what}: {}", alive.text);
        reply
    }

    /// Refuses a text for an agent that tells what is outside or where anything lies.
    pub(crate) fn nothing_leaks(&self, what: &str, text: &str) {
        for canary in CANARIES {
            assert!(!text.contains(canary), "{what}: told {canary}: {text}");
        }
        let directory = self.directory.path().to_str().unwrap();
        for host in [directory, "/proc", ".piton-", "srcEvil", "secret.txt", "os error"] {
            let told = text.contains(host) && !what.contains(host);
            assert!(!told, "{what}: told {host}: {text}");
        }
    }

    async fn state(&self) -> BTreeMap<&'static str, BTreeMap<String, String>> {
        let mut state = BTreeMap::new();
        state.insert("O", tree(&self.outside));
        for (name, mount) in
            [("J/srcEvil", "srcEvil"), ("J/home", "home"), ("J/src", "src"), ("J/inbox", "inbox")]
        {
            state.insert(name, tree(&self.at(mount)));
        }
        let of = |parts: &[&str]| VirtualStore::new(self.ports.clone(), &namespace(parts), None);
        state.insert("ref", virtual_tree(&of(&["ws", "ref"])).await);
        state.insert("mem", virtual_tree(&of(&["ws", "a"])).await);
        state.insert("drop", virtual_tree(&of(&["ws", "drop"])).await);
        let mut others = virtual_tree(&of(&["ws", "ab"])).await;
        others.extend(virtual_tree(&of(&["ws", "a", "b"])).await);
        state.insert("others", others);
        state
    }
}

/// Every path below a directory with its kind, permissions, time and content; links are not followed. A directory's
/// time is left out: a refused write makes and removes directories.
pub(crate) fn tree(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(path) = waiting.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(directory).unwrap().to_string_lossy().into_owned();
        let mode = metadata.mode();
        let content = if metadata.is_dir() {
            for entry in fs::read_dir(&path).into_iter().flatten() {
                waiting.push(entry.unwrap().path());
            }
            String::new()
        } else if metadata.is_file() {
            format!(
                "{:?}",
                fs::read(&path).map(|bytes| bytes.into_iter().take(4096).collect::<Vec<_>>()).ok()
            )
        } else if metadata.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else {
            String::new()
        };
        let (length, time) = if metadata.is_dir() {
            (0, (0, 0))
        } else {
            (metadata.len(), (metadata.mtime(), metadata.mtime_nsec()))
        };
        found.insert(name, format!("{mode:o} {length} {time:?} {content}"));
    }
    found
}

/// Every file of a Virtual Store with its content.
pub(crate) async fn virtual_tree(store: &dyn Store) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![MountPath::root()];
    while let Some(path) = waiting.pop() {
        for entry in store.list(path.clone()).await.unwrap().entries {
            let below = path.child(&entry.name).unwrap();
            let digest = store.stat(below.clone(), true).await.unwrap().digest;
            found.insert(below.to_string(), format!("{:?} {digest:?}", entry.kind));
            if digest.is_none() {
                waiting.push(below);
            }
        }
    }
    found
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// The number of descriptors once blocking work that was given up has ended.
fn descriptors_settled(expected: usize) -> usize {
    let mut found = descriptors();
    for _ in 0..1_000 {
        if found <= expected {
            break;
        }
        std::thread::yield_now();
        found = descriptors();
    }
    found
}

//! The file world that attacks are tried on.
//!
//! Inside the jail: `/home` read-only, `/home/src` read-write, `/home/src/inbox` write-only, all
//! physical; `/mem` read-write, `/drop` write-only, `/ref` read-only, all virtual. Outside: a secret
//! file, a sibling directory whose name begins like a Mount's, and other namespaces.

use std::fs;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::TimestampMs;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_store::memory::{MemoryBlobs, MemoryTable};
use piton_workspaces::Definition;
use piton_workspaces::path::MountPath;
use piton_workspaces::physical::{PhysicalOptions, PhysicalStore};
use piton_workspaces::store::{Expected, FileChange, Store};
use piton_workspaces::virtual_store::{VirtualNamespace, VirtualPorts, VirtualStore};

use crate::guarded::{Guarded, in_directory, in_store};

pub(crate) struct World {
    guarded: Guarded,
    pub(crate) jail: PathBuf,
    pub(crate) outside: PathBuf,
    _directory: tempfile::TempDir,
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

pub(crate) fn namespace(parts: &[&str]) -> VirtualNamespace {
    VirtualNamespace::new(parts.iter().copied()).unwrap()
}

pub(crate) fn definition(prefix: &str, scope: &str, store: Arc<dyn Store>) -> Definition {
    Definition {
        prefix: prefix.into(),
        scope: scope.into(),
        purpose: String::new(),
        deny: Vec::new(),
        writable: Vec::new(),
        reserved: Vec::new(),
        store: Ok(store),
    }
}

pub(crate) fn physical(directory: &Path, options: PhysicalOptions) -> Arc<dyn Store> {
    let entropy = Arc::new(SeededEntropy::new(fs::metadata(directory).unwrap().ino()));
    Arc::new(PhysicalStore::open(directory, options, entropy).unwrap())
}

pub(crate) async fn put(store: &dyn Store, path: &str, bytes: &[u8]) {
    let path: MountPath = path.parse().unwrap();
    let expected = Expected::Anything;
    let change = FileChange::Write { path, bytes: bytes.into(), expected, executable: None };
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
        let mount = |prefix, scope, name| in_directory(prefix, scope, &jail.join(name), options);
        let kept = |prefix, scope, name| in_store(prefix, scope, Arc::new(of(&["ws", name])));
        let laid = vec![
            mount("/home", "read-only", "home"),
            mount("/home/src", "read-write", "src").hiding(deny),
            mount("/home/src/inbox", "write-only", "inbox"),
            kept("/mem", "read-write", "a"),
            kept("/drop", "write-only", "drop"),
            kept("/ref", "read-only", "ref"),
        ];
        let guarded = Guarded::new(Some(directory.path()), laid)
            .beside_directory(&outside)
            .beside_directory(&jail.join("srcEvil"))
            .beside_store("ws ab", Arc::new(of(&["ws", "ab"])))
            .beside_store("ws a b", Arc::new(of(&["ws", "a", "b"])));
        Self { guarded, jail, outside, _directory: directory }
    }

    /// A path of the machine inside the jail.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.jail.join(path)
    }
}

/// A world is first of all what is attacked.
impl Deref for World {
    type Target = Guarded;

    fn deref(&self) -> &Guarded {
        &self.guarded
    }
}

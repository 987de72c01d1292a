//! Changes, as the kernel reports them and as they are found by looking.

use std::fs;
use std::time::Duration;

use piton_store::StreamId;
use piton_store::local::{
    DataDir, LocalCache, LocalChanges, LocalTable, LogJournal, SegmentedJournal, WatchedPlace,
};
use piton_store::memory::MemoryChanges;
use piton_store::port::{
    Cache, CacheKey, Change, ChangeHint, ChangedPart, Changes, Expect, Journal, Key, Table as _,
    TableWrite,
};
use piton_store::testing::contract::changes::{ChangesRig, suite};
use piton_store::testing::{Sample, sample_plan};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::site::open;

struct InMemory(MemoryChanges);

impl ChangesRig for InMemory {
    fn changes(&self) -> &dyn Changes {
        &self.0
    }

    async fn make_change(&self, part: ChangedPart, name: &str) {
        self.0.report(&ChangeHint { part, name: Some(name.to_owned()), cursor: None });
    }
}

struct OnDisk {
    root: TempDir,
    dir: DataDir,
    changes: LocalChanges,
    sessions: SegmentedJournal<Sample>,
    backpacks: LogJournal<Sample>,
}

impl OnDisk {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let dir = DataDir::open(&root.path().join("data")).unwrap();
        let (workflows, config) = (root.path().join("workflows"), root.path().join("config"));
        fs::create_dir_all(&workflows).unwrap();
        fs::create_dir_all(&config).unwrap();
        let places = vec![
            WatchedPlace { part: ChangedPart::Workflows, directory: workflows, file: None },
            WatchedPlace {
                part: ChangedPart::Settings,
                directory: config,
                file: Some("config.toml".to_owned()),
            },
        ];
        Self {
            changes: LocalChanges::new(dir.clone(), places),
            sessions: open(dir.clone(), SegmentedJournal::sessions),
            backpacks: open(dir.clone(), LogJournal::backpacks),
            root,
            dir,
        }
    }

    fn without_kernel() -> Self {
        let made = Self::new();
        Self { changes: made.changes.clone().without_kernel(), ..made }
    }
}

async fn append(journal: &impl Journal<Sample>, stream: &str) {
    let stream: StreamId = stream.parse().unwrap();
    let lease = journal.lease(&stream).await.unwrap();
    let next = lease.next_event().get();
    let plan = sample_plan(&stream, next, 2, &format!("p{next}"));
    journal.append(&lease.writer(), plan).await.unwrap();
}

impl ChangesRig for OnDisk {
    fn changes(&self) -> &dyn Changes {
        &self.changes
    }

    async fn make_change(&self, part: ChangedPart, name: &str) {
        match part {
            ChangedPart::Session => append(&self.sessions, name).await,
            ChangedPart::Backpack => append(&self.backpacks, name).await,
            ChangedPart::Table => {
                let table = LocalTable::open(&self.dir, &"any".parse().unwrap()).unwrap();
                let key = Key::from(name.as_bytes());
                let write = TableWrite::put(key, Expect::Anything, b"value".to_vec());
                table.commit(vec![write]).await.unwrap();
            }
            ChangedPart::Workflows => {
                fs::write(self.root.path().join("workflows").join(name), name).unwrap();
            }
            ChangedPart::Settings => {
                fs::write(self.root.path().join("config/config.toml"), name).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn the_changes_in_memory_keep_their_promise() {
    suite(async || InMemory(MemoryChanges::new())).await;
}

#[tokio::test]
async fn the_changes_on_disk_keep_their_promise() {
    suite(async || OnDisk::new()).await;
}

#[tokio::test]
async fn the_changes_on_disk_keep_their_promise_without_the_kernel() {
    suite(async || OnDisk::without_kernel()).await;
}

#[tokio::test]
async fn what_is_cached_beside_a_stream_and_other_files_of_a_place_are_no_change() {
    let rig = OnDisk::new();
    append(&rig.sessions, "one").await;
    let mut watch = rig.changes.watch().await.unwrap();
    let key = CacheKey {
        stream: "one".parse().unwrap(),
        projection: "summary".parse().unwrap(),
        version: 1,
    };
    let cache = LocalCache::new(rig.dir.clone());
    for number in 0..5_u8 {
        cache.put(&key, vec![number; 100]).await.unwrap();
    }
    fs::write(rig.root.path().join("config/other.toml"), "x").unwrap();
    let heard = timeout(Duration::from_millis(500), watch.next()).await;
    assert!(heard.is_err(), "{heard:?}");
}

#[tokio::test]
async fn one_append_to_a_run_is_one_hint() {
    let rig = OnDisk::new();
    append(&rig.sessions, "one").await;
    let mut watch = rig.changes.watch().await.unwrap();
    append(&rig.sessions, "one").await;
    let mut heard = Vec::new();
    while let Ok(change) = timeout(Duration::from_millis(500), watch.next()).await {
        heard.push(change.unwrap());
    }
    let name = Some("one".to_owned());
    let hint = ChangeHint { part: ChangedPart::Session, name, cursor: None };
    assert!(!heard.is_empty() && heard.iter().all(|change| *change == Change::Hint(hint.clone())));
}

#[tokio::test]
async fn a_session_that_is_deleted_is_reported() {
    for rig in [OnDisk::new(), OnDisk::without_kernel()] {
        append(&rig.sessions, "gone").await;
        let mut watch = rig.changes.watch().await.unwrap();
        let lease = rig.sessions.lease(&"gone".parse().unwrap()).await.unwrap();
        rig.sessions.delete(lease).await.unwrap();
        let heard = timeout(Duration::from_secs(10), watch.next()).await.unwrap().unwrap();
        let Change::Hint(hint) = heard else { panic!("{heard:?}") };
        assert_eq!((hint.part, hint.name.as_deref()), (ChangedPart::Session, Some("gone")));
    }
}

#[tokio::test]
async fn a_data_directory_that_goes_away_and_comes_back_is_a_loss_each_time() {
    for machine in [OnDisk::new(), OnDisk::without_kernel()] {
        append(&machine.sessions, "one").await;
        let mut watch = machine.changes.watch().await.unwrap();
        let mut is_lost = async || {
            let lost = async { while watch.next().await.unwrap() != Change::Lost {} };
            timeout(Duration::from_secs(20), lost).await.is_ok()
        };
        let (there, away) = (machine.root.path().join("data"), machine.root.path().join("away"));
        fs::rename(&there, &away).unwrap();
        assert!(is_lost().await, "it went away");
        fs::rename(&away, &there).unwrap();
        assert!(is_lost().await, "it came back");
        append(&machine.sessions, "one").await;
        let heard = timeout(Duration::from_secs(20), watch.next()).await.unwrap().unwrap();
        let Change::Hint(hint) = heard else { panic!("{heard:?}") };
        assert_eq!((hint.part, hint.name.as_deref()), (ChangedPart::Session, Some("one")));
    }
}

//! The backpack that an agent is attached to.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, BackpackPorts, NodeId, NodeIdentity, Options};
use piton_core::port::NoTrace;
use piton_runtime::CallBasis;
use piton_runtime::backpack::request::{ListKeys, Pack, ShowHistory};
use piton_runtime::backpack::{Attached, CallerScope, SharedBackpacks};
use piton_runtime::bounds::STATE_TURN_WAIT;
use piton_store::StreamId;
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SystemClock, SystemEntropy,
};
use piton_store::port::Patience;
use piton_store::testing::{DiskCall, Recorder, SimDisk, WatchedJournal};
use tokio::time::Instant;

/// More commits than stay in memory.
const COMMITS: u64 = 10_001;

/// Where backpacks are kept; `hook` sees every call of their journal.
fn kept(
    root: &std::path::Path,
    hook: impl Fn(&'static str, &StreamId) + Send + Sync + 'static,
) -> JournalPorts {
    kept_in(DataDir::open(root).unwrap(), hook)
}

fn kept_in(
    dir: DataDir,
    hook: impl Fn(&'static str, &StreamId) + Send + Sync + 'static,
) -> JournalPorts {
    let blobs = LocalBlobs::new(dir.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    let journal = LogJournal::backpacks(dir, blobs.clone(), leases, Arc::new(NoTrace));
    let journal = WatchedJournal::new(Arc::new(journal), hook);
    let ports = BackpackPorts { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) };
    JournalPorts { journal: Arc::new(journal), blobs: Arc::new(blobs), ports }
}

fn me() -> CallerScope {
    CallerScope { agent: "me".to_owned(), provenance: None, narrowed: None }
}

#[test]
fn a_client_that_calls_itself_as_the_runner_of_flows_is_nobody() {
    let check = |client: &str, expected: &str| {
        let acting = CallerScope::new(None, Some(client.to_owned()), &CallBasis::default());
        assert_eq!(acting.agent, expected, "{client:?}");
    };
    check("claude", "claude");
    check("flows", "flows");
    check("flow", "agent");
    check(" fl\now\t", "agent");
    let configured = NodeId::parse("flow").unwrap();
    let acting =
        CallerScope::new(Some(&configured), Some("claude".to_owned()), &CallBasis::default());
    assert_eq!(acting.agent, "agent", "nobody can be configured to be it either");
}

async fn attached(root: &std::path::Path) -> Attached {
    let ports = kept(root, |_, _| {});
    let id: BackpackId = "pack_a".parse().unwrap();
    let holder = Holder::new("a test").unwrap();
    let opened =
        JournaledBackpack::open(&id, holder, Mode::Buffered, Options::default(), ports.clone());
    let backpack = opened.await.unwrap().backpack;
    let scope = |node: &str| backpack.scope(NodeIdentity::new(node, node).unwrap(), None).unwrap();
    scope("first").pack("old", &1).unwrap().done().unwrap();
    let busy = scope("busy");
    for number in 1..COMMITS {
        busy.pack("x", &number).unwrap().done().unwrap();
    }
    backpack.close().await.unwrap();
    Attached::new(SharedBackpacks::default().get(&id, &ports), None)
}

#[tokio::test]
async fn a_page_of_history_ends_where_memory_does_unless_it_would_be_short() {
    let root = tempfile::tempdir().unwrap();
    let attached = attached(root.path()).await;
    let acting = me();
    let shown = attached.history(&acting, &ShowHistory::default()).await.unwrap();
    let newest: Vec<&str> = shown.commits.iter().map(|line| line.commit.as_str()).collect();
    assert_eq!((newest.len(), newest[0], newest[49]), (50, "c2710", "c26df"));
    let unread = shown.unread.unwrap();
    assert_eq!(shown.left_out as u64 + 50 + unread, COMMITS);
    let end = format!(
        "and {} older; {unread} commits before them were not looked at. Ask with a `key` or `by`.",
        shown.left_out
    );
    assert_eq!(shown.text().lines().last(), Some(end.as_str()));
    // What lies before is found where the page has room for it, and everything is counted then.
    for asked in [
        ShowHistory { key: Some("old".to_owned()), by: None },
        ShowHistory { key: None, by: Some("first".to_owned()) },
    ] {
        let shown = attached.history(&acting, &asked).await.unwrap();
        assert_eq!((shown.commits.len(), shown.left_out, shown.unread), (1, 0, None));
        assert_eq!(shown.commits[0].commit, "c0");
    }
}

#[tokio::test]
async fn packs_that_are_under_way_together_share_turns_and_appends() {
    const PACKS: usize = 64;
    let root = tempfile::tempdir().unwrap();
    let appends = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&appends);
    let ports = kept(root.path(), move |method, _| {
        count.fetch_add(usize::from(method == "append"), Ordering::Relaxed);
    });
    let (id, shared) = ("pack_b".parse().unwrap(), SharedBackpacks::default());
    // Two connections of one process.
    let attached = [(); 2].map(|()| Attached::new(shared.get(&id, &ports), None));
    let mut packs = tokio::task::JoinSet::new();
    for number in 0..PACKS {
        let attached = attached[number % 2].clone();
        packs.spawn(async move {
            let (key, value, tags) = (format!("k{number}"), number.into(), Vec::new());
            attached.pack(&me(), &Pack { key, value, tags }).await.unwrap().commit
        });
    }
    let mut commits: Vec<String> = packs.join_all().await;
    commits.sort_unstable();
    commits.dedup();
    assert_eq!(commits.len(), PACKS, "each has a commit of its own");
    let appends = appends.load(Ordering::Relaxed);
    assert!(appends <= PACKS / 4, "{appends} appends for {PACKS} packs");
    // All of it is on disk, for another process as well.
    let ports = kept(root.path(), |_, _| {});
    let other = Attached::new(SharedBackpacks::default().get(&id, &ports), None);
    let listed = other.keys(&me(), &ListKeys::default()).await.unwrap();
    assert_eq!(listed.keys.len() + listed.left_out, PACKS);
}

fn pack(key: &str) -> Pack {
    Pack { key: key.to_owned(), value: 1.into(), tags: Vec::new() }
}

/// The call that is given up has an append at the disk, which takes its time and ends. The next call waits for that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_given_up_while_it_writes_leaves_the_backpack_to_the_next_one() {
    const SLOW: Duration = Duration::from_millis(300);
    let (reached, is_reached) = mpsc::channel();
    let (_ever, never) = mpsc::channel::<()>();
    let slow = Mutex::new((reached, never));
    let is_slow = Arc::new(AtomicBool::new(false));
    let slowly = Arc::clone(&is_slow);
    let listener = move |call: &DiskCall| {
        let is_append = call.operation == "sync" && call.path.ends_with("log");
        if is_append && slowly.swap(false, Ordering::SeqCst) {
            let (reached, never) = &*slow.lock().unwrap();
            reached.send(()).unwrap();
            let _ = never.recv_timeout(SLOW);
        }
    };
    let disk = Recorder::with_listener(Arc::new(SimDisk::new()), Arc::new(listener));
    let dir = DataDir::on(Arc::new(disk), Path::new("/")).unwrap();
    let ports = kept_in(dir, |_, _| {});
    let id = "pack_c".parse().unwrap();
    let attached = Attached::new(SharedBackpacks::default().get(&id, &ports), None);
    attached.pack(&me(), &pack("first")).await.unwrap();
    is_slow.store(true, Ordering::SeqCst);
    let given_up = tokio::spawn({
        let attached = attached.clone();
        async move { attached.pack(&me(), &pack("given up")).await.map(drop) }
    });
    tokio::task::block_in_place(|| is_reached.recv().unwrap());
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    attached.pack(&me(), &pack("next")).await.unwrap();
    let listed = attached.keys(&me(), &ListKeys::default()).await.unwrap();
    assert_eq!(listed.keys.len(), 3, "what was under way has ended");
}

#[tokio::test(start_paused = true)]
async fn calls_that_wait_for_a_turn_one_behind_the_other_wait_no_longer_together_than_one_does() {
    let root = tempfile::tempdir().unwrap();
    let ports = kept(root.path(), |_, _| {});
    let id = "pack_d".parse().unwrap();
    // Somebody else has it for good.
    let _held = kept(root.path(), |_, _| {}).lease(&id, Patience::FailFast).await.unwrap();
    let attached = Attached::new(SharedBackpacks::default().get(&id, &ports), None);
    let began = Instant::now();
    let mut packs = tokio::task::JoinSet::new();
    for number in 0..4 {
        let attached = attached.clone();
        packs.spawn(async move {
            let refused = attached.pack(&me(), &pack(&number.to_string())).await.err();
            (refused.expect("nobody gets a turn").code, began.elapsed())
        });
    }
    for (code, waited) in packs.join_all().await {
        assert_eq!(code, piton_core::Code::StoreBusy);
        assert!(waited < STATE_TURN_WAIT + Duration::from_secs(1), "{waited:?}");
    }
}

/// The call that is given up has begun to open the backpack, which takes its time and ends. What it read is not lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_given_up_while_it_opens_leaves_what_it_read_to_the_next_one() {
    let root = tempfile::tempdir().unwrap();
    let (reached, is_reached) = mpsc::channel();
    let (open, is_open) = mpsc::channel::<()>();
    let gate = Mutex::new((reached, is_open));
    let (reads, is_slow) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (counted, slowly) = (Arc::clone(&reads), Arc::clone(&is_slow));
    let ports = kept(root.path(), move |asked, _| {
        if !asked.starts_with("load") {
            return;
        }
        counted.fetch_add(1, Ordering::SeqCst);
        if slowly.swap(false, Ordering::SeqCst) {
            let (reached, is_open) = &*gate.lock().unwrap();
            reached.send(()).unwrap();
            is_open.recv().unwrap();
        }
    });
    let id = "pack_e".parse().unwrap();
    let attach = || Attached::new(SharedBackpacks::default().get(&id, &ports), None);
    attach().pack(&me(), &pack("of another process")).await.unwrap();
    reads.store(0, Ordering::SeqCst);
    is_slow.store(true, Ordering::SeqCst);
    let attached = attach();
    let given_up = tokio::spawn({
        let attached = attached.clone();
        async move { attached.pack(&me(), &pack("given up")).await.map(drop) }
    });
    tokio::task::block_in_place(|| is_reached.recv().unwrap());
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    open.send(()).unwrap();
    // The lease is free when what was read has been kept.
    attached.pack(&me(), &pack("next")).await.unwrap();
    assert_eq!(reads.load(Ordering::SeqCst), 1, "it is read from its beginning once");
}

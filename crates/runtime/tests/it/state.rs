//! The backpack that an agent is attached to.

use std::sync::Arc;

use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, Identity, Options, Ports};
use piton_core::port::NoTrace;
use piton_runtime::state::request::ShowHistory;
use piton_runtime::state::{Acting, Attached, SharedBackpacks};
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SystemClock, SystemEntropy,
};
use piton_store::port::Leases;

/// More commits than stay in memory.
const COMMITS: u64 = 10_001;

async fn attached(root: &std::path::Path) -> Attached {
    let dir = DataDir::open(root).unwrap();
    let blobs = LocalBlobs::new(dir.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    let journal = LogJournal::backpacks(dir, blobs.clone(), leases.clone(), Arc::new(NoTrace));
    let ports = Ports { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) };
    let ports = JournalPorts { journal: Arc::new(journal), blobs: Arc::new(blobs), ports };
    let id: BackpackId = "pack_a".parse().unwrap();
    let holder = Holder::new("a test").unwrap();
    let opened =
        JournaledBackpack::open(&id, holder, Mode::Buffered, Options::default(), ports.clone());
    let backpack = opened.await.unwrap().backpack;
    let scope = |node: &str| backpack.scope(Identity::new(node, node).unwrap(), None).unwrap();
    scope("first").pack("old", &1).await.unwrap().done().unwrap();
    let busy = scope("busy");
    for number in 1..COMMITS {
        busy.pack("x", &number).await.unwrap().done().unwrap();
    }
    backpack.close().await.unwrap();
    let leases: Arc<dyn Leases> = Arc::new(leases);
    Attached::new(SharedBackpacks::default().get(&id, &ports, &leases), None)
}

#[tokio::test]
async fn a_page_of_history_ends_where_memory_does_unless_it_would_be_short() {
    let root = tempfile::tempdir().unwrap();
    let attached = attached(root.path()).await;
    let acting = Acting { agent: "me".to_owned(), provenance: None, narrowed: None };
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

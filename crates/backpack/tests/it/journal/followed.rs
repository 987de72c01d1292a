//! A backpack that several processes write to in turns, each of which keeps what it knows in between.

use std::sync::Arc;

use piton_backpack::journal::{Followed, JournaledBackpack, Mode};
use piton_backpack::{Backpack, Error, Options};
use piton_store::local::disk::Disk;
use piton_store::port::{Journal as _, JournalReader as _, Patience};
use piton_store::testing::{Recorder, SimDisk};

use super::site::{Site, assert_same, commits, holder, node, pack_id, saved};

async fn find(site: &Site) -> Followed {
    Followed::find(&pack_id(), Options::default(), site.ports.clone()).await.unwrap()
}

async fn opened_by(site: &Site, followed: Followed, who: &str) -> JournaledBackpack {
    let lease = site.ports.lease(&pack_id(), Patience::FailFast).await.unwrap();
    followed.open(lease, holder(who), Mode::Buffered).await.unwrap()
}

/// The backpack as a process sees it that knows nothing.
async fn fresh(disk: &Arc<dyn Disk>) -> Backpack {
    let site = Site::on(Arc::clone(disk), 9);
    let ports = site.ports.ports.clone();
    piton_backpack::journal::read(&site.journal, &site.blobs, &pack_id(), ports).await.unwrap().0
}

/// How many events its stream holds.
async fn events(site: &Site) -> usize {
    site.journal.load(pack_id().stream()).await.unwrap().events.len()
}

#[tokio::test]
async fn processes_that_take_turns_each_see_what_the_other_wrote_and_lose_nothing() {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    let sites = [Site::on(Arc::clone(&disk), 1), Site::on(Arc::clone(&disk), 2)];
    let mut kept = [Some(find(&sites[0]).await), Some(find(&sites[1]).await)];
    let long = "long ".repeat(40_000);
    for round in 0..12_usize {
        let place = usize::from(round % 3 == 0);
        let backpack =
            opened_by(&sites[place], kept[place].take().unwrap(), &format!("process {place}"))
                .await;
        let scope = node(&backpack, &format!("n{place}"));
        if let Some(last) = round.checked_sub(1) {
            assert_eq!(scope.unpack::<usize>("round").unwrap(), Some(last));
        }
        saved(&scope, scope.pack("round", &round)).await;
        match round % 4 {
            0 => saved(&scope, scope.pack("long", &format!("{round} {long}"))).await,
            1 => {
                let found = scope.unpack_required::<String>("long").unwrap();
                saved(&scope, scope.quarantine("long", &found[..2])).await
            }
            _ => saved(&scope, scope.pack(&format!("k{round}"), &round)).await,
        };
        kept[place] = Some(backpack.close_and_follow().await.unwrap().0);
        for (site, followed) in sites.iter().zip(&mut kept) {
            let followed = followed.as_mut().unwrap();
            followed.catch_up().await.unwrap();
            let (state, whole) = (followed.state(), fresh(&disk).await);
            assert_eq!(state.debug().items(), whole.debug().items(), "round {round}");
            assert_eq!(state.debug().quarantined(), whole.debug().quarantined(), "round {round}");
            assert!(commits(&state).is_empty(), "its history is its own");
            assert_eq!(events(site).await as u64, events(&sites[0]).await as u64);
        }
    }
    let [one, _] = kept;
    let backpack = opened_by(&sites[0], one.unwrap(), "process 0").await;
    assert_same(backpack.memory(), &fresh(&disk).await);
}

#[tokio::test]
async fn that_it_was_opened_is_recorded_once_until_somebody_else_opens_it() {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    let (one, two) = (Site::on(Arc::clone(&disk), 1), Site::on(Arc::clone(&disk), 2));
    let mut followed = find(&one).await;
    for (expected, who) in [(1, "a"), (1, "a"), (1, "a"), (2, "b"), (3, "a"), (3, "a")] {
        let site = if who == "a" { &one } else { &two };
        let backpack = if who == "a" {
            opened_by(site, followed, who).await
        } else {
            opened_by(site, find(site).await, who).await
        };
        followed = backpack.close_and_follow().await.unwrap().0;
        assert_eq!(events(site).await, expected, "{who}");
        if who == "b" {
            followed = find(&one).await;
        }
    }
}

#[tokio::test]
async fn catching_up_with_nothing_reads_nothing_and_leaves_no_trace() {
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = opened_by(&site, find(&site).await, "a").await;
    for count in 0..500 {
        saved(&node(&backpack, "n"), node(&backpack, "n").pack("x", &count)).await;
    }
    let mut followed = backpack.close_and_follow().await.unwrap().0;
    recorder.take();
    followed.catch_up().await.unwrap();
    assert_eq!(followed.state().debug().peek::<u32>("x").unwrap(), Some(499));
    let calls = recorder.take();
    let read: usize =
        calls.iter().filter(|call| call.operation == "read").map(|call| call.bytes).sum();
    assert_eq!(read, 0, "{calls:?}");
    assert!(calls.iter().all(|call| !["write", "sync"].contains(&call.operation)), "{calls:?}");
    let backpack = opened_by(&site, followed, "a").await;
    assert_eq!(node(&backpack, "n").unpack::<u32>("x").unwrap(), Some(499));
}

#[tokio::test]
async fn what_happened_lately_is_shown_from_memory_and_what_lies_before_is_counted() {
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let disk: Arc<dyn Disk> = Arc::new(recorder.clone());
    let site = Site::on(Arc::clone(&disk), 1);
    let backpack = opened_by(&site, find(&site).await, "a").await;
    for count in 0..300 {
        saved(&node(&backpack, "n"), node(&backpack, "n").pack("x", &count)).await;
    }
    backpack.close().await.unwrap();
    let whole = commits(&fresh(&disk).await);
    for (max_history, is_whole) in [(10_000, true), (200, false)] {
        let options = Options { max_history, ..Options::default() };
        let mut followed = Followed::find(&pack_id(), options, site.ports.clone()).await.unwrap();
        recorder.take();
        followed.catch_up().await.unwrap();
        let (recent, older) = followed.recent();
        assert!(recorder.take().iter().all(|call| call.operation != "read" || call.bytes == 0));
        let (shown, older) = (commits(&recent), usize::try_from(older).unwrap());
        assert_eq!((shown.len() + older, older == 0), (300, is_whole));
        assert_eq!(shown, whole[older..]);
        assert_eq!(recent.debug().peek::<u32>("x").unwrap(), Some(299));
    }
}

#[tokio::test]
async fn a_stream_that_was_removed_or_made_anew_is_read_from_the_beginning() {
    let site = Site::on(Arc::new(SimDisk::new()), 1);
    let backpack = opened_by(&site, find(&site).await, "a").await;
    saved(&node(&backpack, "n"), node(&backpack, "n").pack("old", &1)).await;
    let mut followed = backpack.close_and_follow().await.unwrap().0;
    let lease = site.journal.lease(pack_id().stream()).await.unwrap();
    site.journal.delete(lease).await.unwrap();
    followed.catch_up().await.unwrap();
    assert!(followed.state().debug().keys().is_empty());
    let other = opened_by(&site, find(&site).await, "b").await;
    saved(&node(&other, "n"), node(&other, "n").pack("new", &1)).await;
    other.close().await.unwrap();
    followed.catch_up().await.unwrap();
    let keys = followed.state().debug().keys();
    assert_eq!(keys.iter().map(ToString::to_string).collect::<Vec<_>>(), ["new"]);
}

#[tokio::test]
async fn while_somebody_holds_it_opening_is_refused_by_name_and_looking_is_not() {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    let (one, two) = (Site::on(Arc::clone(&disk), 1), Site::on(disk, 2));
    let held = opened_by(&one, find(&one).await, "the first").await;
    saved(&node(&held, "n"), node(&held, "n").pack("x", &1)).await;
    held.flush().await.unwrap();
    let mut followed = find(&two).await;
    followed.catch_up().await.unwrap();
    assert_eq!(followed.state().debug().peek::<u32>("x").unwrap(), Some(1));
    match two.ports.lease(&pack_id(), Patience::FailFast).await {
        Err(Error::Locked { holder, .. }) => assert_eq!(holder.as_deref(), Some("the first")),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("two writers"),
    }
}

/// A fork brings quarantined values along from commits of another backpack, whose numbers say nothing about its own.
#[tokio::test]
async fn large_values_in_quarantine_are_followed_in_a_fork_too() {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    let site = Site::on(Arc::clone(&disk), 1);
    let source = crate::rig::Rig::new();
    let a = source.node("a");
    for count in 0..50 {
        crate::rig::done(a.pack("x", &count));
    }
    crate::rig::done(a.quarantine_value("old", &"o".repeat(200_000), "why"));
    let ports = site.ports.clone();
    let (id, mode) = (pack_id(), Mode::Durable);
    let forked =
        JournaledBackpack::fork_from(&source.backpack, &id, holder("a fork"), mode, ports).await;
    let fork = forked.unwrap().backpack;
    let mut followed = find(&Site::on(disk, 2)).await;
    let b = node(&fork, "b");
    saved(&b, b.quarantine_value("new", &"n".repeat(200_000), "why")).await;
    followed.catch_up().await.unwrap();
    let entries = followed.state().debug().quarantined();
    let sizes = entries.iter().map(|entry| entry.value::<String>().unwrap().unwrap().len());
    assert_eq!(sizes.collect::<Vec<_>>(), [200_000, 200_000]);
}

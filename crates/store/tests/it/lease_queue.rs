//! Many callers of one process that wait for a lease, beside another process.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton_core::port::NoTrace;
use piton_store::LeaseName;
use piton_store::local::{DataDir, LocalLeases, SystemClock};
use piton_store::port::{Lease, Leases, Mode, Patience};
use tempfile::TempDir;

/// Longer than any healthy wait of these tests.
const LONG: Patience = Patience::Wait(Duration::from_mins(1));

fn name() -> LeaseName {
    "busy".parse().unwrap()
}

/// A process of its own, as far as leases are concerned: it shares nothing with others but the files.
fn process(root: &Path) -> LocalLeases {
    LocalLeases::new(DataDir::open(root).unwrap(), Arc::new(SystemClock), Arc::new(NoTrace))
}

async fn exclusive(leases: &LocalLeases) -> Lease {
    leases.acquire(&name(), Mode::Exclusive, LONG).await.unwrap()
}

/// The turn, if nobody waits at the files.
fn turn(root: &Path) -> Option<File> {
    let path = root.join("leases").join(format!("{}.turn", name()));
    let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(error)) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_with_many_callers_lets_another_one_have_its_turn() {
    let root = TempDir::new().unwrap();
    let (crowd, single) = (process(root.path()), process(root.path()));
    let held = exclusive(&crowd).await;
    let order = Arc::new(Mutex::new(String::new()));
    let wait = |leases: LocalLeases, letter: char| {
        let order = Arc::clone(&order);
        tokio::spawn(async move {
            let _lease = exclusive(&leases).await;
            order.lock().unwrap().push(letter);
        })
    };
    let mut waiting: Vec<_> = (0..20).map(|_| wait(crowd.clone(), 'c')).collect();
    waiting.push(wait(single, 's'));
    // Only the other process waits at the files; that it does is seen by its turn.
    while turn(root.path()).is_some() {
        tokio::task::yield_now().await;
    }
    drop(held);
    for task in waiting {
        task.await.unwrap();
    }
    let order = order.lock().unwrap();
    assert_eq!(order.len(), 21);
    assert!(order.starts_with('s'), "{order}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_is_dropped_keeps_nobody_waiting() {
    let root = TempDir::new().unwrap();
    let (one, other) = (process(root.path()), process(root.path()));
    let held = exclusive(&one).await;
    let at_the_files = tokio::spawn({
        let other = other.clone();
        async move { drop(exclusive(&other).await) }
    });
    while turn(root.path()).is_some() {
        tokio::task::yield_now().await;
    }
    let in_the_queue = tokio::spawn({
        let other = other.clone();
        async move { drop(exclusive(&other).await) }
    });
    for waiting in [at_the_files, in_the_queue] {
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
    }
    // The turn is free long before their patience ends, and so is the queue.
    while turn(root.path()).is_none() {
        tokio::task::yield_now().await;
    }
    drop(held);
    drop(exclusive(&other).await);
}

//! Many nodes at once.

use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Wake};

use piton_backpack::Scope;
use piton_store::testing::{DiskCall, Recorder, SimDisk};

use super::site::{Site, assert_same, commits, node, saved, try_saved};

// shows in part: BP-100 (the part about concurrent writes)
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writers_share_syncs_and_lose_nothing() {
    const WRITERS: usize = 8;
    const PACKS: usize = 250;
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = site.open().await;
    recorder.take();
    let mut writers = Vec::new();
    for number in 0..WRITERS {
        let a = node(&backpack, &format!("node-{number}"));
        writers.push(tokio::spawn(async move {
            for count in 0..PACKS {
                saved(&a, a.pack(&format!("key-{number}"), &count)).await;
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let syncs = recorder.take().iter().filter(|call| call.operation == "sync").count();
    assert!(syncs < WRITERS * PACKS, "{syncs} syncs");
    backpack.close().await.unwrap();
    let found = Site::on(Arc::new(recorder), 2).open().await;
    assert_same(backpack.memory(), found.memory());
    assert_eq!(commits(found.memory()).len(), WRITERS * PACKS);
}

/// Those who were woken together write together: after the first round, in which one goes ahead of the others, every
/// round of all writers is one sync.
// shows in part: BP-112 (the part that makes concurrent writers cheaper than as many alone)
#[tokio::test]
async fn writers_that_come_back_together_share_every_sync() {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 20;
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = site.open().await;
    recorder.take();
    let writers = (0..WRITERS).map(|number| {
        let node = node(&backpack, &format!("n{number}"));
        async move {
            for count in 0..ROUNDS {
                saved(&node, node.pack("x", &count)).await;
            }
        }
    });
    poll_together(writers);
    assert_eq!(commits(backpack.memory()).len(), WRITERS * ROUNDS);
    let syncs = recorder.take().iter().filter(|call| call.operation == "sync").count();
    assert!(syncs <= ROUNDS + 1, "{syncs} syncs for {ROUNDS} rounds");
}

/// Whether a task was woken since it was polled.
#[derive(Default)]
struct Woken {
    is_woken: Mutex<bool>,
    changed: Condvar,
}

impl Woken {
    fn wait(&self) {
        let is_woken = self.is_woken.lock().unwrap();
        *self.changed.wait_while(is_woken, |is_woken| !*is_woken).unwrap() = false;
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        *self.is_woken.lock().unwrap() = true;
        self.changed.notify_all();
    }
}

/// Runs tasks to their end, each polled only once all of them were woken: the disk answers from another thread, and no
/// scheduler parts those whom it wakes.
fn poll_together(tasks: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut running: Vec<_> = tasks.map(|task| (Box::pin(task), Arc::<Woken>::default())).collect();
    for (_, woken) in &running {
        woken.wake_by_ref();
    }
    while !running.is_empty() {
        for (_, woken) in &running {
            woken.wait();
        }
        running.retain_mut(|(task, woken)| {
            task.as_mut().poll(&mut Context::from_waker(&Arc::clone(woken).into())).is_pending()
        });
    }
}

/// Keeps syncs waiting while it is closed.
#[derive(Default)]
struct Gate {
    is_closed: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn set_closed(&self, is_closed: bool) {
        *self.is_closed.lock().unwrap() = is_closed;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let closed = self.is_closed.lock().unwrap();
        drop(self.changed.wait_while(closed, |is_closed| *is_closed).unwrap());
    }
}

// shows in part: BP-100 (the part about one sync for concurrent writes)
#[tokio::test]
async fn writes_that_wait_together_share_one_sync() {
    let gate = Arc::new(Gate::default());
    let guard = Arc::clone(&gate);
    let listener = move |call: &DiskCall| {
        if call.operation == "sync" {
            guard.pass();
        }
    };
    let recorder = Recorder::with_listener(Arc::new(SimDisk::new()), Arc::new(listener));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = site.open().await;
    recorder.take();
    let nodes: Vec<_> = (0..8).map(|number| node(&backpack, &format!("n{number}"))).collect();
    let pack = async |node: &Scope| try_saved(node, node.pack("x", &1)).await;
    let mut packs: Vec<_> = nodes.iter().map(|node| Box::pin(pack(node))).collect();
    gate.set_closed(true);
    for pack in &mut packs {
        assert!(futures_util::poll!(pack.as_mut()).is_pending());
    }
    gate.set_closed(false);
    for outcome in futures_util::future::join_all(packs).await {
        crate::rig::done(outcome);
    }
    let syncs = recorder.take().iter().filter(|call| call.operation == "sync").count();
    // The first lets the others go ahead before it writes, so nobody writes alone.
    assert_eq!(syncs, 1);
}

#[tokio::test]
async fn a_call_that_is_given_up_in_the_middle_loses_nothing() {
    for polls in 0..40 {
        let disk = SimDisk::new();
        let site = Site::on(Arc::new(disk.clone()), 1);
        let backpack = site.open().await;
        let a = node(&backpack, "a");
        saved(&a, a.pack("x", &1)).await;
        {
            let mut given_up = Box::pin(async { saved(&a, a.pack("x", &2)).await });
            for _ in 0..polls {
                if futures_util::poll!(given_up.as_mut()).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        saved(&a, a.pack("y", &3)).await;
        let memory = commits(backpack.memory());
        assert_eq!(memory.len(), if polls == 0 { 2 } else { 3 });
        backpack.close().await.unwrap();
        let found = Site::on(Arc::new(disk), 2).open().await;
        assert_eq!(commits(found.memory()), memory);
    }
}

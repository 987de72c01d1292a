//! Several calls at the same time, from one process and from several.

use std::path::Path;
use std::sync::{Arc, Mutex};

use piton_core::Code;
use piton_store::port::BoxFuture;
use piton_store::testing::WatchedJournal;
use piton_workflow::event::{EventBody, validate};
use piton_workflow::projection::SessionState;
use piton_workflow::session::{Checkpoint, Continue, Error, Reply, Sessions};
use piton_workflow::{EventKind, NodeKind};
use tokio::sync::Barrier;

use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, body, state};

/// One process for each of `count` tasks, or one for all of them.
fn processes(root: &Path, count: usize, is_shared: bool) -> Vec<Sessions> {
    let shared = Rig::local(root, 50).sessions;
    let process = |task: usize| {
        if is_shared {
            shared.clone()
        } else {
            Rig::local(root, 51 + u64::try_from(task).expect("it is small")).sessions
        }
    };
    (0..count).map(process).collect()
}

/// Makes one call from every process at the same time.
async fn at_once(processes: &[Sessions], request: &Continue) -> Vec<Result<Reply, Error>> {
    let barrier = Arc::new(Barrier::new(processes.len()));
    let mut tasks = Vec::new();
    for sessions in processes {
        let (sessions, barrier, request) =
            (sessions.clone(), Arc::clone(&barrier), request.clone());
        tasks.push(tokio::spawn(async move {
            barrier.wait().await;
            sessions.proceed(request).await
        }));
    }
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.expect("no call panics"));
    }
    answers
}

// shows in part: WR-084, WR-253 (one attempt, one branch)
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_with_one_token_at_the_same_time_are_one_advance() {
    for (count, is_shared) in [(2, false), (8, false), (2, true), (8, true)] {
        let dir = tempfile::tempdir().unwrap();
        let rig = Rig::local(dir.path(), 1);
        let steps = ["a", "b", "c", "d", "e", "f"].map(step);
        let first = rig.start(&workflow(&steps)).await;
        let session = first.body.run.session_id;
        let processes = processes(dir.path(), count, is_shared);
        let mut asked = first;
        for round in 1..=steps.len() {
            let request = ack(&asked, "Done.", vec![]);
            let answers = at_once(&processes, &request).await;
            let mut replies = Vec::new();
            for answer in answers {
                match answer {
                    Ok(reply) => replies.push(reply),
                    Err(error) => assert_eq!(error.code(), Code::TokenSessionLocked, "{error}"),
                }
            }
            assert!(!replies.is_empty(), "one of them had the lock");
            for sessions in &processes {
                replies.push(sessions.proceed(request.clone()).await.unwrap());
            }
            assert!(replies.iter().all(|reply| *reply == replies[0]), "one answer for all");
            let kinds = rig.kinds(session).await;
            let advances = kinds.iter().filter(|kind| **kind == EventKind::AdvanceRecorded);
            assert_eq!(advances.count(), round);
            asked = replies.swap_remove(0);
        }
        assert!(asked.body.is_complete);
        assert_eq!(validate(&rig.events(session).await), Ok(()));
    }
}

/// Makes a call until the session is free.
async fn until_free<T, F: Future<Output = Result<T, Error>>>(call: impl Fn() -> F) -> T {
    loop {
        match call().await {
            Err(error) if error.code() == Code::TokenSessionLocked => {
                tokio::task::yield_now().await;
            }
            answer => return answer.expect("it is answered"),
        }
    }
}

// shows: WR-253, WR-258
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_tokens_of_one_session_at_the_same_time_are_each_recorded_once() {
    for is_shared in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let rig = Rig::local(dir.path(), 1);
        let first = rig.start(&workflow(&[step("one"), step("two"), step("three")])).await;
        let second = rig.notes(&first, "One.").await;
        let mut tasks = Vec::new();
        for (task, sessions) in processes(dir.path(), 8, is_shared).into_iter().enumerate() {
            let (first, second) = (first.clone(), second.clone());
            tasks.push(tokio::spawn(async move {
                match task % 4 {
                    0 => {
                        let bookmark = Checkpoint {
                            checkpoint_token: second.body.checkpoint_token.clone().unwrap(),
                            output: None,
                            label: None,
                        };
                        until_free(|| sessions.checkpoint(bookmark.clone())).await;
                    }
                    1 => {
                        until_free(|| sessions.proceed(ack(&second, "Two.", vec![]))).await;
                    }
                    2 => {
                        // Whoever asks may get a token that another uses first; then that is what counts.
                        let here = until_free(|| sessions.proceed(state(&first))).await;
                        until_free(|| sessions.proceed(ack(&here, "One, again.", vec![]))).await;
                    }
                    _ => {
                        until_free(|| sessions.proceed(ack(&first, "One.", vec![]))).await;
                    }
                }
            }));
        }
        for task in tasks {
            task.await.expect("no call panics");
        }
        let events = rig.events(first.body.run.session_id).await;
        assert_eq!(validate(&events), Ok(()));
        let attempts = events.iter().filter_map(|event| match event.body() {
            EventBody::AdvanceRecorded(at, advance) => Some((at.node, advance.attempt_id)),
            _ => None,
        });
        let attempts: Vec<_> = attempts.collect();
        let projected = SessionState::of(&events);
        let graph = &projected.runs()[0].graph;
        let steps = graph.nodes().filter(|node| node.kind == NodeKind::Step).count();
        assert_eq!(steps, attempts.len() + 1);
        assert!((3..=4).contains(&attempts.len()), "two tokens, and one or two forks");
        let bookmarks = graph.nodes().filter(|node| node.kind == NodeKind::Checkpoint);
        assert_eq!(bookmarks.count(), 1);
    }
}

// shows: WR-257
#[tokio::test]
async fn making_a_bookmark_again_needs_no_lock_and_making_a_new_one_does() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let first = rig.start(&workflow(&[step("one"), step("two")])).await;
    let bookmark = |reply: &Reply| Checkpoint {
        checkpoint_token: reply.body.checkpoint_token.clone().unwrap(),
        output: None,
        label: None,
    };
    let made = rig.sessions.checkpoint(bookmark(&first)).await.unwrap();
    let second = rig.notes(&first, "One.").await;
    let other = Rig::local(dir.path(), 2);
    let held = other.journal.lease(&first.body.run.session_id.into()).await.unwrap();
    assert_eq!(rig.sessions.checkpoint(bookmark(&first)).await.unwrap(), made);
    let error = rig.sessions.checkpoint(bookmark(&second)).await.unwrap_err();
    assert_eq!(error.code(), Code::TokenSessionLocked);
    drop(held);
    assert_eq!(body(&rig.notes(&first, "One.").await), body(&second));
    rig.sessions.checkpoint(bookmark(&second)).await.unwrap();
}

/// Waits for something that happens on another thread, as in another process.
fn elsewhere(moment: BoxFuture<'static, ()>) {
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::spawn(move || executor.block_on(moment)).join().unwrap();
}

// shows: WR-256
#[tokio::test]
async fn what_another_process_records_just_before_the_lock_is_found_under_it() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let first = rig.start(&workflow(&[step("one"), step("two")])).await;
    let bookmark = Checkpoint {
        checkpoint_token: first.body.checkpoint_token.clone().unwrap(),
        output: None,
        label: None,
    };
    let other = Rig::local(dir.path(), 2);
    // The same call in another process, between the look and the lock of this one.
    let late = |before: BoxFuture<'static, ()>| {
        let before = Arc::new(Mutex::new(Some(before)));
        let waiting = Arc::clone(&before);
        let journal = WatchedJournal::new(Arc::clone(&rig.journal), move |method, _| {
            let moment = (method == "lease").then(|| waiting.lock().unwrap().take()).flatten();
            if let Some(moment) = moment {
                elsewhere(moment);
            }
        });
        let (blobs, keys) = (Arc::clone(&rig.blobs), Arc::clone(&rig.keys));
        (Rig::over(Arc::new(journal), blobs, keys, 3), before)
    };
    let (request, sessions) = (ack(&first, "One.", vec![]), other.sessions.clone());
    let theirs = request.clone();
    let (here, before) = late(Box::pin(async move {
        sessions.proceed(theirs).await.unwrap();
    }));
    let reply = here.sessions.proceed(request.clone()).await.unwrap();
    assert!(before.lock().unwrap().is_none(), "it happened");
    assert_eq!(reply, other.sessions.proceed(request).await.unwrap());
    let (sessions, theirs) = (other.sessions.clone(), bookmark.clone());
    let (here, before) = late(Box::pin(async move {
        sessions.checkpoint(theirs).await.unwrap();
    }));
    let made = here.sessions.checkpoint(bookmark.clone()).await.unwrap();
    assert!(before.lock().unwrap().is_none(), "it happened");
    assert_eq!(made, other.sessions.checkpoint(bookmark).await.unwrap());
    let events = rig.events(first.body.run.session_id).await;
    assert_eq!(validate(&events), Ok(()));
    let count = |kind| events.iter().filter(|event| event.body().kind() == kind).count();
    assert_eq!((count(EventKind::AdvanceRecorded), count(EventKind::NodeCreated)), (1, 3));
}

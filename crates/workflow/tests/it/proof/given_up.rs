//! Calls that nobody waits for any more: a client that hung up, a task that was stopped.

use std::future::poll_fn;
use std::task::Poll;

use piton_core::Code;
use piton_store::testing::{DiskFault, FaultKind, SimDisk};
use piton_workflow::event::validate;
use piton_workflow::session::Reply;

use super::kills::{open, opened, runtime};
use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, body};

/// Submits an output and goes away as soon as the disk had `calls` calls.
async fn submit_and_leave(rig: &Rig, reply: &Reply, disk: &SimDisk, calls: u64) {
    let mut call = Box::pin(rig.sessions.proceed(ack(reply, "One.", vec![])));
    while disk.calls() < calls {
        let is_answered = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_ready()));
        if is_answered.await {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Submits an output, as often as it takes until what was given up before has ended.
async fn submit(rig: &Rig, reply: &Reply, notes: &str) -> Reply {
    loop {
        match rig.sessions.proceed(ack(reply, notes, vec![])).await {
            Err(error) if error.code() == Code::TokenSessionLocked => {
                tokio::task::yield_now().await;
            }
            Err(error) if error.code() == Code::SessionPoisoned => {
                let stream = reply.body.run.session_id.into();
                rig.journal.verify(&stream).await.expect("it can be read");
            }
            answer => return answer.expect("it is answered"),
        }
    }
}

// shows: WR-247
#[test]
fn a_call_that_was_given_up_leaves_the_process_able_to_go_on() {
    let runtime = runtime();
    let start = SimDisk::new();
    let asked = runtime.block_on(async {
        let steps = [step("one"), step("two"), step("three")];
        opened(&start, 10).start(&workflow(&steps)).await
    });
    let session = asked.body.run.session_id;
    let expected = runtime.block_on(open(&start.fork()).notes(&asked, "One."));
    let faults = [FaultKind::ErrorOnce, FaultKind::SyncsFail].into_iter().flat_map(|kind| {
        let places =
            (1..40).step_by(3).flat_map(|calls| (calls..40).step_by(2).map(move |at| (calls, at)));
        places.map(move |(calls, at)| (Some(DiskFault { at, kind }), calls))
    });
    let sound = (1..40).map(|calls| (None, calls));
    for (fault, calls) in sound.chain(faults) {
        let story = format!("{fault:?}, given up after {calls} calls");
        let disk = start.fork();
        let rig = open(&disk);
        disk.set_fault(fault);
        runtime.block_on(async {
            submit_and_leave(&rig, &asked, &disk, calls).await;
            // What was begun ends, well or badly, before the disk is well again.
            while rig
                .journal
                .lease(&session.into())
                .await
                .is_err_and(|error| error.code() == Code::SessionLocked)
            {
                tokio::task::yield_now().await;
            }
            disk.set_fault(None);
            let second = submit(&rig, &asked, "One.").await;
            assert_eq!(body(&second), body(&expected), "{story}");
            let third = submit(&rig, &second, "Two.").await;
            assert_eq!(validate(&rig.events(session).await), Ok(()), "{story}");
            let cold = opened(&disk, 12);
            assert_eq!(body(&cold.notes(&second, "Two.").await), body(&third), "{story}");
        });
    }
}

//! Calls that take long, and what clients do meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton_core::port::{Clock, TimestampMs};
use piton_mcp::ServerBuilder;
use piton_store::Error;
use piton_store::local::SystemClock;
use piton_store::port::{BoxFuture, KeyAge, KeyRing, Signature};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::listing::offer;
use crate::rig::{Answer, Machine, Pipe, Reply, STATELESS, Web, hello, request};

/// Keys that sign only as often as they are let.
struct Slow {
    inner: Arc<dyn KeyRing>,
    gate: Semaphore,
    /// How many wait at the gate, or have passed it.
    arrived: Semaphore,
}

impl KeyRing for Slow {
    fn sign_all<'a>(
        &'a self,
        messages: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<Vec<Signature>, Error>> {
        Box::pin(async move {
            self.arrived.add_permits(1);
            let _pass = self.gate.acquire().await.unwrap();
            self.inner.sign_all(messages).await
        })
    }

    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> BoxFuture<'a, Result<Option<KeyAge>, Error>> {
        self.inner.verify(message, signature)
    }

    fn rotate(&self) -> BoxFuture<'_, Result<(), Error>> {
        self.inner.rotate()
    }
}

/// A machine that starts runs, but cannot say so until the gate opens.
fn slow() -> (Machine, Arc<Slow>) {
    let mut machine = Machine::new();
    let inner = Arc::clone(&machine.ports.keys);
    let slow = Arc::new(Slow { inner, gate: Semaphore::new(0), arrived: Semaphore::new(0) });
    machine.ports.keys = Arc::clone(&slow) as _;
    (machine, slow)
}

fn start(more: &Value) -> Value {
    let arguments = json!({ "workflowId": "project.plain", "startKey": "T-1" });
    let mut params = json!({ "name": "start_workflow", "arguments": arguments });
    params["_meta"] = more.clone();
    params
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_long_says_so_if_it_was_asked_to() {
    let (machine, slow) = slow();
    let mut pipe = Pipe::at(&machine).await;
    let id = pipe.ask("tools/call", start(&json!({ "progressToken": "p-1" }))).await;
    for told in 1..=2 {
        let progress = pipe.receive().await;
        assert_eq!(progress["method"], "notifications/progress", "{progress}");
        assert_eq!(progress["params"]["progressToken"], "p-1");
        assert_eq!(progress["params"]["progress"].as_f64(), Some(f64::from(told)));
    }
    slow.gate.add_permits(8);
    let reply = pipe.reply_to(id).await;
    assert_eq!(reply["result"]["structuredContent"]["pending"]["prompt"], "Do first.");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_given_up_and_what_it_recorded_is_found_by_repeating_it() {
    let (machine, slow) = slow();
    let mut pipe = Pipe::at(&machine).await;
    let id = pipe.ask("tools/call", start(&json!({ "progressToken": 1 }))).await;
    assert_eq!(pipe.receive().await["method"], "notifications/progress");
    let params = json!({ "requestId": id, "reason": "too slow" });
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    pipe.request("ping", json!({})).await;
    assert_eq!(slow.gate.available_permits(), 0);
    slow.gate.add_permits(64);
    let again = pipe.request("tools/call", start(&json!({}))).await;
    assert_eq!(again["result"]["structuredContent"]["pending"]["prompt"], "Do first.");
    assert!(pipe.notified.is_empty(), "the cancelled call is silent: {:?}", pipe.notified);
    let found = pipe.call("resume_session", json!({})).await;
    assert_eq!(found.structured["candidates"].as_array().unwrap().len(), 1, "there is one run");
}

const SESSIONS: &str = "2025-11-25";

/// A call that starts a run each time that it is made.
fn begin(revision: &str, id: u64) -> Value {
    let arguments = json!({ "workflowId": "wr.tour", "goal": "see it" });
    let params = json!({ "name": "start_workflow", "arguments": arguments });
    request(revision, id, "tools/call", params)
}

async fn runs(web: &mut Web) -> usize {
    let found = web.call("resume_session", json!({})).await;
    found.structured["candidates"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_second_request_with_the_id_of_one_under_way_is_refused_and_the_first_is_not_touched() {
    for is_kept in [false, true] {
        let (machine, slow) = slow();
        let mut web = if is_kept {
            Web::keeping(machine.runtime(), machine.replies(), SESSIONS).await
        } else {
            Web::serve(machine.runtime(), None).await
        };
        web.greet(&hello(SESSIONS)).await;
        let (first, other) = (begin(SESSIONS, 5), request(SESSIONS, 5, "tools/list", json!({})));
        let meanwhile = async {
            slow.arrived.acquire().await.unwrap().forget();
            let refused = web.post(&other, &[]).await.messages().pop().unwrap();
            slow.gate.add_permits(64);
            refused
        };
        let (reply, refused) = tokio::join!(web.post(&first, &[]), meanwhile);
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&5.into(), &(-32600).into()));
        let words = refused["error"]["message"].as_str().unwrap();
        assert!(words.starts_with("Another request with the id 5 is under way"), "{words}");
        let reply = reply.messages().pop().unwrap();
        assert_eq!((&reply["id"], Answer::of(&reply).is_error), (&5.into(), false), "{reply}");
        // Who has the reply may use the id again.
        for _ in 0..16 {
            let listed = web.post(&other, &[]).await.messages().pop().unwrap();
            assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7, "{listed}");
        }
        web.stop().await;
    }
}

/// Makes a call without a session whose client goes while the call is under way.
async fn abandon(web: &Web, machine: &Machine, slow: &Slow, call: &Value) {
    let body = call.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nMCP-Protocol-Version: {STATELESS}\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: start_workflow\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(web.address).await.unwrap();
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    slow.arrived.acquire().await.unwrap().forget();
    drop(stream);
    until_kept(machine, "underWay").await;
}

/// Returns when a reply of this state is kept.
async fn until_kept(machine: &Machine, state: &str) {
    let kept = async {
        while !machine.kept_replies().iter().any(|kept| kept.contains(state)) {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_mins(1), kept).await.expect("it is kept");
}

#[tokio::test]
async fn a_call_without_a_session_that_lost_its_reply_is_made_once_whichever_process_it_reaches() {
    for is_repeated_early in [true, false] {
        for is_elsewhere in [false, true] {
            let (machine, slow) = slow();
            let here = Web::keeping(machine.runtime(), machine.replies(), STATELESS).await;
            let there = Web::keeping(machine.runtime(), machine.replies(), STATELESS).await;
            let call = begin(STATELESS, 1);
            abandon(&here, &machine, &slow, &call).await;
            let mut other = if is_elsewhere { there } else { here };
            let reply = if is_repeated_early {
                let (reply, ()) = tokio::join!(other.post(&call, &[]), async {
                    slow.gate.add_permits(64);
                });
                reply
            } else {
                slow.gate.add_permits(64);
                until_kept(&machine, "replied").await;
                other.post(&call, &[]).await
            };
            let begun = Answer::of(&reply.messages().pop().unwrap());
            assert!(!begun.is_error, "{}", begun.text);
            assert_eq!(
                runs(&mut other).await,
                1,
                "early {is_repeated_early}, elsewhere {is_elsewhere}"
            );
            // The reply got through. Who makes the call again means another one.
            until_kept(&machine, "heard").await;
            let next = Answer::of(&other.post(&call, &[]).await.messages().pop().unwrap());
            assert_ne!(begun.structured, next.structured);
            assert_eq!(runs(&mut other).await, 2);
        }
    }
}

/// A machine that keeps the reply to a call whose client is gone, and its server.
async fn unheard(call: &Value) -> (Machine, Web) {
    let (machine, slow) = slow();
    let web = Web::keeping(machine.runtime(), machine.replies(), STATELESS).await;
    abandon(&web, &machine, &slow, call).await;
    slow.gate.add_permits(64);
    until_kept(&machine, "replied").await;
    (machine, web)
}

#[tokio::test]
async fn a_kept_reply_is_given_only_to_callers_that_are_let_in() {
    let call = begin(STATELESS, 1);
    let (_machine, mut web) = unheard(&call).await;
    for (header, status) in [
        (("Host", "evil.example"), 403),
        (("Origin", "http://evil.example"), 403),
        (("Origin", "null"), 403),
        (("Accept", "text/plain"), 406),
        (("MCP-Protocol-Version", "1999-01-01"), 400),
    ] {
        let reply = web.post(&call, &[header]).await;
        assert_eq!(reply.status, status, "{header:?}: {reply:?}");
    }
    assert_eq!(web.post(&call, &[("Host", "localhost")]).await.status, 200);
    assert_eq!(runs(&mut web).await, 1, "it waited for the caller that may have it");
}

#[tokio::test]
async fn servers_that_ask_for_other_tokens_or_offer_something_else_share_no_replies() {
    const TOKEN: &str = "k3yk3yk3yk3yk3yk3yk3yk3yk3y";
    let call = begin(STATELESS, 1);
    let (machine, web) = unheard(&call).await;
    web.stop().await;
    let kept = machine.kept_replies();
    let bearer = format!("Bearer {TOKEN}");
    let files = |mount| offer(&machine, std::slice::from_ref(mount));
    let settings = [("PITON_MCP_ANSWERS".to_owned(), "text".to_owned())].into();
    let others = [
        (machine.runtime().into(), Some(TOKEN)),
        (files(&"/mem=memory:ro").await, None),
        (files(&"/mem=memory:rw").await, None),
        (files(&"/mem=.:rw").await, None),
        (ServerBuilder::from(machine.runtime()).backpack("own".parse().ok()), None),
        (machine.runtime_with(settings).into(), None),
    ];
    // Each reply begins with the name of its run.
    let run = |reply: &Reply| {
        let begun = Answer::of(&reply.messages().pop().unwrap());
        assert!(!begun.is_error, "{}", begun.text);
        begun.text.lines().next().unwrap().to_owned()
    };
    for (offer, token) in others {
        let other = Web::keeping_with_token(offer, machine.replies(), STATELESS, token).await;
        let reply = other.post(&call, &[("Authorization", &bearer)]).await;
        let run = run(&reply);
        assert!(!kept.iter().any(|kept| kept.contains(&run)), "it made the call itself");
        other.stop().await;
    }
    let again = Web::keeping(machine.runtime(), machine.replies(), STATELESS).await;
    let run = run(&again.post(&call, &[]).await);
    assert!(kept.iter().any(|kept| kept.contains(&run)), "the same server again finds its own");
}

#[tokio::test]
async fn a_call_long_after_one_whose_client_went_is_another_call() {
    let clock = Arc::new(SetClock::default());
    let (mut machine, slow) = slow();
    machine.ports.clock = Arc::clone(&clock) as _;
    let mut web = Web::keeping(machine.runtime(), machine.replies(), STATELESS).await;
    let call = begin(STATELESS, 1);
    abandon(&web, &machine, &slow, &call).await;
    slow.gate.add_permits(64);
    until_kept(&machine, "replied").await;
    clock.0.store(3 * 60 * 1_000, Ordering::Relaxed);
    let begun = Answer::of(&web.post(&call, &[]).await.messages().pop().unwrap());
    assert!(!begun.is_error, "{}", begun.text);
    assert_eq!(runs(&mut web).await, 2);
}

/// A clock that is set by hand, in milliseconds after the system's.
#[derive(Default)]
struct SetClock(AtomicU64);

impl Clock for SetClock {
    fn now_ms(&self) -> TimestampMs {
        TimestampMs(SystemClock.now_ms().get() + self.0.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        SystemClock.monotonic()
    }
}

#[tokio::test]
async fn equal_calls_of_clients_without_sessions_that_wait_for_their_replies_are_made_each() {
    let (machine, slow) = slow();
    let mut web = Web::keeping(machine.runtime(), machine.replies(), STATELESS).await;
    let call = begin(STATELESS, 1);
    let (first, second, ()) = tokio::join!(web.post(&call, &[]), web.post(&call, &[]), async {
        slow.arrived.acquire_many(2).await.unwrap().forget();
        slow.gate.add_permits(64);
    });
    let [first, second] = [first, second].map(|reply| Answer::of(&reply.messages().pop().unwrap()));
    assert_ne!(first.structured, second.structured);
    assert_eq!(runs(&mut web).await, 2);
}

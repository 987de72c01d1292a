//! Calls that take long.

use std::sync::Arc;

use piton_store::Error;
use piton_store::port::{BoxFuture, KeyAge, KeyRing, Signature};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::rig::{Machine, Pipe};

/// Keys that sign only as often as they are let.
struct Slow {
    inner: Arc<dyn KeyRing>,
    gate: Semaphore,
}

impl KeyRing for Slow {
    fn sign_all<'a>(
        &'a self,
        messages: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<Vec<Signature>, Error>> {
        Box::pin(async move {
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
    let slow = Arc::new(Slow { inner, gate: Semaphore::new(0) });
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

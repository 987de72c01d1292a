//! A client at the other end of a pipe that sends and does not read.

use std::time::Duration;

use piton_mcp::bounds::{PIPE_CALLS_MAX, PIPE_REPLIES_MAX, PIPE_WRITE_WAIT};
use piton_mcp::serve_pipe;
use serde_json::json;
use tokio::io::{AsyncWriteExt as _, duplex, split};
use tokio::time::{Instant, timeout};

use crate::rig::{Machine, hello, request};

/// More than what may be under way and wait, and what fits into the pipe, together.
const REQUESTS: usize = 20 * (PIPE_CALLS_MAX + PIPE_REPLIES_MAX);

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_slowed_and_then_dropped() {
    let machine = Machine::new();
    let (ours, theirs) = duplex(64 * 1024);
    let (read, write) = split(theirs);
    let server = tokio::spawn(serve_pipe(read, write, machine.runtime(), machine.whereabouts()));
    let (_unread, mut input) = split(ours);
    let greeting = request("2025-11-25", 0, "initialize", hello("2025-11-25"));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    input.write_all(format!("{greeting}\n{ready}\n").as_bytes()).await.unwrap();
    let mut taken = 0;
    while taken < REQUESTS {
        let message = request("2025-11-25", taken as u64 + 1, "tools/list", json!({}));
        let line = format!("{message}\n");
        let written = timeout(Duration::from_secs(10), input.write_all(line.as_bytes())).await;
        if !matches!(written, Ok(Ok(()))) {
            break;
        }
        taken += 1;
    }
    assert!(taken < REQUESTS, "the server went on reading");
    let began = Instant::now();
    let refused = server.await.unwrap().unwrap_err();
    assert!(refused.message.contains("left replies unread"), "{}", refused.message);
    assert!(began.elapsed() < 2 * PIPE_WRITE_WAIT);
}

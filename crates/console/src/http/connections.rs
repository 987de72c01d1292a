//! Connections of browsers: accepts, bounds and ends them.
//!
//! *Invariants*: there are at most [`CONNECTIONS_MAX`] connections; further ones wait until one ends. A browser that has
//! not sent the head of a request after [`HEAD_WAIT`] is disconnected.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::bounds::{CONNECTIONS_MAX, HEAD_WAIT, SHUTDOWN_WAIT};

/// Pause after a failed accept. Usually the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves browsers until `stopped` is set. Requests in progress may finish.
pub(super) async fn serve(socket: TcpListener, router: Router, mut stopped: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            // The place comes first: the kernel keeps the others waiting.
            let place = Arc::clone(&places).acquire_owned().await;
            (socket.accept().await, place)
        };
        tokio::select! {
            () = is_set(&mut stopped) => break,
            // Reap finished connections, so that the set does not grow.
            Some(_) = connections.join_next() => {}
            (accepted, place) = accepted => match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, router.clone(), stopped.clone());
                    connections.spawn(async move {
                        connection.await;
                        drop(place);
                    });
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }
    drop(socket);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(SHUTDOWN_WAIT, all_ended).await;
}

async fn connection(stream: TcpStream, router: Router, mut stopped: watch::Receiver<bool>) {
    // Without this, the second part of a reply would wait for the acknowledgement of the first.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT);
    let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut served = std::pin::pin!(served);
    tokio::select! {
        // A connection error concerns only its browser.
        _ = served.as_mut() => return,
        () = is_set(&mut stopped) => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}

/// Returns when the server is to stop.
pub(super) async fn is_set(stopped: &mut watch::Receiver<bool>) {
    // An error means that the server is gone, so there is nothing to wait for.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

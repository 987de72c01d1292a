//! Connections of clients: accepts, bounds and ends them.
//!
//! *Invariants*: there are at most [`CONNECTIONS_MAX`] connections; a client beyond that is refused with an
//! explanation. A client that has not sent the head of a request after [`HEAD_WAIT`] is disconnected. When the server
//! stops, no new connections are accepted.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::phase::Phase;
use crate::bounds::{CLOSE_WAIT, CONNECTIONS_MAX, HEAD_WAIT};

/// Pause after a failed accept. Usually the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Response to a client when there is no room.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\n\
                    Connection: close\r\nContent-Length: 69\r\n\r\n\
                    The server has as many connections as it can serve. Try again later.\n";

/// Serves clients until the server has ended.
pub(super) async fn serve(socket: TcpListener, router: Router, phase: watch::Receiver<Phase>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let mut stopping = phase.clone();
    loop {
        let stream = tokio::select! {
            () = Phase::Stopping.reached(&mut stopping) => break,
            // Reap finished connections, so that the set does not grow.
            Some(_) = connections.join_next() => continue,
            accepted = socket.accept() => {
                let Ok((stream, _)) = accepted else {
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                };
                stream
            }
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                connections.spawn(connection(stream, router.clone(), phase.clone(), place))
            }
            // Refuse in a task, so that a slow client cannot block the accept loop.
            Err(_) => connections.spawn(refuse(stream)),
        };
    }
    drop(socket);
    // Connected clients may wait for calls that are still running.
    Phase::Ended.reached(&mut stopping).await;
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(CLOSE_WAIT, all_ended).await;
}

async fn connection(
    stream: TcpStream,
    router: Router,
    mut phase: watch::Receiver<Phase>,
    _place: OwnedSemaphorePermit,
) {
    // Without this, the second part of a reply would wait for the acknowledgement of the first.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT);
    let mut served = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // A connection error concerns only its client.
        _ = served.as_mut() => return,
        () = Phase::Ended.reached(&mut phase) => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}

/// Tells a client that there is no room.
async fn refuse(stream: TcpStream) {
    let told = async {
        while stream.writable().await.is_ok() {
            match stream.try_write(FULL.as_bytes()) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                _ => return,
            }
        }
    };
    let _ = timeout(CLOSE_WAIT, told).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_says_how_long_it_is() {
        let (head, body) = FULL.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{}", body.len());
    }
}

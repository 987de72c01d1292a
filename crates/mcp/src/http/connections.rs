//! The connections of clients: accepted, bounded, ended.
//!
//! *Invariants*: there are at most [`CONNECTIONS_MAX`]; who comes beyond that is told so. Who has not sent the head of a
//! request after [`HEAD_WAIT`] is disconnected. When the server stops, nobody new is accepted.

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

/// How long to wait when no connection can be accepted: mostly the process has too many files open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What somebody is told for whom there is no room.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\n\
                    Connection: close\r\nContent-Length: 69\r\n\r\n\
                    The server has as many connections as it can serve. Try again later.\n";

/// Serves whoever connects, until the server has ended.
pub(super) async fn serve(socket: TcpListener, router: Router, phase: watch::Receiver<Phase>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let mut stopping = phase.clone();
    loop {
        let stream = tokio::select! {
            () = Phase::Stopping.reached(&mut stopping) => break,
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
            Err(_) => connections.spawn(refuse(stream)),
        };
    }
    drop(socket);
    // Those who are connected may wait for calls that are under way.
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
    // A reply that is written in parts must not wait for the receipt of the first.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT);
    let mut served = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // What goes wrong with a connection concerns its client alone.
        _ = served.as_mut() => return,
        () = Phase::Ended.reached(&mut phase) => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}

/// Tells somebody that there is no room.
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

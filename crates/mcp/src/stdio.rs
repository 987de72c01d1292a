//! One agent at the other end of a pipe.

use piton_core::{Code, Envelope};
use piton_runtime::Whereabouts;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::lines::Lines;
use crate::server::Server;
use crate::sets::Offer;

/// Serves the agent that started this process, until it closes the input.
pub async fn serve_stdio(
    offer: impl Into<Offer>,
    whereabouts: Whereabouts,
) -> Result<(), Envelope> {
    let (read, write) = stdio_pipes();
    serve_pipe(read, write, offer, whereabouts).await
}

/// Serves the agent that writes to `read` and reads from `write`, until `read` ends.
pub async fn serve_pipe<R, W>(
    read: R,
    write: W,
    offer: impl Into<Offer>,
    whereabouts: Whereabouts,
) -> Result<(), Envelope>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = Server::local(&offer.into(), whereabouts);
    let sets = server.sets();
    // The handshake is large, and over soon.
    match Box::pin(rmcp::serve_server(server, Lines::new(read, write))).await {
        Ok(running) => {
            let ended = running.waiting().await;
            for set in sets {
                set.close().await;
            }
            ended.map(drop).map_err(|_| {
                Envelope::new(Code::InternalError, "The server ended because of a fault in Piton.")
            })
        }
        // A client that looks in and leaves did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(refused(&error)),
    }
}

fn refused(error: &ServerInitializeError) -> Envelope {
    Envelope::new(Code::ValidationError, format!("The client could not be served: {error}."))
        .with_suggestion("Connect with a client for the Model Context Protocol.")
}

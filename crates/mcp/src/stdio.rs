//! Serves one agent at the other end of a pipe.

use piton_core::{Code, Envelope};
use piton_runtime::Whereabouts;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::bounds::PIPE_WRITE_WAIT;
use crate::line_transport::LineTransport;
use crate::server::Server;
use crate::sets::ServerBuilder;

/// Serves the agent that started this process, until it closes the input or `stop` is ready. Running calls may then
/// finish, for five seconds.
pub async fn serve_stdio(
    offer: impl Into<ServerBuilder>,
    whereabouts: Whereabouts,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Envelope> {
    let (read, write) = stdio_pipes();
    serve_pipe_until(read, write, offer, whereabouts, stop).await
}

/// Serves the agent that writes to `read` and reads from `write`, until `read` ends.
pub async fn serve_pipe<R, W>(
    read: R,
    write: W,
    offer: impl Into<ServerBuilder>,
    whereabouts: Whereabouts,
) -> Result<(), Envelope>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_pipe_until(read, write, offer, whereabouts, std::future::pending()).await
}

/// Serves the agent that writes to `read` and reads from `write`, until `read` ends or `stop` is ready.
pub async fn serve_pipe_until<R, W>(
    read: R,
    write: W,
    offer: impl Into<ServerBuilder>,
    whereabouts: Whereabouts,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Envelope>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = LineTransport::new(read, write, Box::pin(stop));
    let unwritten = lines.unwritten();
    let server = Server::local(&offer.into(), whereabouts);
    let sets = server.sets();
    // Boxed because the handshake is large and short-lived.
    match Box::pin(rmcp::serve_server(server, lines)).await {
        Ok(running) => {
            let ended = running.waiting().await;
            for set in sets {
                set.close().await;
            }
            if unwritten.is_stalled() {
                return Err(unread());
            }
            ended.map(drop).map_err(|_| {
                Envelope::new(Code::InternalError, "The server ended because of a fault in Piton.")
            })
        }
        // A client that connects and leaves did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(refused(&error)),
    }
}

/// Returns the error for a client that does not read its replies; it is as good as gone.
fn unread() -> Envelope {
    let seconds = PIPE_WRITE_WAIT.as_secs();
    let message = format!("The client left replies unread for {seconds} s, so it was dropped.");
    Envelope::new(Code::ValidationError, message)
        .with_suggestion("Start the client again. Nothing that was done is lost.")
}

fn refused(error: &ServerInitializeError) -> Envelope {
    Envelope::new(Code::ValidationError, format!("The client could not be served: {error}."))
        .with_suggestion("Connect with a client for the Model Context Protocol.")
}

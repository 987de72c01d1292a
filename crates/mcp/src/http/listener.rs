//! The address of the server and its token.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use piton_core::{Code, Envelope};
use piton_runtime::Replies;
use tokio::net::TcpListener;

use super::token::Token;

/// A bound address of the server, with the token that it requires.
pub struct Listener {
    pub(super) socket: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) token: Option<Token>,
    pub(super) replies: Option<Arc<dyn Replies>>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Listener").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Listener {
    /// Listens at `address`. Without a token, only loopback addresses are accepted.
    pub async fn bind(address: SocketAddr, token: Option<Token>) -> Result<Self, Envelope> {
        if token.is_none() && !address.ip().is_loopback() {
            let message = format!(
                "{} can be reached from other machines, and there is no token that callers must send.",
                address.ip()
            );
            return Err(Envelope::new(Code::ValidationError, message).with_suggestion(
                "Set http.token_file to a file with a token, or http.bind to 127.0.0.1.",
            ));
        }
        let cannot = |error: std::io::Error| {
            Envelope::new(Code::ValidationError, format!("Cannot listen at {address}: {error}."))
                .with_suggestion("Set http.port to a port that is free; 0 takes any.")
        };
        let socket = TcpListener::bind(address).await.map_err(cannot)?;
        let address = socket.local_addr().map_err(cannot)?;
        Ok(Self { socket, address, token, replies: None })
    }

    /// Keeps replies for clients that lose their connection, and sessions for the next server.
    #[must_use]
    pub fn keeping(mut self, replies: Arc<dyn Replies>) -> Self {
        self.replies = Some(replies);
        self
    }

    /// Returns the bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

//! The address of the console, and the origins that its page has.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

use piton_core::{Code, Envelope};
use tokio::net::TcpListener;

use crate::bounds::ORIGIN_BYTES_MAX;

/// A bound address of the console.
#[derive(Debug)]
pub struct Listener {
    pub(super) socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens on a port of this machine; 0 takes any. Returns `None` if another process has the port.
    pub async fn bind(port: u16) -> Result<Option<Self>, Envelope> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let cannot = |error: io::Error| {
            Envelope::new(Code::ValidationError, format!("Cannot listen at {wanted}: {error}."))
                .with_suggestion("Choose a port that is free with --port; 0 takes any.")
        };
        let socket = match TcpListener::bind(wanted).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Ok(None),
            bound => bound.map_err(cannot)?,
        };
        let address = socket.local_addr().map_err(cannot)?;
        Ok(Some(Self { socket, address }))
    }

    /// Returns the bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A scheme, a host and, unless it is that of the scheme, a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    is_secure: bool,
    /// Host and port, as a `Host` header has them.
    authority: String,
}

impl Origin {
    /// Returns the origins of a page that this machine serves on a port.
    pub(super) fn local(port: u16) -> impl Iterator<Item = Self> {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].into_iter();
        hosts.map(move |host| {
            // Browsers leave the port of the scheme out.
            let authority = if port == 80 { host.to_owned() } else { format!("{host}:{port}") };
            Self { is_secure: false, authority }
        })
    }

    pub(super) fn is_secure(&self) -> bool {
        self.is_secure
    }

    pub(super) fn authority(&self) -> &str {
        &self.authority
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(formatter, "{scheme}://{}", self.authority)
    }
}

impl FromStr for Origin {
    type Err = Envelope;

    /// Reads `https://host` or `http://host:port`, with or without a slash at the end.
    fn from_str(text: &str) -> Result<Self, Envelope> {
        let refused = || {
            let message = "console.public_url is not the address of a page: a scheme and a host, with nothing behind them.";
            Envelope::new(Code::ValidationError, message)
                .with_suggestion("Write it as `https://piton.example.org`.")
        };
        let lower = text.trim().trim_end_matches('/').to_ascii_lowercase();
        let (scheme, authority) = lower.split_once("://").ok_or_else(refused)?;
        let is_secure = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(refused()),
        };
        let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        let fits =
            (1..=ORIGIN_BYTES_MAX).contains(&authority.len()) && authority.bytes().all(is_usual);
        let usual_port = if is_secure { ":443" } else { ":80" };
        let authority = authority.strip_suffix(usual_port).unwrap_or(authority).to_owned();
        fits.then_some(Self { is_secure, authority }).ok_or_else(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn a_public_address_is_an_origin() {
        for (text, origin) in [
            ("https://Piton.example.org/", Some("https://piton.example.org")),
            ("https://piton.example.org:443", Some("https://piton.example.org")),
            ("http://box:8080", Some("http://box:8080")),
            ("https://piton.example.org/path", None),
            ("https://user@host", None),
            ("ftp://host", None),
            ("host", None),
            ("https://", None),
        ] {
            let read = text.parse::<Origin>().ok().map(|origin| origin.to_string());
            assert_eq!(read.as_deref(), origin, "{text}");
        }
    }
}

//! A client of the console's API: one connection, and both halves of a sign-in.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::error::{Error, Result};

/// A reply, as far as measures look at it.
pub(super) struct HttpReply {
    pub(super) status: u16,
    pub(super) etag: Option<String>,
    cookie: Option<String>,
    pub(super) body: Vec<u8>,
}

impl HttpReply {
    pub(super) fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).map_err(Error::json("read a reply of the console"))
    }
}

/// A signed-in client. Its connection stays open, as a browser's does.
pub(super) struct HttpClient {
    authority: String,
    stream: BufReader<TcpStream>,
    /// The lines that every request carries.
    sign_in: String,
}

impl HttpClient {
    /// Enters the console at `authority`, such as `127.0.0.1:7470`, with the key of a link.
    pub(super) fn enter(authority: &str, key: &str) -> Result<Self> {
        let mut client = Self::connect(authority, String::new())?;
        let body = json!({ "key": key }).to_string();
        let head = format!(
            "POST /api/v1/enter HTTP/1.1\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        let entered = client.exchange(&head, &body)?;
        let found = entered.json()?["secret"]
            .as_str()
            .zip(entered.cookie.as_deref())
            .map(|(secret, cookie)| format!("Piton-Console: {secret}\r\nCookie: {cookie}\r\n"));
        client.sign_in = found.ok_or_else(|| Error::Client("the key was refused".to_owned()))?;
        Ok(client)
    }

    fn connect(authority: &str, sign_in: String) -> Result<Self> {
        let stream = TcpStream::connect(authority).map_err(Error::io("connect to the console"))?;
        stream.set_nodelay(true).map_err(Error::io("connect to the console"))?;
        Ok(Self { authority: authority.to_owned(), stream: BufReader::new(stream), sign_in })
    }

    /// Opens another connection of the same browser.
    pub(super) fn again(&self) -> Result<Self> {
        Self::connect(&self.authority, self.sign_in.clone())
    }

    /// Asks for a reply, which must not be an error.
    pub(super) fn get(&mut self, path: &str, etag: Option<&str>) -> Result<HttpReply> {
        let known = etag.map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default();
        let reply = self.exchange(&format!("GET /api/v1{path} HTTP/1.1\r\n{known}"), "")?;
        if reply.status >= 400 {
            return Err(Error::Client(String::from_utf8_lossy(&reply.body).into_owned()));
        }
        Ok(reply)
    }

    /// Opens the stream of changes on a connection of its own, and waits for its first line.
    pub(super) fn changes(&self) -> Result<BufReader<TcpStream>> {
        let mut other = self.again()?;
        other.send("GET /api/v1/changes HTTP/1.1\r\n", "")?;
        other.line()?;
        Ok(other.stream)
    }

    fn exchange(&mut self, head: &str, body: &str) -> Result<HttpReply> {
        self.send(head, body)?;
        let status = self.line()?.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| Error::Client("no HTTP".to_owned()))?;
        let (mut length, mut etag, mut cookie) = (0, None, None);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap_or(0),
                "etag" => etag = Some(value.to_owned()),
                "set-cookie" => cookie = value.split(';').next().map(str::to_owned),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).map_err(Error::io("read a reply"))?;
        Ok(HttpReply { status, etag, cookie, body })
    }

    fn send(&mut self, head: &str, body: &str) -> Result<()> {
        let Self { authority, sign_in, .. } = self;
        let request = format!("{head}Host: {authority}\r\n{sign_in}\r\n{body}");
        let sent = self.stream.get_mut().write_all(request.as_bytes());
        sent.map_err(Error::io("send a request"))
    }

    /// Reads a line of a reply's head, without its end.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).map_err(Error::io("read a reply"))?;
        Ok(line.trim_end().to_owned())
    }
}

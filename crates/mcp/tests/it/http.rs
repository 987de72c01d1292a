//! Who may call over HTTP, and how the server ends.

use std::time::Duration;

use piton_mcp::bounds::{CONNECTIONS_MAX, SESSIONS_MAX};
use piton_mcp::{Listener, Token};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::rig::{Machine, Web, hello, request};

const TOKEN: &str = "k3yk3yk3yk3yk3yk3yk3yk3yk3y";

fn greeting() -> serde_json::Value {
    request("2025-11-25", 1, "initialize", hello("2025-11-25"))
}

#[tokio::test]
async fn only_callers_on_this_machine_and_their_pages_reach_the_tools() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    let here = format!("http://localhost:{}", web.address.port());
    for (headers, status) in [
        (vec![], 200),
        (vec![("Host", "localhost")], 200),
        (vec![("Host", "evil.example")], 403),
        (vec![("Host", "127.0.0.1.evil.example")], 403),
        (vec![("Origin", here.as_str())], 200),
        (vec![("Origin", "http://evil.example")], 403),
        (vec![("Origin", "null")], 403),
        (vec![("Host", "localhost"), ("Origin", "http://localhost.evil.example")], 403),
    ] {
        let reply = web.post(&greeting(), &headers).await;
        assert_eq!(reply.status, status, "{headers:?}: {reply:?}");
    }
    let elsewhere =
        web.exchange("POST /", &[("Host", "localhost"), ("Connection", "close")], b"").await;
    assert_eq!(elsewhere.status, 404);
}

#[tokio::test]
async fn a_server_with_a_token_answers_nobody_without_it() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), Some(TOKEN)).await;
    let longer = format!("Bearer {TOKEN}x");
    let right = format!("Bearer {TOKEN}");
    let small = format!("bearer {TOKEN}");
    for (headers, status) in [
        (vec![], 401),
        (vec![("Authorization", "Bearer ")], 401),
        (vec![("Authorization", "Bearer k3y")], 401),
        (vec![("Authorization", longer.as_str())], 401),
        (vec![("Authorization", TOKEN)], 401),
        (vec![("Authorization", "Basic azN5")], 401),
        (vec![("Authorization", right.as_str())], 200),
        (vec![("Authorization", small.as_str()), ("Host", "agents.example")], 200),
        (vec![("Authorization", right.as_str()), ("Origin", "http://evil.example")], 403),
    ] {
        let reply = web.post(&greeting(), &headers).await;
        assert_eq!(reply.status, status, "{headers:?}: {reply:?}");
        if status == 401 {
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn nobody_listens_beyond_this_machine_without_a_token() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let refused = Listener::bind(address.parse().unwrap(), None).await.unwrap_err();
        assert!(refused.message.contains("no token"), "{address}: {}", refused.message);
        assert!(refused.suggestion.contains("http.token_file"), "{}", refused.suggestion);
    }
    let token = Token::parse(TOKEN).unwrap();
    let listener = Listener::bind("0.0.0.0:0".parse().unwrap(), Some(token)).await.unwrap();
    let second = Listener::bind(([127, 0, 0, 1], listener.address().port()).into(), None).await;
    assert!(second.unwrap_err().message.starts_with("Cannot listen at"));
}

#[test]
fn a_token_that_could_be_guessed_or_not_be_sent_is_refused() {
    for bad in ["", "short", "with space in the middle of it", "ünïcödé-ünïcödé-ünïcödé"]
    {
        assert!(Token::parse(bad).is_err(), "{bad}");
    }
    assert!(Token::parse(&"x".repeat(5000)).is_err());
    assert_eq!(format!("{:?}", Token::parse(&format!("{TOKEN}\n")).unwrap()), "Token(…)");
}

#[tokio::test]
async fn a_body_that_is_too_large_or_no_message_is_refused_and_the_server_stays_up() {
    let machine = Machine::new();
    let mut web = Web::of_revision(machine.runtime(), "2025-11-25").await;
    let large = vec![b'x'; 50 * 1024 * 1024];
    let reply = web.post_bytes(&large, &json!({}), &[]).await;
    assert_eq!(reply.status, 413, "{reply:?}");
    for (body, code) in [
        (b"{".as_slice(), -32700),
        (b"\xff\xfe", -32700),
        (b"", -32700),
        (b"[]", -32600),
        (b"{\"id\":1}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1}", -32600),
    ] {
        let reply = web.post_bytes(body, &json!({}), &[]).await;
        let told = &reply.messages()[0]["error"];
        assert_eq!((reply.status, &told["code"]), (400, &code.into()), "{reply:?}");
        assert!(told["message"].as_str().unwrap().starts_with("This is "), "{told}");
    }
    for kind in ["text/plain", "application/jsonx", ""] {
        let reply = web.post_bytes(b"{}", &json!({}), &[("Content-Type", kind)]).await;
        assert_eq!(reply.status, 415, "{kind}: {reply:?}");
        assert!(reply.body.contains("`Content-Type: application/json`"), "{reply:?}");
    }
    let listed = web.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7);
}

#[tokio::test]
async fn another_address_is_answered_with_the_one_that_is_meant() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    for request in ["GET /", "GET /favicon.ico", "POST /mcpp"] {
        let headers = [("Host", "localhost"), ("Connection", "close")];
        let reply = web.exchange(request, &headers, b"").await;
        let body = "There is nothing here. Agents connect to /mcp.\n";
        assert_eq!((reply.status, &*reply.body), (404, body), "{request}");
    }
}

#[tokio::test]
async fn a_client_that_ends_its_connection_is_told_that_it_ended() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    let reply = web.post(&greeting(), &[]).await;
    let session = reply.header("mcp-session-id").unwrap();
    let headers = [("Host", "localhost"), ("Mcp-Session-Id", session), ("Connection", "close")];
    assert_eq!(web.exchange("DELETE /mcp", &headers, b"").await.status, 204);
    let ping = request("2025-11-25", 2, "ping", json!({}));
    assert_eq!(web.post(&ping, &[("Mcp-Session-Id", session)]).await.status, 404);
}

#[tokio::test]
async fn a_server_that_is_asked_to_stop_ends_its_streams_and_frees_its_port() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    let address = web.address;
    let reply = web.post(&greeting(), &[]).await;
    let session = reply.header("mcp-session-id").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let listen = format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n"
    );
    stream.write_all(listen.as_bytes()).await.unwrap();
    let mut first = [0; 15];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    assert_eq!(web.stop().await.calls_cut, 0);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

/// What comes back until the server ends the connection.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    String::from_utf8(rest).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_never_finished_does_not_stay() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    let began = Instant::now();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let body =
        format!("{head}Accept: application/json, text/event-stream\r\nContent-Length: 9\r\n\r\n{{");
    for (sent, status) in [("", None), ("POST /m", None), (head, None), (&*body, Some("408"))] {
        let mut stream = TcpStream::connect(web.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let reply = until_closed(&mut stream).await;
        let found = reply.split(' ').nth(1);
        assert!(status.is_none_or(|status| found == Some(status)), "{sent}: {reply}");
    }
    assert!(began.elapsed() < Duration::from_mins(10), "each of them ended by itself");
}

#[tokio::test]
async fn who_comes_beyond_the_last_place_is_told_so_and_is_served_when_one_is_free() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        held.push(TcpStream::connect(web.address).await.unwrap());
    }
    let mut one_more = TcpStream::connect(web.address).await.unwrap();
    let told = until_closed(&mut one_more).await;
    assert!(told.starts_with("HTTP/1.1 503 ") && told.contains("Try again later."), "{told}");
    held.clear();
    loop {
        // The server notices one by one that they are gone.
        let mut stream = TcpStream::connect(web.address).await.unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        if until_closed(&mut stream).await.starts_with("HTTP/1.1 404 ") {
            break;
        }
    }
}

#[tokio::test]
async fn the_session_that_was_idle_for_the_longest_time_makes_room() {
    let machine = Machine::new();
    let web = Web::serve(machine.runtime(), None).await;
    let mut sessions = Vec::new();
    for _ in 0..=SESSIONS_MAX {
        let reply = web.post(&greeting(), &[]).await;
        sessions.push(reply.header("mcp-session-id").unwrap().to_owned());
    }
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for (session, status) in
        [(&sessions[0], 404), (&sessions[1], 202), (&sessions[SESSIONS_MAX], 202)]
    {
        assert_eq!(web.post(&ready, &[("Mcp-Session-Id", session)]).await.status, status);
    }
}

//! Who gets in, and who does not.

use std::time::Duration;

use piton_core::Code;
use serde_json::json;

use crate::browser::{Browser, Machine, Reply};

fn assert_refused(reply: &Reply, status: u16, code: Code) {
    assert_eq!(reply.status, status, "{}", reply.text());
    assert_eq!(reply.header("content-type"), "application/problem+json");
    let problem = reply.json();
    assert_eq!(problem["code"], code.as_str());
    assert_eq!(problem["status"], status);
    assert!(!problem["suggestion"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn a_link_lets_one_browser_in_and_both_halves_are_asked_for_each_time() {
    let machine = Machine::start().await;
    let key = machine.key().await;
    let mut browser = machine.browser();
    let reply = browser.enter(&key, Some("Ana")).await;
    assert_eq!(reply.json()["name"], "Ana");
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with(&format!("piton-console-{}=", machine.port)), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"), "{cookie}");
    assert_eq!(browser.get("/api/v1/status").await.json()["person"], "Ana");
    for (cookie, secret) in [(None, browser.secret.clone()), (browser.cookie.clone(), None)] {
        let half = Browser { cookie, secret, ..browser.clone() };
        for path in ["/api/v1/sessions", "/api/v1/status", "/api/v1/changes"] {
            assert_refused(&half.get(path).await, 401, Code::ConsoleSignInRequired);
        }
        let settled = half.post("/api/v1/sessions/x/settle", &json!({})).await;
        assert_refused(&settled, 401, Code::ConsoleSignInRequired);
    }
    let again = machine.browser().enter(&key, None).await;
    assert_refused(&again, 401, Code::ConsoleLinkInvalid);
    assert!(!again.text().contains(&key), "no message quotes a key");
}

#[tokio::test]
async fn a_link_that_waited_too_long_is_refused() {
    let machine = Machine::start().await;
    let key = machine.key().await;
    machine.clock.advance(Duration::from_mins(10));
    assert_refused(&machine.browser().enter(&key, None).await, 401, Code::ConsoleLinkInvalid);
}

#[tokio::test]
async fn a_person_without_a_name_is_the_user_of_the_machine() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    assert_eq!(browser.get("/api/v1/status").await.json()["person"], "os-user");
}

#[tokio::test]
async fn a_browser_that_leaves_is_out_at_once() {
    let machine = Machine::start().await;
    let (one, other) = (machine.entered().await, machine.entered().await);
    let left = one.post("/api/v1/leave", &json!({})).await;
    assert_eq!(left.status, 200);
    assert!(left.header("set-cookie").contains("Max-Age=0"));
    assert_refused(&one.get("/api/v1/status").await, 401, Code::ConsoleSignInRequired);
    assert_eq!(other.get("/api/v1/status").await.status, 200);
}

#[tokio::test]
async fn the_thirty_third_browser_signs_the_first_one_out() {
    let machine = Machine::start().await;
    let mut browsers = Vec::new();
    for _ in 0..33 {
        browsers.push(machine.entered().await);
    }
    assert_eq!(browsers[0].get("/api/v1/status").await.status, 401);
    assert_eq!(browsers[1].get("/api/v1/status").await.status, 200);
    assert_eq!(browsers[32].get("/api/v1/status").await.status, 200);
}

#[tokio::test]
async fn another_host_or_another_origin_reaches_nothing_not_even_the_page() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    for (name, value) in [
        ("Host", "evil.example.org"),
        ("Host", "127.0.0.1"),
        ("Origin", "https://evil.example.org"),
        ("Origin", "null"),
    ] {
        let mut headers = browser.own();
        headers.retain(|(other, _)| other != name);
        headers.push((name.to_owned(), value.to_owned()));
        for line in ["GET /api/v1/sessions", "GET /", "POST /api/v1/enter"] {
            let reply = browser.send(line, &headers, b"{}").await;
            assert_refused(&reply, 403, Code::ConsoleOriginRefused);
            let is_cors = |name: &&String| name.starts_with("access-control-");
            assert_eq!(reply.headers.keys().find(is_cors), None);
        }
    }
}

#[tokio::test]
async fn a_write_without_the_word_of_a_browser_is_refused() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    let mut headers = browser.own();
    headers.retain(|(name, _)| name != "Origin" && name != "Sec-Fetch-Site");
    let silent = browser.send("POST /api/v1/leave", &headers, b"{}").await;
    assert_refused(&silent, 403, Code::ConsoleOriginRefused);
    headers.push(("Sec-Fetch-Site".to_owned(), "cross-site".to_owned()));
    let foreign = browser.send("POST /api/v1/leave", &headers, b"{}").await;
    assert_refused(&foreign, 403, Code::ConsoleOriginRefused);
    assert_eq!(browser.get("/api/v1/status").await.status, 200, "nothing was done");
}

#[tokio::test]
async fn one_further_origin_is_ours_if_it_is_configured() {
    let machine = Machine::start_at(Some("https://piton.example.org")).await;
    let key = machine.key().await;
    let browser = machine.browser();
    let headers: Vec<_> = [
        ("Host", "piton.example.org"),
        ("Origin", "https://piton.example.org"),
        ("Content-Type", "application/json"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let body = json!({ "key": key }).to_string();
    let reply = browser.send("POST /api/v1/enter", &headers, body.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(reply.header("set-cookie").ends_with("; Secure"));
}

#[tokio::test]
async fn what_is_no_sign_in_is_refused_without_being_quoted() {
    let machine = Machine::start().await;
    let browser = machine.browser();
    for body in ["", "{", "[]", r#"{"key":7}"#, r#"{"key":"x","more":1}"#] {
        let reply = browser.send("POST /api/v1/enter", &browser.own(), body.as_bytes()).await;
        assert_refused(&reply, 400, Code::ValidationError);
    }
    let mut headers = browser.own();
    headers.retain(|(name, _)| name != "Content-Type");
    let plain = browser.send("POST /api/v1/enter", &headers, b"{}").await;
    assert_refused(&plain, 415, Code::ValidationError);
}

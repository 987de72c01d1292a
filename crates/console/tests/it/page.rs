//! The page, and the headers of everything.

use crate::browser::Machine;

#[tokio::test]
async fn every_reply_carries_the_headers_that_bind_a_page() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    let paths = ["/", "/console.js", "/runs/anything", "/api/v1/sessions", "/api/v1/none"];
    for path in paths {
        let reply = browser.get(path).await;
        let policy = reply.header("content-security-policy");
        assert_eq!(
            policy,
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; \
             connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types svelte-trusted-html",
            "{path}"
        );
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(reply.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(reply.header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(reply.header("cross-origin-resource-policy"), "same-origin", "{path}");
        let stored = if path.starts_with("/api") { "no-store" } else { "no-cache" };
        assert_eq!(reply.header("cache-control"), stored, "{path}");
    }
    // A refusal too.
    let strange = [("Host".to_owned(), "evil".to_owned())];
    let refused = browser.send("GET /", &strange, b"").await;
    assert_eq!(refused.status, 403);
    assert!(!refused.header("content-security-policy").is_empty());
}

#[tokio::test]
async fn a_file_is_sent_once_and_a_place_in_the_page_is_the_page() {
    let machine = Machine::start().await;
    let browser = machine.browser();
    let script = browser.get("/console.js").await;
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    let again = browser.get_again("/console.js", script.header("etag")).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = browser.get_again("/console.css", script.header("etag")).await;
    assert_eq!(other.status, 200);
    let page = browser.get("/").await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    for path in ["/runs", "/runs/sess_1?step=2", "/index.html"] {
        assert_eq!(browser.get(path).await.body, page.body, "{path}");
    }
    let posted = browser.post("/runs", &serde_json::json!({})).await;
    assert_eq!(posted.status, 405);
}

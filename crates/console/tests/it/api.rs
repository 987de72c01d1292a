//! Replies: what they hold, their tags and their bounds.

use piton_core::Code;
use piton_runtime::request::{RunQuery, SessionReference};
use serde_json::{Value, json};

use crate::browser::Machine;

// shows in part: WR-485 (the console)
#[tokio::test]
async fn a_reply_names_its_schema_and_an_error_is_the_envelope() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let list = browser.get("/api/v1/sessions").await.json();
    assert_eq!(list["schema"], "piton.session.list/1");
    assert_eq!(list["runs"][0]["sessionId"], session.as_str());
    let shown = browser.get(&format!("/api/v1/sessions/{session}")).await.json();
    assert_eq!(shown["sessionId"], session.as_str());
    let missing = browser.get("/api/v1/sessions/sess_00000000000000000000000000").await;
    let problem = missing.json();
    assert_eq!(missing.status, 404, "{problem}");
    assert_eq!(problem["code"], Code::SessionNotFound.as_str());
    assert_eq!(problem["type"], "urn:piton:error:SESSION_NOT_FOUND");
    for field in ["message", "suggestion", "retry"] {
        assert!(!problem[field].is_null(), "{field}");
    }
}

#[tokio::test]
async fn every_reading_route_without_a_name_answers() {
    let machine = Machine::start().await;
    machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    for route in piton_console::routes::routes() {
        // Others need a name in the query, or a project.
        let needs_more = ["/compare", "/search", "/runs/completions", "/workspaces/", "/context/"];
        let is_plain = !route.path.contains('{')
            && !needs_more.iter().any(|path| route.path.starts_with(path));
        if route.method == piton_console::route::RouteMethod::Get && is_plain {
            let reply = browser.get(&format!("/api/v1{}", route.path)).await;
            assert_eq!(reply.status, 200, "{route:?}: {}", reply.text());
            assert_eq!(reply.json()["schema"].as_str(), route.schema, "{route:?}");
        }
    }
}

#[tokio::test]
async fn what_a_page_has_is_not_sent_again_until_it_changes() {
    let machine = Machine::start().await;
    machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let first = browser.get("/api/v1/sessions").await;
    let tag = first.header("etag").to_owned();
    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}")] {
        let again = browser.get_again("/api/v1/sessions", &known).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{known}");
        assert_eq!(again.header("etag"), tag);
    }
    machine.start_run("wr.tour").await;
    let changed = browser.get_again("/api/v1/sessions", &tag).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
}

#[tokio::test]
async fn a_reply_about_one_session_is_tagged_with_its_version() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let path = format!("/api/v1/sessions/{session}");
    let first = browser.get(&path).await;
    let tag = first.header("etag").to_owned();
    assert_eq!(browser.get_again(&path, &tag).await.status, 304);
    // Another session is another reply, and so is the same one with another mark.
    let other = machine.start_run("wr.tour").await;
    assert_eq!(browser.get_again(&format!("/api/v1/sessions/{other}"), &tag).await.status, 200);
    assert_eq!(browser.get_again(&path, &tag).await.status, 304);
    browser.post(&format!("{path}/keep"), &json!({ "keep": true })).await;
    let kept = browser.get_again(&path, &tag).await;
    assert_eq!((kept.status, &kept.json()["kept"]), (200, &json!(true)));
    for made_up in ["\"\"", "\"sha256:00/1.2.3\"", "nonsense"] {
        assert_eq!(browser.get_again(&path, made_up).await.status, 200, "{made_up}");
    }
}

#[tokio::test]
async fn the_shape_of_a_run_is_not_sent_again_until_its_session_changes() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let (run, _) = Machine::tip(&browser, &session).await;
    let path = format!("/api/v1/sessions/{session}/runs/{run}/shape");
    let first = browser.get(&path).await;
    assert_eq!(first.status, 200, "{}", first.text());
    let tag = first.header("etag").to_owned();
    let cursor = first.json()["cursor"].as_str().unwrap().to_owned();
    assert!(tag.contains(&cursor), "the cursor is the tag: {tag}");
    assert_eq!(browser.get_again(&path, &tag).await.status, 304);
    let kept = json!({ "keep": true });
    browser.post(&format!("/api/v1/sessions/{session}/keep"), &kept).await;
    let changed = browser.get_again(&path, &tag).await;
    assert_eq!((changed.status, &changed.json()["kept"]), (200, &json!(true)));
}

#[tokio::test]
async fn a_file_is_sent_as_one_that_no_browser_shows() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let bundle = browser.get(&format!("/api/v1/sessions/{session}/bundle")).await;
    assert_eq!(bundle.status, 200, "{}", bundle.text());
    assert_eq!(bundle.header("content-type"), "application/octet-stream");
    assert_eq!(bundle.header("content-disposition"), "attachment");
    assert_eq!(bundle.header("content-security-policy"), "sandbox; default-src 'none'");
    assert!(bundle.text().contains(&session));
}

#[tokio::test]
async fn requests_beyond_their_bounds_are_refused() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    for (path, status) in [
        ("/api/v1/sessions?limit=201", 400),
        ("/api/v1/sessions?unknown=1", 400),
        ("/api/v1/sessions/not-an-id", 400),
        ("/api/v1/none", 404),
        ("/api/v2/sessions", 404),
        ("/api", 404),
    ] {
        let reply = browser.get(path).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.text());
        assert_eq!(reply.json()["code"], Code::ValidationError.as_str(), "{path}");
    }
    assert_eq!(browser.post("/api/v1/sessions", &json!({})).await.status, 405);
    let long = vec![b' '; 4 * 1024 * 1024 + 1];
    let reply = browser.send("POST /api/v1/enter", &browser.own(), &long).await;
    assert_eq!(reply.status, 413);
}

// shows: WR-500 (with the_console_does_not_name_the_calls_of_agents, the_doors_reach_projections_only_through_the_use_cases)
#[tokio::test]
async fn a_question_is_settled_and_one_that_is_not_there_is_refused() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let path = format!("/api/v1/sessions/{session}/settle");
    let (run, node) = Machine::tip(&browser, &session).await;
    let verdict = json!({ "run": run, "node": node, "verdict": "approve" });
    let refused = browser.post(&path, &verdict).await;
    assert_eq!(refused.status, 400, "{}", refused.text());
    let without = browser.post(&path, &json!({ "run": run, "verdict": "approve" })).await;
    assert!(without.text().contains("missing field `node`"), "{}", without.text());
    let twice = browser.post(&path, &json!({ "verdict": "approve", "session": session })).await;
    assert!(twice.text().contains("in the path and in the body"));
    let kept =
        browser.post(&format!("/api/v1/sessions/{session}/keep"), &json!({ "keep": true })).await;
    assert_eq!(kept.json()["kept"], true);
}

#[tokio::test]
async fn the_replies_of_every_page_are_there() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let (run, node) = Machine::tip(&browser, &session).await;
    let run = format!("sessions/{session}/runs/{run}");
    for (path, schema) in [
        ("inbox", "piton.inbox/1"),
        ("runs?query=status:in_progress&limit=8", "piton.session.page/1"),
        ("runs/completions?line=st&place=2", "piton.session.completions/1"),
        ("search?query=tour", "piton.search/1"),
        (&format!("sessions/{session}/events?limit=3"), "piton.session.events/1"),
        (&format!("{run}/shape"), "piton.run.shape/1"),
        (&format!("{run}/pinned"), "piton.run.pinned/1"),
        (&format!("{run}/drift"), "piton.run.drift/1"),
        (&format!("{run}/steps/{node}"), "piton.run.step/1"),
        (&format!("{run}/steps/{node}/writes"), "piton.run.writes/1"),
        (&format!("{run}/steps/{node}/prompt"), "piton.run.prompt/1"),
        ("workflows/built-ins", "piton.workflow.built_ins/1"),
        ("workflows/wr.tour/source", "piton.workflow.source/1"),
        ("workflows/wr.tour/compiled", "piton.workflow.compiled/1"),
        ("workflows/wr.tour/stats", "piton.workflow.stats/1"),
        ("backpacks", "piton.backpack.list/1"),
        ("workspaces", "piton.workspace.map/1"),
        ("settings", "piton.config.show/1"),
        ("settings/retention", "piton.session.gc/1"),
    ] {
        let reply = browser.get(&format!("/api/v1/{path}")).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_eq!(reply.json()["schema"], schema, "{path}");
    }
    // A project without Workspaces or context says what would give it some.
    for path in ["workspaces/log", "overlays/%2Fwork/changes", "context/level"] {
        let reply = browser.get(&format!("/api/v1/{path}")).await;
        assert!(reply.status >= 400, "{path}");
        assert!(!reply.json()["suggestion"].as_str().unwrap().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_console_without_a_demo_names_the_command_that_plays_one() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    let status = browser.get("/api/v1/demo").await.json();
    assert_eq!(status, json!({ "schema": "piton.demo.status/1" }));
    let refused = browser.post("/api/v1/demo", &json!({})).await;
    assert_eq!(refused.status, 400);
    assert!(refused.json()["suggestion"].as_str().unwrap().contains("`piton demo`"));
}

#[tokio::test]
async fn a_stopped_console_ends_and_frees_its_port() {
    let machine = Machine::start().await;
    let port = machine.port;
    let mut changes = machine.entered().await;
    changes.cookie = changes.cookie.take();
    let _open = changes.begin("GET /api/v1/changes", &changes.own(), b"").await;
    machine.stop().await;
    assert!(piton_console::Listener::bind(port).await.unwrap().is_some());
}

// shows: WR-502 (with a_program_reads_the_projections_of_the_runtime_and_nothing_else, the_doors_reach_projections_only_through_the_use_cases)
#[tokio::test]
async fn a_browser_reads_the_projections_of_the_runtime_and_nothing_else() {
    let machine = Machine::start().await;
    let session = machine.start_run("wr.tour").await;
    let browser = machine.entered().await;
    let (run, _) = Machine::tip(&browser, &session).await;
    let named = |schema: &str, reply: Value| {
        let mut named = reply;
        named["schema"] = json!(schema);
        named
    };
    let reference = SessionReference(session.clone());
    let shown = machine.runtime.show_session(&reference).await.unwrap();
    let tree = machine.runtime.run_tree(&reference).await.unwrap();
    let page = machine.runtime.run_page(&RunQuery::default()).await.unwrap();
    for (path, expected) in [
        (format!("sessions/{session}"), named("piton.session.show/1", json!(shown))),
        (format!("sessions/{session}/runs/{run}/tree"), named("piton.session.tree/1", json!(tree))),
        ("runs".to_owned(), named("piton.session.page/1", json!(page))),
    ] {
        let reply = browser.get(&format!("/api/v1/{path}")).await;
        assert_eq!(reply.json(), expected, "{path}");
    }
}

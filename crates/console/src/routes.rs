//! The table of routes.
//!
//! To add one: a line with its path, the name of its reply's schema, and the use case. A reply that follows from one
//! session alone says so with `of_session`. The page's types follow from the
//! types of the closure, with `cargo xtask generate`.

use piton_core::Envelope;
use piton_runtime::request::{InspectWorkflow, ListWorkflows};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::bounds::SHAPE_BYTES_MAX;
use crate::change_ring::ChangeNotice;
use crate::request::{
    ConsoleStatus, EnterConsole, KeepSession, OneArtifact, OneNode, OneRun, OneSession, SettleRun,
    SignedIn, TwoThings,
};
use crate::route::{NoFields, Route, RouteMethod, file, get, post};

/// Path of the stream of changes, below the API.
pub const CHANGES: &str = "/changes";

/// Path of the exchange of a key for a sign-in, below the API.
pub const ENTER: &str = "/enter";

/// Path that signs a browser out, below the API.
pub const LEAVE: &str = "/leave";

/// Path of the console's status, below the API.
pub const STATUS: &str = "/status";

/// Returns every route that a use case answers.
#[rustfmt::skip] // A line for each.
pub fn routes() -> Vec<Route> {
    vec![
        get("/sessions", "piton.session.list/1", |it, NoFields {}| async move { it.runtime.list_sessions().await }),
        get("/sessions/{session}", "piton.session.show/1", |it, asked: OneSession| async move { it.runtime.show_session(&asked.reference()).await }).of_session(|asked: &OneSession| asked.session),
        get("/sessions/{session}/runs/{run}/tree", "piton.session.tree/1", |it, asked: OneRun| async move { it.runtime.run_tree(&asked.reference()).await }).of_session(|asked: &OneRun| asked.session).with_bytes_max(SHAPE_BYTES_MAX),
        get("/sessions/{session}/runs/{run}/blame", "piton.blame.run/1", |it, asked: OneNode| async move { it.runtime.blame_node(&asked.reference()).await }),
        get("/sessions/{session}/runs/{run}/recap", "piton.blame.recap/1", |it, asked: OneNode| async move { it.runtime.blame_recap(&asked.reference()).await }),
        get("/sessions/{session}/runs/{run}/fork", "piton.fork/1", |it, asked: OneNode| async move { it.runtime.fork_run(&asked.reference()).await }),
        post("/sessions/{session}/settle", "piton.settle/1", |it, _, asked: SettleRun| async move {
            let (session, verdict) = asked.into_verdict();
            it.runtime.settle_run(&session, verdict).await
        }),
        post("/sessions/{session}/keep", "piton.session.keep/1", |it, _, asked: KeepSession| async move { it.runtime.keep_session(&asked.reference(), asked.keep).await }),
        post("/sessions/{session}/delete", "piton.session.delete/1", |it, _, asked: OneSession| async move { it.runtime.delete_session(&asked.reference()).await }),
        file("/sessions/{session}/bundle", |it, asked: OneSession| async move { it.runtime.export_session(&asked.reference(), false).await }),
        file("/artifacts/{digest}/content", |it, asked: OneArtifact| async move { it.artifact(asked.digest).await }),
        get("/compare", "piton.diff/1", |it, asked: TwoThings| async move {
            let (left, right) = asked.references()?;
            it.runtime.compare(&left, &right, &it.worlds()).await
        }),
        get("/workflows", "piton.workflow.list/1", |it, asked: ListWorkflows| async move { it.connect().list_workflows(&asked) }),
        get("/workflows/{workflowId}", "piton.workflow.show/1", |it, asked: InspectWorkflow| async move { it.connect().inspect_workflow(&asked) }),
        get("/settings/status", "piton.config.status/1", |it, NoFields {}| async move { it.runtime.status() }),
        get("/preferences", "piton.prefs/1", |it, NoFields {}| async move { it.runtime.preferences() }),
        get("/repairs", "piton.session.repairs/1", |it, NoFields {}| async move { it.runtime.set_aside().await }),
    ]
}

/// A route as the generator of the page's types reads it.
#[derive(Serialize)]
struct RouteTypes {
    method: RouteMethod,
    path: &'static str,
    schema: Option<&'static str>,
    request: Value,
    /// Nothing for a file.
    reply: Option<Value>,
}

/// Returns the routes with the schemas of their requests and replies, and of everything that these name.
pub fn describe() -> Value {
    // A request is described as it is read, a reply as it is written: a field that may be left out of the one is not the
    // same as a field that the other leaves out.
    let mut requests = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut replies = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut described: Vec<RouteTypes> = routes()
        .iter()
        .map(|route| RouteTypes {
            method: route.method,
            path: route.path,
            schema: route.schema,
            request: (route.request)(&mut requests).into(),
            reply: route.reply.map(|reply| reply(&mut replies).into()),
        })
        .collect();
    let nothing = |requests: &mut SchemaGenerator| requests.subschema_for::<NoFields>().into();
    let by_hand = [
        (
            RouteMethod::Post,
            ENTER,
            requests.subschema_for::<EnterConsole>().into(),
            replies.subschema_for::<SignedIn>(),
        ),
        (
            RouteMethod::Post,
            LEAVE,
            nothing(&mut requests),
            replies.subschema_for::<ConsoleStatus>(),
        ),
        (
            RouteMethod::Get,
            STATUS,
            nothing(&mut requests),
            replies.subschema_for::<ConsoleStatus>(),
        ),
    ];
    described.extend(by_hand.into_iter().map(|(method, path, request, reply)| RouteTypes {
        method,
        path,
        schema: None,
        request,
        reply: Some(reply.into()),
    }));
    described.sort_by_key(|route| (route.path, route.method.as_str()));
    let change: Value = replies.subschema_for::<ChangeNotice>().into();
    let error: Value = replies.subschema_for::<Envelope>().into();
    let definitions =
        |mut generator: SchemaGenerator| -> Map<String, Value> { generator.take_definitions(true) };
    json!({
        "routes": described,
        "change": change,
        "error": error,
        "requests": definitions(requests),
        "replies": definitions(replies),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{describe, routes};

    #[test]
    fn no_two_routes_have_the_same_method_and_path() {
        let all = routes();
        let distinct: BTreeSet<_> = all.iter().map(|route| format!("{route:?}")).collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn a_name_in_a_path_is_a_field_of_the_request() {
        let described = describe();
        for route in described["routes"].as_array().unwrap() {
            let path = route["path"].as_str().unwrap();
            let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
            let of = route["request"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            let fields = &described["requests"][of]["properties"];
            for (name, _) in names {
                assert!(fields.get(name).is_some(), "{path}: {fields}");
            }
        }
    }

    #[test]
    fn the_description_is_the_same_each_time() {
        assert_eq!(describe().to_string(), describe().to_string());
    }
}

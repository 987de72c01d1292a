//! More than one set of tools.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::{Code, Envelope};
use piton_mcp::ServerBuilder;
use piton_mcp::catalogue::{Catalogue, Hints, ToolCard, input, output};
use piton_mcp::sets::{CheckedCall, ToolReply, ToolSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rig::{Machine, Pipe};

/// What the tool of the set takes.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Say {
    /// What to say.
    word: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Said {
    word: String,
    run: Option<String>,
}

/// A set with one tool, which says what it was told.
struct Echo(Catalogue);

impl Echo {
    fn new() -> Self {
        let tool = ToolCard {
            name: "say",
            title: "Say",
            description: "Says a word.".to_owned(),
            hints: Hints { read_only: true, destructive: false, idempotent: true },
            input: Arc::new(input::<Say>()),
            output: Arc::new(output::<Said>()),
        };
        let instructions = "say says a word.".to_owned();
        Self(Catalogue { name: "echo", instructions, tools: vec![tool.within_a_run()] })
    }
}

impl ToolSet for Echo {
    fn catalogue(&self) -> &Catalogue {
        &self.0
    }

    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>> {
        Box::pin(async move {
            assert_eq!(call.tool(), "say");
            let run = call.run().map(str::to_owned);
            let Say { word } = call.request()?;
            if word == "mud" {
                return Err(Envelope::new(Code::ValidationError, "That is no word."));
            }
            Ok(ToolReply::new(Said { word, run }, |said| said.word.clone()))
        })
    }
}

/// A client that is offered the set if its connection is given it.
async fn client(machine: &Machine, is_given: bool) -> (Pipe, Value) {
    let offer = ServerBuilder::from(machine.runtime())
        .with(move |_| is_given.then(|| Arc::new(Echo::new()) as Arc<dyn ToolSet>));
    Pipe::offered(machine, offer).await
}

fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_connection_lists_the_tools_of_the_sets_that_it_is_given() {
    let machine = Machine::new();
    for (is_given, count) in [(true, 8), (false, 7)] {
        let (mut pipe, welcome) = client(&machine, is_given).await;
        let listed = pipe.request("tools/list", json!({})).await;
        assert_eq!(names(&listed).len(), count);
        assert_eq!(names(&listed).contains(&"say"), is_given);
        let instructions = welcome["result"]["instructions"].as_str().unwrap();
        assert!(instructions.contains("start_workflow"), "{instructions}");
        assert_eq!(instructions.ends_with("\n\nsay says a word."), is_given, "{instructions}");
        let refused = pipe.try_call("shout", json!({})).await;
        let words = refused["error"]["message"].as_str().unwrap();
        assert!(words.contains("list_workflows") && words.contains("say") == is_given, "{words}");
    }
}

#[tokio::test]
async fn a_call_goes_to_the_set_of_its_tool() {
    let machine = Machine::new();
    let (mut pipe, _) = client(&machine, true).await;
    let said = pipe.call("say", json!({ "word": "ibis" })).await;
    assert_eq!(said.structured, json!({ "word": "ibis", "run": null }));
    let started = pipe.start("project.plain").await;
    assert_eq!(started.at("/pending/prompt"), "Do first.");
    let (mut pipe, _) = client(&machine, false).await;
    let refused = pipe.try_call("say", json!({ "word": "ibis" })).await;
    assert_eq!(refused["error"]["code"], -32602, "who is not given a set does not reach it");
}

#[tokio::test]
async fn the_run_of_a_call_is_kept_apart_from_what_it_asks_for() {
    let machine = Machine::new();
    let (mut pipe, _) = client(&machine, true).await;
    let listed = pipe.request("tools/list", json!({})).await;
    let schema = &listed["result"]["tools"][7]["inputSchema"];
    assert_eq!(schema["properties"]["run"]["type"], "string");
    assert_eq!(schema["required"], json!(["word"]), "a call without a run is a call");
    let said = pipe.call("say", json!({ "word": "ibis", "run": "a.token" })).await;
    assert_eq!(said.structured, json!({ "word": "ibis", "run": "a.token" }));
    for (arguments, part) in [
        (json!({ "word": "ibis", "run": 5 }), "`run` must be text, not a number"),
        (json!({ "run": "a.token" }), "`word` is missing"),
        (json!({ "word": "ibis", "runs": "x" }), "`runs` is not a field: there is run, word"),
        (json!({ "word": "mud" }), "That is no word."),
    ] {
        let refused = pipe.call("say", arguments).await;
        assert_eq!(refused.code(), "VALIDATION_ERROR");
        assert!(refused.text.contains(part), "{}", refused.text);
    }
}

#[tokio::test]
async fn a_set_that_panics_ends_one_call() {
    struct Broken(Catalogue);
    impl ToolSet for Broken {
        fn catalogue(&self) -> &Catalogue {
            &self.0
        }
        fn call<'a>(&'a self, _: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>> {
            Box::pin(async { panic!("a fault with a secret in its words") })
        }
    }
    let machine = Machine::new();
    let offer = ServerBuilder::from(machine.runtime())
        .with(|_| Some(Arc::new(Broken(Echo::new().0)) as Arc<dyn ToolSet>));
    let (mut pipe, _) = Pipe::offered(&machine, offer).await;
    let failed = pipe.call("say", json!({ "word": "ibis" })).await;
    assert_eq!(failed.code(), "INTERNAL_ERROR");
    assert!(!failed.text.contains("secret"), "{}", failed.text);
    pipe.start("project.plain").await;
}

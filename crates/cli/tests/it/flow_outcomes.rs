//! What `piton flow run` says of answers, warnings and batches, with a model on a real socket.

use std::process::Stdio;
use std::time::Duration;

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply, ServerFault};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::rig::Rig;
use crate::text;

/// A project with a model server, and how a flow is run there.
struct Bench {
    rig: Rig,
    executor: Runtime,
    server: ModelServer,
    models: String,
}

impl Bench {
    fn new() -> Self {
        let executor = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = executor.block_on(ModelServer::start());
        let rig = Rig::new();
        let provider = json!({ "name": "local", "wire": "openai", "model": "small",
            "baseUrl": server.base_url(WireFormat::OpenAi) });
        let models = json!({ "default": "local", "providers": [provider] }).to_string();
        let models = rig.write("models.json", &models).to_str().unwrap().to_owned();
        Self { rig, executor, server, models }
    }

    /// Writes a flow of these nodes and edges, and returns its path.
    fn flow(&self, nodes: &Value, edges: &Value) -> String {
        let text = json!({ "nodes": nodes, "edges": edges }).to_string();
        self.rig.write("flow.json", &text).to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.rig.run(&[arguments, &["--models", &self.models]].concat());
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    /// The same, of a command that asks no models.
    fn run_plain(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.rig.run(arguments);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    /// What a run left under `answers`.
    fn answers(&self, backpack: &str) -> Value {
        let shown = self.rig.says(&["backpack", "at", backpack, "--key", "answers"]);
        serde_json::from_str(&shown).unwrap()
    }

    /// Waits until the server was sent so many requests.
    fn until_asked(&self, count: usize) {
        self.executor.block_on(async {
            while self.server.seen().len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    }
}

fn answer(message: &Value, reason: &str) -> ScriptedReply {
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
    ScriptedReply::Raw(json!({ "choices": [choice] }), Vec::new())
}

// shows in part: CT-070
#[test]
fn an_answer_that_is_not_complete_fails_the_run_and_says_why() {
    let bench = Bench::new();
    let flow = bench
        .flow(&json!([{ "id": "ask", "type": "chat", "params": { "prompt": "hi" } }]), &json!([]));
    let refusal = json!({ "content": null, "refusal": "I cannot help with that" });
    let table = [
        (answer(&refusal, "stop"), "I cannot help with that"),
        (answer(&json!({ "content": "" }), "length"), "limit of tokens"),
        (answer(&json!({ "content": "half of it" }), "length"), "limit of tokens"),
        (answer(&json!({ "content": null }), "stop"), "is empty"),
        (
            ScriptedReply::Raw(
                json!({ "error": { "message": "out of credit", "type": "invalid_request_error" } }),
                Vec::new(),
            ),
            "out of credit",
        ),
    ];
    for (reply, words) in table {
        bench.server.push_reply(reply.clone());
        let (code, said) = bench.run(&["flow", "run", &flow]);
        assert_eq!(code, Some(1), "{reply:?}: {said}");
        assert!(said.contains(words), "{reply:?}: {said}");
    }
    let parts = json!({ "content": [{ "type": "text", "text": "in " }, { "type": "text", "text": "parts" }] });
    bench.server.push_reply(answer(&parts, "stop"));
    let (code, said) = bench.run(&["flow", "run", &flow, "--backpack", "whole"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(bench.rig.says(&["backpack", "at", "whole", "--key", "answer"]).contains("in parts"));
}

#[test]
fn the_advice_of_an_answer_that_was_cut_off_can_be_followed() {
    let bench = Bench::new();
    let flow = bench
        .flow(&json!([{ "id": "ask", "type": "chat", "params": { "prompt": "hi" } }]), &json!([]));
    bench.server.push_reply(answer(&json!({ "content": "half of" }), "length"));
    let (code, said) = bench.run(&["flow", "run", &flow]);
    assert_eq!(code, Some(1), "{said}");
    let advised = said.split('`').find(|text| text.starts_with("\"options\"")).expect(&said);
    let params = format!(r#"{{ "prompt": "hi", {advised} }}"#);
    let params: Value = serde_json::from_str(&params).unwrap();
    let flow = bench.flow(&json!([{ "id": "ask", "type": "chat", "params": params }]), &json!([]));
    bench.server.push_reply(ScriptedReply::text("all of it"));
    let (code, said) = bench.run(&["flow", "run", &flow]);
    assert_eq!(code, Some(0), "{said}");
    let sent: Vec<Value> =
        bench.server.seen().iter().map(|seen| seen.body["max_tokens"].clone()).collect();
    assert_eq!(sent, [json!(4096), json!(16_000)]);
}

#[test]
fn a_misspelt_edge_is_reported_by_the_check_and_by_the_run() {
    let bench = Bench::new();
    let choices = json!([{ "action": "short" }, { "action": "long" }]);
    let chat = |id: &str| json!({ "id": id, "type": "chat", "params": { "prompt": "hi" } });
    let flow = bench.flow(
        &json!([
            { "id": "pick", "type": "decision", "params": { "prompt": "?", "choices": choices } },
            chat("brief"), chat("essay"),
        ]),
        &json!([
            { "from": "pick", "to": "brief", "condition": "shrot" },
            { "from": "pick", "to": "essay", "condition": "long" },
        ]),
    );
    let (code, said) = bench.run_plain(&["flow", "check", &flow]);
    assert_eq!(code, Some(0));
    assert!(said.contains("edges[0].condition") && said.contains("`shrot`"), "{said}");
    let dead_end =
        "nodes[0]: the flow can end here: nothing follows on `short`, only on shrot, long";
    assert!(said.contains(dead_end), "{said}");
    assert!(said.contains("The flow can run, with 2 warnings."), "{said}");

    bench.server.push_reply(ScriptedReply::call("decide", json!({ "choice": "short" })));
    let (code, said) = bench.run(&["flow", "run", &flow]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("warning: edges[0].condition"), "{said}");
    assert!(
        said.contains("warning: pick: the flow ends here: nothing follows on `short`"),
        "{said}"
    );

    bench.server.push_reply(ScriptedReply::call("decide", json!({ "choice": "short" })));
    let (_, said) = bench.run(&["flow", "run", &flow, "--json"]);
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(told["warnings"].as_array().unwrap().len(), 3, "{told}");
}

/// The arguments of the command in what was printed that begins like this.
fn command<'s>(said: &'s str, start: &str) -> Vec<&'s str> {
    let command = said.split('`').skip(1).step_by(2).find(|part| part.starts_with(start));
    command.expect(said).split(' ').skip(1).collect()
}

#[test]
fn what_was_not_set_is_set_by_the_command_that_a_failed_run_names() {
    let bench = Bench::new();
    let chat = json!({ "prompt": "How is {{city}} on {{day}}?" });
    let shape = json!({ "city": { "type": "string" } });
    for extra in [json!({}), json!({ "inputs": shape })] {
        let mut node = json!({ "id": "ask", "type": "chat", "params": chat });
        node.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let flow = bench.flow(&json!([node]), &json!([]));
        let (code, said) = bench.run(&["flow", "run", &flow, "--set", "day=\"3\""]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("--set city=VALUE") && !said.contains("flow resume"), "{said}");
        let again = command(&said, "piton flow run");
        let again: Vec<String> =
            again.iter().map(|word| word.replace("VALUE", "Paris").replace('\'', "")).collect();
        bench.server.push_reply(ScriptedReply::text("sunny"));
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        let (code, said) = bench.run_plain(&again);
        assert_eq!(code, Some(0), "{again:?}: {said}");
        let asked = bench.server.seen().last().unwrap().body["messages"][0]["content"].clone();
        assert_eq!(asked, "How is Paris on 3?");
    }
}

#[test]
fn a_run_without_a_provider_says_where_to_name_one_and_that_works() {
    let bench = Bench::new();
    let flow = bench
        .flow(&json!([{ "id": "ask", "type": "chat", "params": { "prompt": "hi" } }]), &json!([]));
    let (code, said) = bench.run_plain(&["flow", "run", &flow, "--backpack", "configured"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no provider is named"), "{said}");
    assert!(said.contains("`default = \"NAME\"` under `[models]`"), "{said}");
    assert!(said.contains("`name`, `wire` and `model` under `[[models.providers]]`"), "{said}");
    let place = said.split("into ").nth(1).unwrap().split(".toml").next().unwrap();
    let place = std::path::PathBuf::from(format!("{place}.toml"));
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    let url = bench.server.base_url(WireFormat::OpenAi);
    let provider =
        format!("name = \"near\"\nwire = \"openai\"\nmodel = \"m\"\nbase_url = \"{url}\"");
    let settings = format!("[models]\ndefault = \"near\"\n\n[[models.providers]]\n{provider}\n");
    std::fs::write(place, settings).unwrap();
    bench.server.push_reply(ScriptedReply::text("hello"));
    let (code, said) = bench.run_plain(&command(&said, "piton flow resume"));
    assert_eq!(code, Some(0), "{said}");

    let mut provider = json!({ "name": "near", "wire": "openai", "model": "m", "baseUrl": url });
    let write = |settings: Value| bench.rig.write("few.json", &settings.to_string());
    let file = write(json!({ "providers": [provider] })).to_str().unwrap().to_owned();
    let run = ["flow", "run", &flow, "--models", &file, "--backpack", "in-a-file"];
    let (code, said) = bench.run_plain(&run);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("`\"default\": \"NAME\"`"), "{said}");
    assert!(said.contains("into the file that --models names"), "{said}");
    provider["name"] = json!("far");
    write(json!({ "default": "far", "providers": [provider] }));
    bench.server.push_reply(ScriptedReply::text("hello"));
    let (code, said) = bench.run_plain(&command(&said, "piton flow resume"));
    assert_eq!(code, Some(0), "{said}");
}

// shows in part: BP-102
#[test]
fn a_batch_that_is_resumed_asks_only_about_what_was_not_answered() {
    let bench = Bench::new();
    let flow = bench.flow(
        &json!([{ "id": "each", "type": "chat_each", "params": { "over": "texts", "prompt": "?" } }]),
        &json!([]),
    );
    let texts = r#"texts=["a","b","c","d","e"]"#;
    let answers = |server: &ModelServer, words: &[&str]| {
        for word in words {
            server.push_reply(ScriptedReply::text(word));
        }
    };
    // One entry is refused by the provider.
    answers(&bench.server, &["A", "B", "C", "D"]);
    bench.server.push_reply(ScriptedReply::status(400, "poisoned"));
    let start = ["flow", "run", &flow, "--set", texts, "--backpack", "refused"];
    let (code, said) = bench.run(&start);
    assert_eq!((code, bench.server.seen().len()), (Some(1), 5), "{said}");
    answers(&bench.server, &["E"]);
    let (code, said) = bench.run(&["flow", "resume", "refused"]);
    assert_eq!((code, bench.server.seen().len()), (Some(0), 6), "{said}");
    assert_eq!(bench.answers("refused"), json!(["A", "B", "C", "D", "E"]));

    // The process is killed while the fifth is asked about, twice.
    answers(&bench.server, &["A", "B", "C", "D"]);
    let killed = |arguments: &[&str], asked: usize| {
        bench.server.push_reply(ScriptedReply::Fault(ServerFault::Hang));
        let arguments = [arguments, &["--models", &bench.models]].concat();
        let mut child = bench.rig.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        bench.until_asked(asked);
        child.kill().unwrap();
        child.wait().unwrap();
    };
    killed(&["flow", "run", &flow, "--set", texts, "--backpack", "killed"], 11);
    killed(&["flow", "resume", "killed"], 12);
    answers(&bench.server, &["E"]);
    let (code, said) = bench.run(&["flow", "resume", "killed"]);
    assert_eq!((code, bench.server.seen().len()), (Some(0), 13), "{said}");
    assert_eq!(bench.answers("killed"), json!(["A", "B", "C", "D", "E"]));
}

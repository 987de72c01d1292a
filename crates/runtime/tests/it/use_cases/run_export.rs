//! A run as one document: everything that is recorded, and nothing that must not leave the machine.

use piton_backpack::journal::{Holder, JournaledBackpack, Mode};
use piton_backpack::{NodeIdentity, Options, PackOptions};
use piton_core::Provenance;
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::provenance::Worlds;
use piton_runtime::redaction::MachinePaths;
use piton_runtime::reply::{OmissionKind, RunExport};
use piton_runtime::request::{Continue, Freshness, RunAddress, SessionReference, SubmittedOutput};
use serde_json::{Value, json};

use super::comparing::journal;
use crate::rig::{Machine, notes, start, two_steps};

/// A value that a person protected.
const SECRET: &str = "4111 1111 1111 1111";

fn count(export: &RunExport, kind: OmissionKind) -> usize {
    let mut omissions = export.omissions.iter();
    omissions.find(|omission| omission.kind == kind).map_or(0, |omission| omission.count)
}

/// A run whose agent wrote down everything that it should not, in a repository of the home directory.
async fn careless(machine: &Machine, token_in_notes: bool) -> (RunExport, String) {
    machine.write("project/.piton/workflows/two.json", &two_steps("project.two"));
    machine.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let agent = machine.agent();
    let mut request = start("project.two");
    let home = machine.home().display().to_string();
    request.context =
        json!({ "log": format!("{home}/project/build.log"), "card": SECRET }).as_object().cloned();
    let first = agent.start_workflow(request).await.unwrap();
    let token = first.body.ack_token.clone().unwrap();
    let quoted = if token_in_notes { token.as_str() } else { "none" };
    let text = format!(
        "Called with {quoted} in {home}/project/src/main.rs, paid with {SECRET}.\n</script><!-- \u{202e}\u{1b}[31m"
    );
    let artifact = json!({ "kind": "my.plan", "token": quoted, "path": format!("{home}/.ssh/id") });
    let output = SubmittedOutput { notes_markdown: Some(text.clone()), artifacts: vec![artifact] };
    let call = Continue { ack_token: Some(token), output: Some(output), ..Continue::default() };
    agent.continue_workflow(call).await.unwrap();
    let runtime = machine.runtime();
    let at = RunAddress { session: first.body.run.session_id, run: first.body.run.run_id };
    let node = runtime.run_shape(at, Freshness::Now).await.unwrap().shape.nodes.id[0];

    let ports = journal(machine);
    let (id, holder) = ("paid".parse().unwrap(), Holder::new("a test").unwrap());
    let opened =
        JournaledBackpack::open(&id, holder, Mode::Durable, Options::default(), ports.clone());
    let backpack = opened.await.unwrap().backpack;
    let step = Provenance { session: at.session, run: at.run, node, step: "first".to_owned() };
    let scope = backpack.scope(NodeIdentity::new("one", "one").unwrap(), None).unwrap();
    let scope = scope.at_step(Some(step));
    let options = PackOptions::new().tagged(["pii"]).unwrap();
    scope.pack_with("card", &json!({ "number": SECRET }), &options).unwrap().done().unwrap();
    scope.pack("total", &json!(12)).unwrap().done().unwrap();
    backpack.close().await.unwrap();

    let backpacks = Backpacks::new(ports);
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let paths = MachinePaths::default().home(Some(&machine.home()));
    (runtime.export_run(at, &worlds, paths).await.unwrap(), text)
}

// shows in part: WR-502 (an exported run is what the console's replies say)
#[tokio::test]
async fn an_exported_run_has_everything_that_a_page_shows() {
    let machine = Machine::in_memory();
    let (export, _) = careless(&machine, false).await;
    let runtime = machine.runtime();
    let at = RunAddress { session: export.session_id, run: export.run_id };
    let shape = runtime.run_shape(at, Freshness::Now).await.unwrap();
    assert_eq!(export.steps.len(), shape.shape.nodes.id.len());
    assert_eq!(export.shape["shape"], serde_json::to_value(&shape.shape).unwrap());
    let first = &export.steps[&shape.shape.nodes.id[0].to_string()];
    assert_eq!(first["detail"]["attempts"]["items"].as_array().unwrap().len(), 1);
    let keys = first["writes"]["written"]["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(keys[1]["after"].as_str().unwrap().contains("12"), "{keys:?}");
    let second = &export.steps[&shape.shape.nodes.id[1].to_string()];
    assert!(second["recap"]["lines"].to_string().contains("Called with"), "{second}");
    let kinds: Vec<&str> =
        export.events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "session_created");
    assert!(kinds.contains(&"run_started") && kinds.contains(&"advance_recorded"), "{kinds:?}");
}

#[tokio::test]
async fn no_token_protected_value_or_path_of_the_machine_is_in_it() {
    let machine = Machine::in_memory();
    let (export, notes) = careless(&machine, true).await;
    let whole = serde_json::to_value(&export).unwrap();
    let mut texts = Vec::new();
    collect(&whole, &mut texts);
    let home = machine.home().display().to_string();
    assert!(notes.contains(&home) && notes.contains(SECRET), "the agent did write them down");
    for text in &texts {
        for secret in [home.as_str(), SECRET, "ak-"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    // What is taken out is replaced, counted and said; the text around it stays.
    let detail = export.steps.values().map(|step| step["detail"]["outputs"].to_string());
    let outputs: Vec<String> = detail.filter(|text| text.contains("Called with")).collect();
    assert!(
        outputs[0].contains("[token] in [directory]/src/main.rs, paid with [protected]."),
        "{outputs:?}"
    );
    assert!(outputs[0].contains("~/.ssh/id"), "{outputs:?}");
    for kind in [OmissionKind::Tokens, OmissionKind::ProtectedValues, OmissionKind::MachinePaths] {
        assert!(count(&export, kind) > 0, "{kind}: {:?}", export.omissions);
    }
    assert!(
        export.omissions.iter().all(|omission| omission.text.contains(&omission.count.to_string()))
    );
}

#[tokio::test]
async fn the_same_run_is_exported_the_same_and_nothing_is_written() {
    let machine = Machine::in_memory();
    let (export, _) = careless(&machine, false).await;
    let runtime = machine.runtime();
    let at = RunAddress { session: export.session_id, run: export.run_id };
    let version = runtime.session_version(at.session).await.unwrap();
    let backpacks = Backpacks::new(journal(&machine));
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let one = runtime.export_run(at, &worlds, MachinePaths::default()).await.unwrap();
    let other = runtime.export_run(at, &worlds, MachinePaths::default()).await.unwrap();
    assert_eq!(one, other);
    assert_eq!(runtime.session_version(at.session).await.unwrap(), version);
    // The directory of the repository is known from the run itself.
    let home = machine.project().display().to_string();
    assert!(!serde_json::to_string(&one).unwrap().contains(&home));
}

#[tokio::test]
async fn a_run_with_more_than_fits_says_what_is_missing() {
    let machine = Machine::in_memory();
    let steps: Vec<String> = (0..24).map(|number| format!("step{number}")).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let file = crate::rig::workflow("project.long", &steps);
    machine.write("project/.piton/workflows/long.json", &file);
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.long")).await.unwrap();
    let (run, mut token) = (first.body.run.run_id, first.body.ack_token);
    // Large artifacts, of which each step keeps a few beside its notes.
    let line = "x".repeat(900_000);
    for _ in 0..23 {
        let artifact = json!({ "kind": "my.log", "text": line });
        let output =
            SubmittedOutput { notes_markdown: Some("Done.".to_owned()), artifacts: vec![artifact] };
        let call = Continue { ack_token: token, output: Some(output), ..Continue::default() };
        token = agent.continue_workflow(call).await.unwrap().body.ack_token;
    }
    agent.continue_workflow(notes(token.as_ref(), "End.")).await.unwrap();
    let runtime = machine.runtime();
    let at = runtime.run_address(&SessionReference(run.to_string())).await.unwrap();
    let backpacks = Backpacks::new(journal(&machine));
    let worlds = Worlds { backpacks: &backpacks, files: None, frames: None };
    let export = runtime.export_run(at, &worlds, MachinePaths::default()).await.unwrap();
    let bytes = serde_json::to_vec(&export).unwrap().len();
    assert!(bytes <= piton_runtime::bounds::RUN_EXPORT_BYTES_MAX + 64 * 1024, "{bytes}");
    let missing =
        count(&export, OmissionKind::Steps) + count(&export, OmissionKind::ArtifactContents);
    assert!(missing > 0, "{:?}", export.omissions);
    assert_eq!(export.steps.len() + count(&export, OmissionKind::Steps), 25);
}

/// Collects every text of a document, names of fields too.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => {
            for (name, field) in fields {
                texts.push(name);
                collect(field, texts);
            }
        }
        _ => {}
    }
}

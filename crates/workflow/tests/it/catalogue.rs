//! What authors may take from Piton by name.

use std::collections::BTreeSet;

use piton_workflow::Capability;
use piton_workflow::catalogue::{BuiltinKind, CatalogueEntry, PastePoint, catalogue};
use piton_workflow::compile::{Definitions, Feature, StepTemplate};
use serde_json::{Value, json};

use crate::source::compile_value;

// shows: WR-513
#[test]
fn the_catalogue_holds_what_the_compiler_knows_and_nothing_else() {
    let of = |kind: BuiltinKind| -> BTreeSet<String> {
        let entries = catalogue().into_iter().filter(|entry| entry.kind == kind);
        entries.map(|entry| entry.id).collect()
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let standard = Definitions::standard();
    let contracts = standard.contracts.keys().map(|id| id.as_str().to_owned()).collect();
    let refs = standard.refs.keys().map(|id| id.as_str().to_owned()).collect();
    assert_eq!(of(BuiltinKind::Contract), contracts);
    assert_eq!(of(BuiltinKind::Ref), refs);
    assert_eq!(of(BuiltinKind::Feature), names(Feature::NAMES));
    assert_eq!(of(BuiltinKind::Template), names(StepTemplate::NAMES));
    assert_eq!(of(BuiltinKind::Probe), names(Capability::NAMES));
    let ids: BTreeSet<_> = catalogue().into_iter().map(|entry| entry.id).collect();
    assert_eq!(ids.len(), catalogue().len());
}

/// A workflow in which what `entry` says was pasted where it says.
fn pasted(entry: &CatalogueEntry) -> Value {
    let decision = json!({
        "id": "decide", "title": "Decide", "prompt": "Decide.",
        "outputContract": { "contractRef": "wr.contracts.loop_control" },
    });
    let mut body = vec![json!({ "id": "look", "title": "Look", "prompt": "Look." })];
    let mut step = json!({ "id": "work", "title": "Work", "prompt": "Work." });
    let mut workflow = json!({
        "id": "project.sample",
        "conditions": [{ "conditionId": "again", "kind": "loop_control", "loopId": "rounds" }],
    });
    let is_decision = entry.insert["templateId"] == "wr.templates.loop_decision";
    match entry.place {
        PastePoint::Workflow => merge(&mut workflow, &entry.insert),
        PastePoint::Features => workflow["features"] = json!([entry.insert]),
        PastePoint::Steps => body.push(entry.insert.clone()),
        PastePoint::Step => merge(&mut step, &entry.insert),
        PastePoint::PromptPart => {
            step.as_object_mut().expect("a step is an object").remove("prompt");
            step["promptBlocks"] = json!({ "procedure": [[entry.insert]] });
        }
    }
    if !is_decision {
        body.push(decision);
    }
    let condition = json!({ "kind": "condition_ref", "conditionId": "again" });
    let rounds = json!({
        "type": "loop", "loopId": "rounds", "maxIterations": 2, "while": condition, "body": body,
    });
    workflow["steps"] = json!([step, rounds]);
    workflow
}

fn merge(into: &mut Value, fields: &Value) {
    let fields = fields.as_object().expect("fields are an object").clone();
    into.as_object_mut().expect("so is what they go into").extend(fields);
}

// shows: WR-516
#[test]
fn every_entry_has_a_label_a_description_and_a_form_that_compiles_where_it_is_pasted() {
    for entry in catalogue() {
        let CatalogueEntry { id, label, description, .. } = &entry;
        assert!(label.starts_with(char::is_uppercase) && !label.contains(['.', '_']), "{label}");
        assert!(description.ends_with('.') && description.len() > 20, "{id}: {description}");
        let workflow = pasted(&entry);
        let compiled =
            compile_value(&workflow).unwrap_or_else(|problems| panic!("{id}: {problems:#?}"));
        let compiled = serde_json::to_string(&compiled).unwrap();
        assert!(compiled.contains(&format!("\"{id}\"")), "{id} leaves a trace");
    }
}

#[test]
fn contracts_show_an_artifact_and_texts_show_themselves() {
    for entry in catalogue() {
        let shown = matches!(entry.kind, BuiltinKind::Contract | BuiltinKind::Ref);
        assert_eq!(entry.content.is_some(), shown, "{}", entry.id);
    }
}

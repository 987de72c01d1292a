//! What changes the workflow hash and what does not.

use piton_core::canonical::encode;
use piton_core::{Digest, WorkflowHash};
use piton_workflow::SourceKind;
use piton_workflow::compile::{CompiledWorkflow, Definitions, SequenceEntry, compile};
use piton_workflow::source::SourceOrigin;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::source::{compile_value, origin, rich};

fn hash(source: &Value) -> WorkflowHash {
    compile_value(source).expect("it compiles").workflow_hash()
}

#[track_caller]
fn check(change: impl FnOnce(&mut Value), same: bool) {
    let mut source = rich();
    change(&mut source);
    assert_eq!(hash(&source) == hash(&rich()), same, "{source:#}");
}

// shows: WR-006, WR-544
// shows in part: WR-358 (what is hashed)
#[test]
fn the_hash_is_the_digest_of_the_canonical_json_of_the_whole_workflow() {
    let workflow = compile_value(&rich()).unwrap();
    let text = workflow.canonical();
    insta::assert_snapshot!("golden_json", text.as_str());
    insta::assert_snapshot!("golden_hash", workflow.workflow_hash().to_string());
    let value: Value = serde_json::from_str(text.as_str()).unwrap();
    let again = Digest::of(&encode(&value).unwrap());
    assert_eq!(workflow.workflow_hash().digest(), again);
}

#[test]
fn spaces_in_the_file_make_no_difference() {
    let spaced = serde_json::to_string_pretty(&rich()).unwrap();
    let workflow = compile(&spaced, &origin(), &Definitions::standard()).unwrap();
    assert_eq!(workflow.workflow_hash(), hash(&rich()));
}

// shows: WR-366
#[test]
fn the_place_of_the_file_and_the_time_make_no_difference() {
    let elsewhere = SourceOrigin::new(SourceKind::Remote, "git@host:workflows");
    let workflow = compile(&rich().to_string(), &elsewhere, &Definitions::standard()).unwrap();
    assert_eq!(workflow.workflow_hash(), hash(&rich()));
}

// shows: WR-371
#[test]
fn features_may_stand_in_any_order_and_twice() {
    check(|source| source["features"].as_array_mut().unwrap().reverse(), true);
    check(
        |source| {
            source["features"].as_array_mut().unwrap().push(json!("wr.features.closing_review"));
        },
        true,
    );
    let applied: Vec<_> = compile_value(&rich())
        .unwrap()
        .features
        .into_iter()
        .map(|feature| feature.feature_id)
        .collect();
    assert!(applied.is_sorted());
}

// shows: WR-372
#[test]
fn a_setting_of_a_feature_counts_and_its_default_is_written_out() {
    check(|source| source["features"][0]["config"]["linesMin"] = json!(6), false);
    check(|source| source["features"][0]["config"]["linesMax"] = json!(30), true);
    check(|source| source["features"][0]["config"]["linesMax"] = json!(31), false);
}

/// A second loop, and a second condition, before the first ones by id.
fn with_second_loop() -> Value {
    let mut source = rich();
    let mut second = source["steps"][1].clone();
    second["loopId"] = json!("another");
    second["while"]["conditionId"] = json!("a_second");
    second["body"][0]["id"] = json!("look2");
    second["body"][1]["id"] = json!("decide2");
    source["steps"].as_array_mut().expect("it is a list").push(second);
    let condition = json!({"conditionId": "a_second", "kind": "loop_control", "loopId": "another"});
    source["conditions"].as_array_mut().expect("it is a list").push(condition);
    source
}

// shows: WR-378
#[test]
fn conditions_may_stand_in_any_order() {
    let source = with_second_loop();
    let mut shuffled = source.clone();
    shuffled["conditions"].as_array_mut().unwrap().reverse();
    assert_eq!(hash(&source), hash(&shuffled));
}

// shows: WR-379
#[test]
fn the_order_of_steps_counts_and_loops_are_listed_by_id() {
    let source = with_second_loop();
    let mut turned = source.clone();
    turned["steps"].as_array_mut().unwrap().reverse();
    let (workflow, turned) = (compile_value(&source).unwrap(), compile_value(&turned).unwrap());
    let ids: Vec<_> = workflow.loops.iter().map(|of| of.loop_id.as_str()).collect();
    assert_eq!(ids, ["another", "rounds"]);
    assert_eq!(workflow.loops, turned.loops, "wherever they stand");
    assert_ne!(workflow.sequence, turned.sequence);
    let body = |at: usize| {
        let name = |entry: &SequenceEntry| match entry {
            SequenceEntry::Step { step_id } => step_id.to_string(),
            SequenceEntry::Loop { loop_id } => loop_id.to_string(),
        };
        workflow.loops[at].body.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!([body(0), body(1)], [["look2", "decide2"], ["look", "decide"]]);
    check(|source| source["steps"].as_array_mut().unwrap().swap(0, 2), false);
    check(|source| source["steps"][1]["body"].as_array_mut().unwrap().swap(0, 1), false);
}

// shows: WR-365
#[test]
fn the_id_counts() {
    check(|source| source["id"] = json!("project.review2"), false);
}

// shows: WR-389
#[test]
fn function_definitions_and_references_count() {
    check(|source| source["functionDefinitions"][0]["definition"] = json!("Doubt it."), false);
    check(|source| source["steps"][0]["functionReferences"] = json!([]), false);
}

// shows: WR-408
#[test]
fn recommendations_count() {
    let at = "recommendedPreferences";
    check(|source| source[at]["recommendedAutonomy"] = json!("full_auto_never_stop"), false);
    check(|source| source[at]["recommendedRiskPolicy"] = json!("conservative"), false);
}

#[test]
fn whatever_an_agent_reads_or_is_checked_against_counts() {
    check(|source| source["name"] = json!("Another"), false);
    check(|source| source["agentRole"] = json!("Another."), false);
    check(|source| source["capabilities"]["delegation"] = json!("disabled"), false);
    check(|source| source["steps"][0]["title"] = json!("Another"), false);
    check(|source| source["steps"][0]["requireConfirmation"] = json!(false), false);
    check(|source| source["steps"][0]["promptBlocks"]["verify"] = json!(["Another."]), false);
    check(|source| source["steps"][0]["validationCriteria"]["and"][2]["min"] = json!(101), false);
    check(|source| source["steps"][1]["maxIterations"] = json!(4), false);
    check(|source| source["steps"][2]["args"]["capability"] = json!("web_browsing"), false);
}

// shows: WR-384
// shows in part: WR-358 (that what the source only names is expanded)
#[test]
fn a_text_is_embedded_so_a_change_of_it_counts_for_what_is_compiled_later() {
    let pinned = compile_value(&rich()).unwrap();
    let mut catalog = Definitions::standard();
    catalog.refs.insert("wr.refs.notes_first".parse().unwrap(), "Another text.".into());
    let later = compile(&rich().to_string(), &origin(), &catalog).unwrap();
    assert_ne!(later.workflow_hash(), pinned.workflow_hash());
    assert!(later.steps.iter().any(|step| step.prompt.contains("Another text.")));
    let read = CompiledWorkflow::read(pinned.canonical().as_bytes()).unwrap();
    assert_eq!(read.workflow_hash(), pinned.workflow_hash());
    assert_eq!(read, pinned);
}

/// The JSON of `value` with the fields of every object rotated by an amount that `turns` gives.
fn shuffled(value: &Value, turns: &mut impl Iterator<Item = usize>) -> String {
    match value {
        Value::Object(entries) => {
            let mut fields: Vec<_> = entries
                .iter()
                .map(|(name, value)| format!("{}:{}", json!(name), shuffled(value, turns)))
                .collect();
            let count = fields.len().max(1);
            fields.rotate_left(turns.next().unwrap_or(0) % count);
            format!("{{{}}}", fields.join(" ,\n"))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| shuffled(item, turns)).collect();
            format!("[ {} ]", items.join(","))
        }
        other => other.to_string(),
    }
}

proptest! {
    // shows: WR-358 (with the_hash_is_the_digest_of_the_canonical_json_of_the_whole_workflow, a_text_is_embedded_so_a_change_of_it_counts_for_what_is_compiled_later)
    // shows in part: WR-370 (the same bytes)
    #[test]
    fn the_order_of_fields_and_features_and_spaces_make_no_difference(
        turns in prop::collection::vec(0..20_usize, 64),
    ) {
        let mut source = rich();
        let features = source["features"].as_array_mut().expect("it is a list");
        let count = features.len();
        features.rotate_left(turns[0] % count);
        let text = shuffled(&source, &mut turns.into_iter());
        let workflow = compile(&text, &origin(), &Definitions::standard()).expect("it compiles");
        prop_assert_eq!(workflow.canonical(), compile_value(&rich()).expect("it compiles").canonical());
    }

    #[test]
    fn no_text_makes_the_compiler_panic(text in r#"[{}\[\]",:a-z0-9 ]{0,80}"#) {
        let _ = compile(&text, &origin(), &Definitions::standard());
    }

    #[test]
    fn no_value_in_place_of_another_makes_the_compiler_panic(
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec![
            json!(null), json!(-1), json!(1e300), json!(""), json!("a/b"), json!([]), json!([[]]),
            json!({}), json!({"kind": "ref"}), json!(true),
        ]),
    ) {
        let mut source = rich();
        let places = places(&source, "");
        *source.pointer_mut(at.get(places.as_slice()).as_str()).expect("it is there") = with;
        if let Ok(workflow) = compile_value(&source) {
            prop_assert_eq!(CompiledWorkflow::read(workflow.canonical().as_bytes()), Ok(workflow));
        }
    }
}

pub(crate) fn places(value: &Value, at: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(entries) => {
            entries.iter().map(|(name, value)| (format!("{at}/{name}"), value)).collect()
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, value)| (format!("{at}/{index}"), value))
            .collect(),
        _ => Vec::new(),
    };
    let deeper = inner.iter().flat_map(|(at, value)| places(value, at));
    [at.to_owned()].into_iter().chain(deeper).collect()
}

//! Prompts as agents read them.

use piton_core::Digest;
use piton_core::canonical::encode;
use piton_workflow::compile::{CompiledPart, CompiledStep, Reference, WarningCode};
use serde_json::{Value, json};

use crate::source::compile_value;

/// The only step of a workflow.
fn step(mut step: Value) -> CompiledStep {
    step["id"] = json!("s");
    step["title"] = json!("S");
    let source = json!({"id": "a.b", "steps": [step]});
    compile_value(&source).expect("it compiles").steps.remove(0)
}

#[track_caller]
fn check(of: Value, expected: &str) {
    assert_eq!(step(of).prompt, expected);
}

// shows: WR-322
// shows in part: WR-321 (the prompt)
#[test]
fn a_contract_is_told_at_the_end_of_the_prompt_with_every_field() {
    check(
        json!({
            "prompt": "Go on?",
            "outputContract": {"contractRef": "wr.contracts.loop_control"},
        }),
        "Go on?\n\n---\n**OUTPUT REQUIREMENTS (System):**\n\
         - Artifact contract: wr.contracts.loop_control\n\
         - Provide artifact with fields:\n  \
           - kind: \"wr.loop_control\"\n  \
           - decision: \"continue\" | \"stop\"\n  \
           - loopId: an id of a-z, 0-9, `_` and `-`\n  \
           - metadata (optional): {confidence?: a whole number from 0 to 100, issuesFound?: a whole \
             number from 0 to 999999, iterationIndex?: a whole number from 0 to 999999, reason?: text of \
             at most 1024 bytes}\n  \
           - summary (optional): text of at most 512 bytes",
    );
}

// shows: WR-325
#[test]
fn what_a_contract_requires_does_not_depend_on_the_authored_prompt() {
    let section = |prompt: &str| {
        let of = json!({
            "prompt": prompt,
            "outputContract": {"contractRef": "wr.contracts.gate_verdict"},
        });
        step(of).prompt.strip_prefix(prompt).unwrap().to_owned()
    };
    assert_eq!(section("Judge it."), section("OUTPUT REQUIREMENTS: none. decision: \"go\""));
}

// shows: WR-323
// shows in part: WR-321 (the prompt)
#[test]
fn criteria_are_told_at_the_end_of_the_prompt_as_bullets() {
    check(
        json!({
            "prompt": "Plan.",
            "validationCriteria": [
                {"type": "contains", "value": "X"},
                {"and": [{"type": "regex", "pattern": "^[a-z]+$"}, {"type": "length", "min": 100, "max": 500}]},
                {"type": "length", "max": 9},
            ],
        }),
        "Plan.\n\n---\nOUTPUT REQUIREMENTS:\n- Must contain 'X'\n- Must match pattern: ^[a-z]+$\n\
         - Length: ≥100 chars, ≤500 chars\n- Length: ≤9 chars",
    );
}

// shows: WR-324
#[test]
fn five_requirements_are_listed_and_the_rest_is_counted() {
    let rules: Vec<_> =
        (1..=7).map(|n| json!({"type": "contains", "value": n.to_string()})).collect();
    check(
        json!({"prompt": "Plan.", "validationCriteria": rules}),
        "Plan.\n\n---\nOUTPUT REQUIREMENTS:\n- Must contain '1'\n- Must contain '2'\n- Must contain '3'\n\
         - Must contain '4'\n- Must contain '5'\n- and 2 more",
    );
}

// shows: WR-327
#[test]
fn a_step_without_requirements_has_no_section() {
    check(json!({"prompt": "Just do it."}), "Just do it.");
}

// shows in part: WR-315 (what is compiled)
#[test]
fn beside_a_contract_criteria_neither_count_nor_show() {
    let source = json!({"id": "a.b", "steps": [{
        "id": "s", "title": "S", "prompt": "Judge.",
        "outputContract": {"contractRef": "wr.contracts.divergence"},
        "validationCriteria": {"type": "contains", "value": "MAGIC"},
    }]});
    let workflow = compile_value(&source).unwrap();
    assert!(workflow.steps[0].validation_criteria.is_empty());
    assert!(!workflow.steps[0].prompt.contains("MAGIC"));
    assert!(workflow.steps[0].prompt.contains("wr.contracts.divergence"));
    assert_eq!(workflow.compiled_warnings[0].code, WarningCode::CriteriaIgnored);
}

#[test]
fn blocks_become_sections_in_a_fixed_order() {
    check(
        json!({"promptBlocks": {
            "verify": ["It works."],
            "outputRequired": {"b": "two", "a": "one"},
            "procedure": ["First.", "Second."],
            "constraints": ["Quietly."],
            "goal": "Win.",
        }}),
        "## Goal\nWin.\n\n## Constraints\n- Quietly.\n\n## Procedure\n1. First.\n2. Second.\n\n\
         ## Output Required\n- **a**: one\n- **b**: two\n\n## Verify\n- It works.",
    );
    check(json!({"promptBlocks": {"goal": "Win."}}), "## Goal\nWin.");
}

// shows: WR-387
#[test]
fn a_text_is_filled_in_and_says_where_it_came_from() {
    let step = step(json!({"promptBlocks": {"constraints": [
        [{"kind": "text", "text": "Note: "}, {"kind": "ref", "refId": "wr.refs.notes_first"}],
    ]}}));
    let text = Reference::NotesFirst.text();
    assert_eq!(step.prompt, format!("## Constraints\n- Note: {text}"));
    let expected = CompiledPart::Ref {
        ref_id: "wr.refs.notes_first".parse().unwrap(),
        ref_content_hash: Digest::of(&encode(text).unwrap()),
        bytes: text.len(),
        text: text.to_owned(),
    };
    assert_eq!(step.prompt_blocks.unwrap().constraints[0][1], expected);
}

#[test]
fn every_text_of_the_catalogue_is_short_enough() {
    for reference in Reference::ALL {
        assert!(reference.text().len() <= piton_workflow::bounds::REF_BYTES_MAX, "{reference}");
    }
}

// shows: WR-306 (with a_tool_that_takes_notes_asks_for_those_of_one_step_and_says_what_they_hold, every_prompt_that_wants_notes_says_what_they_hold)
#[test]
fn notes_discipline_says_what_good_notes_hold() {
    let source = json!({
        "id": "a.b",
        "features": ["wr.features.notes_discipline"],
        "steps": [
            {"id": "s", "title": "S", "prompt": "Do it."},
            {"id": "t", "title": "T", "prompt": "Do it.", "notesOptional": true},
            {
                "id": "u", "title": "U", "prompt": "Do it.",
                "outputContract": {"contractRef": "wr.contracts.assessment"},
            },
        ],
    });
    let workflow = compile_value(&source).unwrap();
    insta::assert_snapshot!(workflow.steps[0].prompt);
    assert_eq!(workflow.steps[0].additions.len(), 1);
    assert_eq!(workflow.steps[1].prompt, "Do it.");
    assert_eq!(workflow.steps[2].additions, []);
}

//! Rules over the notes, joined and under conditions.

use piton_workflow::engine::{KnownCapabilities, Submission, next_step, validate};
use serde_json::{Map, Value, json};

use super::samples::{compiled, entries, file, step};

/// The finding about `notes`, without its first line.
#[track_caller]
fn told(rules: &Value, notes: &str, context: &Value) -> Vec<String> {
    let mut one = step("one");
    one["validationCriteria"] = rules.clone();
    let workflow = compiled(&file(&json!([one])));
    let state = next_step::begin(&workflow, &Map::new()).expect("it begins").next;
    let submission = Submission { notes: Some(notes), artifacts: &[] };
    let context = entries(context);
    let findings = validate(&workflow, &state, &submission, &KnownCapabilities::new(), &context)
        .expect("it is judged");
    let message = |finding: &piton_workflow::engine::Finding| {
        finding.message.as_str().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    findings.iter().flat_map(message).collect()
}

fn contains(value: &str) -> Value {
    json!({"type": "contains", "value": value, "message": format!("Say {value}.")})
}

// shows in part: WR-319 (and, or, not and conditions), WR-320 (messages)
#[test]
fn rules_are_joined_and_tell_the_words_of_their_author() {
    let none: [&str; 0] = [];
    let both = json!([contains("a"), contains("b")]);
    assert_eq!(told(&both, "a b", &json!({})), none);
    assert_eq!(told(&both, "c", &json!({})), ["- Say a.", "- Say b."]);
    let and = json!({"and": [contains("a"), contains("b")]});
    assert_eq!(told(&and, "a", &json!({})), ["- Say b."]);
    let or = json!({"or": [contains("a"), {"and": [contains("b"), contains("c")]}]});
    for notes in ["a", "b c"] {
        assert_eq!(told(&or, notes, &json!({})), none);
    }
    assert_eq!(told(&or, "b", &json!({})), ["- At least one of: Say a.; (All of: Say b.; Say c.)"]);
    let not = json!({"not": {"type": "contains", "value": "todo", "message": "Leave no todo."}});
    assert_eq!(told(&not, "done", &json!({})), none);
    assert_eq!(told(&not, "a todo", &json!({})), ["- Leave no todo."]);
    let mixed = json!({"and": [contains("a")], "not": contains("b")});
    assert_eq!(told(&mixed, "a", &json!({})), none);
    assert_eq!(told(&mixed, "a b", &json!({})), ["- Say b."]);
}

// shows in part: WR-320 (joined rules)
#[test]
fn a_rule_inside_of_another_shows_where_it_ends() {
    let (a, b, c) = (contains("a"), contains("b"), contains("c"));
    let b_not_c = json!({"and": [b, {"not": c}]});
    for (rules, expected) in [
        (
            json!({"or": [a, b_not_c]}),
            "At least one of: Must contain 'a'; (All of: Must contain 'b'; Must not hold: Must contain 'c')",
        ),
        (
            json!({"not": {"or": [a, b_not_c]}}),
            "Must not hold: (At least one of: Must contain 'a'; (All of: Must contain 'b'; Must not hold: Must \
             contain 'c'))",
        ),
        (
            json!({"or": [{"or": [a, b]}, c]}),
            "At least one of: (At least one of: Must contain 'a'; Must contain 'b'); Must contain 'c'",
        ),
        (json!({"or": [{"and": [a]}, b]}), "At least one of: Must contain 'a'; Must contain 'b'"),
    ] {
        let mut one = step("one");
        one["validationCriteria"] = rules;
        let prompt = &compiled(&file(&json!([one]))).steps[0].prompt;
        let last = prompt.lines().last().unwrap_or_default();
        assert_eq!(last, format!("- {expected}"));
    }
}

#[test]
fn a_rule_under_a_condition_counts_only_if_it_holds() {
    let none: [&str; 0] = [];
    let mut rule = contains("risk");
    rule["condition"] = json!({"var": "risky"});
    let rules = json!([contains("a"), rule]);
    assert_eq!(told(&rules, "a", &json!({})), none);
    assert_eq!(told(&rules, "a", &json!({"risky": true})), ["- Say risk."]);
    let or = json!({"or": [rules[1], contains("b")]});
    assert_eq!(told(&or, "x", &json!({})), ["- At least one of: Say b."]);
    assert_eq!(told(&json!({"or": [rules[1]]}), "x", &json!({})), none);
    assert_eq!(told(&json!({"not": rules[1]}), "risk", &json!({})), none);
    assert_eq!(told(&json!({"not": rules[1]}), "risk", &json!({"risky": 1})), ["- Say risk."]);
}

#[test]
fn the_flags_of_a_pattern_count() {
    let pattern = |flags: &str| json!({"type": "regex", "pattern": "^done", "flags": flags, "message": "Say done."});
    assert_eq!(told(&pattern(""), "Done", &json!({})), ["- Say done."]);
    assert_eq!(told(&pattern("gi"), "Done", &json!({})).len(), 0);
    assert_eq!(told(&pattern("i"), "all\nDone", &json!({})), ["- Say done."]);
    assert_eq!(told(&pattern("im"), "all\nDone", &json!({})).len(), 0);
}

// shows in part: WR-321, WR-323 (joined rules and conditions)
#[test]
fn a_prompt_says_what_is_asked_of_the_notes() {
    let mut one = step("one");
    let mut rule = contains("risk");
    rule["condition"] = json!({"var": "risky", "equals": true});
    one["validationCriteria"] =
        json!([rule, {"or": [contains("a"), contains("b")]}, {"not": contains("todo")}]);
    let workflow = compiled(&file(&json!([one])));
    assert_eq!(
        workflow.steps[0].prompt,
        "Do one.\n\n---\nOUTPUT REQUIREMENTS:\n- If `risky` is true: Must contain 'risk'\n- At least one of: \
         Must contain 'a'; Must contain 'b'\n- Must not hold: Must contain 'todo'"
    );
}

//! Rules over notes.

use piton_workflow::contract::criteria::{Criterion, Pattern, failures, requirements};
use serde_json::{Value, json};

use crate::source::compile_value;

fn contains(value: &str) -> Criterion {
    Criterion::Contains { value: value.into(), message: None }
}

fn regex(pattern: &str) -> Criterion {
    Criterion::Regex { pattern: Pattern::new(pattern).expect("it is supported"), message: None }
}

fn length(min: impl Into<Option<u32>>, max: impl Into<Option<u32>>) -> Criterion {
    Criterion::Length { min: min.into(), max: max.into(), message: None }
}

#[track_caller]
fn check(criteria: &[Criterion], notes: &str, expected: &[&str]) {
    let failed = failures(criteria, notes).into_iter().map(|failure| failure.message);
    assert_eq!(failed.collect::<Vec<_>>(), expected, "{notes}");
}

/// The failures of `notes` under `rule`, as a file of the strict dialect has it.
#[track_caller]
fn judged(rule: &Value, notes: &str) -> Vec<String> {
    let step = json!({"id": "s", "title": "S", "prompt": "x", "validationCriteria": rule});
    let compiled = compile_value(&json!({"id": "a.b", "steps": [step]}));
    let criteria = compiled.expect("it compiles").steps.remove(0).validation_criteria;
    failures(&criteria, notes).into_iter().map(|failure| failure.message).collect()
}

// shows: WR-319 (with rules_are_contains_regex_length_and_and)
// shows: WR-320 (with rules_are_contains_regex_length_and_and)
#[test]
fn a_rule_of_a_file_judges_as_it_is_written() {
    let contains = json!({"type": "contains", "value": "file"});
    let regex = json!({"type": "regex", "pattern": r"^\d+ files$"});
    let length = |bounds: Value| {
        let mut rule = json!({"type": "length"});
        rule.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        rule
    };
    let both = json!({"and": [contains, {"and": [length(json!({"min": 8}))]}]});
    let cases: [(&Value, &str, &str, &[&str]); 7] = [
        (&contains, "two files", "two Files", &["Must contain 'file'"]),
        (&regex, "12 files", "no files", &[r"Must match pattern: ^\d+ files$"]),
        (&length(json!({"min": 2})), "ab", "a", &["Length: ≥2 chars"]),
        (&length(json!({"max": 3})), "äöü", "abcd", &["Length: ≤3 chars"]),
        (&length(json!({"min": 2, "max": 3})), "abc", "a", &["Length: ≥2 chars, ≤3 chars"]),
        (&length(json!({"min": 2, "max": 3})), "ab", "abcd", &["Length: ≥2 chars, ≤3 chars"]),
        (&both, "two files", "two", &["Must contain 'file'", "Length: ≥8 chars"]),
    ];
    for (rule, kept, broken, failures) in cases {
        assert_eq!(judged(rule, kept), [""; 0], "{rule}");
        assert_eq!(judged(rule, broken), failures, "{rule}");
        if rule["type"].is_string() {
            let mut with_message = rule.clone();
            with_message["message"] = json!("Name the files.");
            assert_eq!(judged(&with_message, kept), [""; 0], "{rule}");
            assert_eq!(judged(&with_message, broken), ["Name the files."], "{rule}");
        }
    }
}

#[test]
fn each_kind_of_rule_holds_for_what_it_asks_for() {
    check(&[contains("file")], "two files", &[]);
    check(&[contains("file")], "two Files", &["Must contain 'file'"]);
    check(&[regex(r"^\d+ files$")], "12 files", &[]);
    check(&[regex(r"^\d+ files$")], "no files", &[r"Must match pattern: ^\d+ files$"]);
    check(&[length(2, 3)], "ab", &[]);
    check(&[length(2, 3)], "a", &["Length: ≥2 chars, ≤3 chars"]);
    check(&[length(2, 3)], "abcd", &["Length: ≥2 chars, ≤3 chars"]);
    let both = Criterion::And { rules: vec![contains("a"), length(3, None)] };
    check(std::slice::from_ref(&both), "abc", &[]);
    check(std::slice::from_ref(&both), "bc", &["Must contain 'a'", "Length: ≥3 chars"]);
    check(&[both, contains("z")], "abc", &["Must contain 'z'"]);
    check(&[], "", &[]);
}

#[test]
fn length_counts_characters_and_not_bytes() {
    check(&[length(3, 3)], "äöü", &[]);
    check(&[length(None, 2)], "äöü", &["Length: ≤2 chars"]);
}

// shows in part: WR-320 (the failure text)
#[test]
fn a_rule_that_fails_says_its_own_message() {
    let message = || Some("Name the files.".to_owned());
    let criteria = [
        Criterion::Contains { value: "x".into(), message: message() },
        Criterion::Regex { pattern: Pattern::new("y").unwrap(), message: message() },
        Criterion::Length { min: Some(9), max: None, message: message() },
    ];
    check(&criteria, "", &["Name the files."; 3]);
}

// shows: WR-324, WR-326
#[test]
fn the_first_five_requirements_are_listed_and_the_rest_is_counted() {
    let rules: Vec<_> = (0..7).map(|n| contains(&n.to_string())).collect();
    let (first, rest) = rules.split_at(2);
    let nested = [first[0].clone(), first[1].clone(), Criterion::And { rules: rest.to_vec() }];
    for criteria in [rules.as_slice(), &nested] {
        let found = requirements(criteria);
        let listed: Vec<_> = (0..5).map(|n| format!("Must contain '{n}'")).collect();
        assert_eq!((found.listed, found.left_out), (listed, 2));
    }
    assert_eq!(requirements(&rules[..5]).left_out, 0);
}

#[test]
fn a_pattern_that_is_not_supported_is_refused_wherever_it_is_read() {
    for pattern in ["(?=a)", r"(a)\1", "(", "((a{1000}){1000}){1000}"] {
        assert!(Pattern::new(pattern).is_err(), "{pattern}");
        let rule = json!({"type": "regex", "pattern": pattern});
        assert!(serde_json::from_value::<Criterion>(rule).is_err(), "{pattern}");
    }
}

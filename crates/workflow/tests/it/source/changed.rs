//! What is wrong with a file in which one thing was changed.

use serde_json::Value;

use super::compile_value;

/// Sets what stands at `path` of `source`, and compares the problems as `code path`.
#[track_caller]
pub(crate) fn check_with(mut source: Value, path: &str, value: Value, expected: &[&str]) {
    let (parent, field) = path.rsplit_once('/').expect("the path names a field");
    match source.pointer_mut(parent).expect("the path is there") {
        Value::Object(entries) => drop(entries.insert(field.to_owned(), value)),
        Value::Array(items) => items[field.parse::<usize>().expect("it is an index")] = value,
        _ => panic!("{parent} holds nothing"),
    }
    expect(&source, expected);
}

/// The same with a field taken away.
#[track_caller]
pub(crate) fn check_lacking(mut source: Value, path: &str, expected: &[&str]) {
    let (parent, field) = path.rsplit_once('/').expect("the path names a field");
    let removed = source.pointer_mut(parent).and_then(|value| value.as_object_mut()?.remove(field));
    assert!(removed.is_some(), "{path}");
    expect(&source, expected);
}

/// Compares the problems of `source`, each of which must have a reason and a fix.
#[track_caller]
pub(crate) fn expect(source: &Value, expected: &[&str]) {
    let problems = compile_value(source).map(|_| ()).err().unwrap_or_default();
    let found: Vec<_> =
        problems.iter().map(|problem| format!("{} {}", problem.code, problem.path)).collect();
    assert_eq!(found, expected, "{problems:#?}");
    assert!(problems.iter().all(|problem| !problem.reason.is_empty() && !problem.fix.is_empty()));
}

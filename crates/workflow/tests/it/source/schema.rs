//! The JSON Schemas of both dialects, held against the readers: each is the other's oracle.

use jsonschema::Validator;
use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::{Definitions, compile};
use piton_workflow::predicate::Comparison;
use piton_workflow::source::{Dialect, ProblemCode, file_schema};
use serde_json::{Value, json};

use super::{compile_value, origin, rich};
use crate::classic::samples::{EVERYTHING, LOOPS, PLAIN};
use crate::engine::samples::{source, step};
use crate::session::person::needing;

/// Problems that a schema must find as well. The others are about what names point at, about bytes rather than
/// characters, or about patterns.
const OF_SHAPE: [ProblemCode; 6] = [
    ProblemCode::MissingField,
    ProblemCode::UnknownField,
    ProblemCode::ConflictingFields,
    ProblemCode::WrongType,
    ProblemCode::UnknownName,
    ProblemCode::InlineSchema,
];

fn validator(dialect: Dialect) -> Validator {
    jsonschema::validator_for(&Value::from(file_schema(dialect))).expect("it is a schema")
}

/// A file in the strict dialect with what `rich` leaves out.
fn accessible() -> Value {
    let mut narrow = step("narrow");
    narrow["access"] = json!({
        "workspaces": [{"prefix": "/docs/notes", "scope": "read-only"}],
        "context": "reader",
        "state": {"read": ["plan"], "write": []},
    });
    narrow["agentRole"] = json!("You read.");
    narrow["notesOptional"] = json!(false);
    narrow["validationCriteria"] = json!([{"type": "length", "max": 9}]);
    source(&[narrow, needing("ask", "needs_user_choice"), needing("allow", "needs_user_approval")])
}

/// Every valid file of these tests, with its dialect.
fn valid() -> Vec<(Dialect, Value)> {
    let parsed = |text: &str| serde_json::from_str(text).expect("it is JSON");
    let bundled = BuiltinWorkflow::ALL.iter().map(|one| (Dialect::Strict, parsed(one.text())));
    let strict = [rich(), accessible()].map(|file| (Dialect::Strict, file));
    let classic = [EVERYTHING, LOOPS, PLAIN].map(|text| (Dialect::Classic, parsed(text)));
    bundled.chain(strict).chain(classic).collect()
}

// shows in part: WR-567 (valid files)
#[test]
fn the_schemas_accept_every_valid_file() {
    for (dialect, file) in valid() {
        let schema = validator(dialect);
        let problems: Vec<_> = schema.iter_errors(&file).map(|error| error.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new(), "{}", file["id"]);
    }
}

/// Returns every variant of `value` with one thing changed at one place.
fn variants(value: &Value) -> Vec<Value> {
    let mut variants = vec![json!(null), json!(7), json!([]), json!({}), json!("…"), json!(true)];
    match value {
        Value::Object(fields) => {
            let with = |name: &str, field: Option<Value>| {
                let mut changed = fields.clone();
                changed.remove(name);
                changed.extend(field.map(|field| (name.to_owned(), field)));
                Value::Object(changed)
            };
            variants.push(with("colour", Some(json!("red"))));
            for (name, field) in fields {
                variants.push(with(name, None));
                let changed = self::variants(field).into_iter();
                variants.extend(changed.map(|field| with(name, Some(field))));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for changed in self::variants(item) {
                    let mut items = items.clone();
                    items[index] = changed;
                    variants.push(Value::Array(items));
                }
            }
        }
        _ => {}
    }
    variants
}

// shows: WR-567 (with the_schemas_accept_every_valid_file, an_address_of_a_schema_is_accepted_and_changes_nothing)
#[test]
fn whatever_is_changed_in_a_file_the_schema_agrees_with_the_reader() {
    let mut counts = [0, 0];
    // The bundled files say nothing that these do not.
    let files = valid().into_iter().skip(BuiltinWorkflow::ALL.len());
    for (dialect, file) in files {
        let schema = validator(dialect);
        for changed in variants(&file) {
            let text = changed.to_string();
            let read = compile(&text, &origin(), &Definitions::standard());
            let is_valid = schema.is_valid(&changed);
            // Without its marks, a file of the classic dialect is one of the strict dialect.
            if piton_workflow::source::dialect_of(&text) != Some(dialect) {
                continue;
            }
            match read {
                Ok(_) => assert!(is_valid, "it compiles: {text}"),
                Err(problems) => {
                    // The arguments of templates and features are up to those.
                    let is_open = |path: &str| path.contains("/args") || path.contains("/config");
                    let of_shape = problems.iter().find(|problem| {
                        OF_SHAPE.contains(&problem.code) && !is_open(problem.path.as_str())
                    });
                    if let Some(problem) = of_shape {
                        assert!(!is_valid, "{problem}: {text}");
                    }
                }
            }
            counts[usize::from(is_valid)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 400), "both happen: {counts:?}");
}

// shows in part: WR-567 (`$schema`)
#[test]
fn an_address_of_a_schema_is_accepted_and_changes_nothing() {
    for (dialect, file) in
        [(Dialect::Strict, rich()), (Dialect::Classic, serde_json::from_str(PLAIN).unwrap())]
    {
        let plain = compile_value(&file).unwrap();
        let mut addressed = file.clone();
        addressed["$schema"] = json!("./.workflow.schema.json");
        let compiled = compile_value(&addressed).unwrap();
        assert_eq!(compiled, plain);
        assert_eq!(compiled.workflow_hash(), plain.workflow_hash());
        assert!(validator(dialect).is_valid(&addressed));
        addressed["$schema"] = json!({"type": "object"});
        let problems = compile_value(&addressed).unwrap_err();
        assert_eq!(problems[0].code, ProblemCode::WrongType);
        assert!(!validator(dialect).is_valid(&addressed));
        addressed["$schema"] = json!("x");
        addressed["steps"][0]["$schema"] = json!("x");
        assert!(compile_value(&addressed).is_err(), "only at the top");
        assert!(!validator(dialect).is_valid(&addressed));
    }
}

#[test]
fn the_schema_of_conditions_has_every_comparison() {
    let schema = Value::from(file_schema(Dialect::Classic));
    let condition = &schema["$defs"]["Condition"];
    for name in Comparison::NAMES {
        assert!(condition["properties"].get(name).is_some(), "{name}");
        assert_eq!(condition["dependentRequired"][name], json!(["var"]), "{name}");
    }
}

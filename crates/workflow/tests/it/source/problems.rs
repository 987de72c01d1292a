//! Problems of a file: each with its place, its code and what to do.

use piton_workflow::compile::{Definitions, compile};
use piton_workflow::source::ProblemCode;
use serde_json::{Value, json};

use super::changed::{check_lacking, check_with, expect};
use super::{compile_value, origin, rich};

/// Sets what stands at `path` of the rich workflow.
#[track_caller]
fn check(path: &str, value: Value, expected: &[&str]) {
    check_with(rich(), path, value, expected);
}

/// The same with a field taken away.
#[track_caller]
fn check_without(path: &str, expected: &[&str]) {
    check_lacking(rich(), path, expected);
}

#[test]
fn the_rich_workflow_has_no_problem() {
    expect(&rich(), &[]);
}

#[test]
fn every_problem_of_a_file_is_reported_at_once() {
    let source = json!({
        "id": "wr.mine",
        "colour": "blue",
        "capabilities": {"flying": "required", "delegation": "maybe"},
        "features": ["wr.features.unknown", 7],
        "steps": [
            {"id": "A", "title": "", "prompt": "Do {{this}}."},
            {"id": "b", "title": "B"},
            {"id": "c", "title": "C", "prompt": "x", "outputContract": {"contractRef": "wr.contracts.none"}},
            {"type": "loop", "loopId": "l", "maxIterations": 0, "while": "x > 1", "body": []},
            {"id": "d", "title": "D", "prompt": "x", "functionReferences": ["none()"]},
        ],
    });
    let problems = compile_value(&source).unwrap_err();
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_reported_is_bounded_and_the_rest_is_counted() {
    let step = json!({"type": "x".repeat(2000)});
    let steps = vec![step; 250];
    let problems = compile_value(&json!({"id": "a.b", "steps": steps})).unwrap_err();
    assert_eq!(problems.len(), 201);
    assert!(problems.iter().all(|problem| problem.reason.len() <= 1024));
    let last = problems.last().unwrap();
    assert_eq!(last.code, ProblemCode::NotShown);
    assert_eq!(last.reason, "50 further problems are not shown");
}

#[test]
fn a_text_that_is_not_json_or_too_large_is_refused() {
    for text in ["", "{", "[1,]", "{} {}", &"[".repeat(300), &" ".repeat(2 << 20)] {
        let problems = compile(text, &origin(), &Definitions::standard()).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].code, ProblemCode::NotJson);
    }
}

#[test]
fn a_field_that_occurs_twice_is_refused_where_it_stands() {
    let text = rich().to_string().replace(r#""id":"look""#, r#""id":"look","id":"other""#);
    let problems = compile(&text, &origin(), &Definitions::standard()).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, ProblemCode::DuplicateField);
    assert_eq!(problems[0].path.as_str(), "/steps/1/body/0/id");
}

#[test]
fn a_value_of_a_wrong_type_and_a_field_that_nobody_knows_are_refused() {
    check("/steps", json!({}), &["wrong_type /steps"]);
    check("/steps/0/title", json!(7), &["wrong_type /steps/0/title"]);
    check(
        "/steps/0/requireConfirmation",
        json!("yes"),
        &["wrong_type /steps/0/requireConfirmation"],
    );
    check("/steps/0/colour", json!("blue"), &["unknown_field /steps/0/colour"]);
    check("/steps/0/prompt", json!("x"), &["conflicting_fields /steps/0/prompt"]);
    check_without("/steps/0/promptBlocks", &["missing_field /steps/0"]);
    check_without("/id", &["missing_field "]);
    check("/steps/0/promptBlocks", json!({}), &["empty /steps/0/promptBlocks"]);
    check("/steps/0/title", json!("x".repeat(257)), &["too_long /steps/0/title"]);
    check("/agentRole", json!("x".repeat(2049)), &["too_long /agentRole"]);
    check(
        "/recommendedPreferences/recommendedAutonomy",
        json!("wild"),
        &["unknown_name /recommendedPreferences/recommendedAutonomy"],
    );
}

// shows in part: WR-020 (in a workflow file)
#[test]
fn ids_that_are_not_safe_to_join_are_refused() {
    for path in ["/steps/0/id", "/steps/1/loopId", "/steps/1/body/0/id"] {
        for id in ["a/b", "a@b", "a:b", "a.b", "a b", "A", "ü", ""] {
            check(path, json!(id), &[&format!("invalid_id {path}")]);
        }
    }
    check("/steps/0/id", json!("a-b_0"), &[]);
    check("/conditions/0/conditionId", json!("A"), &["invalid_id /conditions/0/conditionId"]);
    check("/steps/1/body/0/id", json!("plan"), &["duplicate_id /steps/1/body/0/id"]);
}

// shows: WR-307
#[test]
fn a_contract_that_piton_does_not_bring_along_is_refused() {
    let path = "/steps/1/body/1/outputContract/contractRef";
    check(path, json!("wr.contracts.mine"), &[&format!("unresolved_reference {path}")]);
    check(path, json!("acme.contracts.loop_control"), &[&format!("invalid_id {path}")]);
}

// shows: WR-308
#[test]
fn a_schema_in_the_file_is_refused() {
    let schema = json!({"type": "object", "properties": {}});
    check("/steps/0/outputSchema", schema.clone(), &["inline_schema /steps/0/outputSchema"]);
    check(
        "/steps/0/outputContract",
        json!({"contractRef": schema}),
        &["inline_schema /steps/0/outputContract/contractRef"],
    );
    check(
        "/steps/0/outputContract",
        json!({"contractRef": "wr.contracts.assessment", "schema": schema}),
        &["inline_schema /steps/0/outputContract/schema"],
    );
}

// shows: WR-309
#[test]
fn a_schema_from_elsewhere_is_refused() {
    for place in
        ["./schemas/plan.json", "https://example.com/s.json", "git@host:repo#s", "registry:plan"]
    {
        check(
            "/steps/0/outputContract",
            json!({"contractRef": place}),
            &["external_schema /steps/0/outputContract/contractRef"],
        );
        check("/steps/0/schemaRef", json!(place), &["external_schema /steps/0/schemaRef"]);
    }
}

// shows: WR-332, WR-333
#[test]
fn a_loop_needs_an_id_a_body_a_limit_and_a_condition() {
    check_without("/steps/1/loopId", &["missing_field /steps/1"]);
    check_without("/steps/1/maxIterations", &["missing_field /steps/1"]);
    check_without("/steps/1/while", &["missing_field /steps/1"]);
    check_without(
        "/steps/1/body",
        &["missing_field /steps/1", "loop_without_control /steps/1/body"],
    );
    check("/steps/1/maxIterations", json!(0), &["out_of_range /steps/1/maxIterations"]);
    check("/steps/1/maxIterations", json!(1001), &["out_of_range /steps/1/maxIterations"]);
    check("/steps/1/body", json!([]), &["empty /steps/1/body"]);
}

// shows: WR-336
#[test]
fn a_condition_is_never_an_expression() {
    check("/steps/1/while", json!("rounds < 3"), &["loop_without_control /steps/1/while"]);
    check("/conditions/0", json!("rounds < 3"), &["loop_without_control /conditions/0"]);
}

// shows in part: WR-338 (at compile time)
#[test]
fn a_context_variable_drives_no_loop() {
    let condition = json!({"conditionId": "again", "kind": "context", "key": "continuePlanning"});
    check("/conditions/0", condition, &["loop_without_control /conditions/0/kind"]);
    let inline = json!({"kind": "context_variable", "key": "continuePlanning"});
    check("/steps/1/while", inline, &["loop_without_control /steps/1/while"]);
}

// shows: WR-337
#[test]
fn a_loop_refers_to_a_condition_that_exists_and_is_about_it() {
    check(
        "/steps/1/while/conditionId",
        json!("other"),
        &["unresolved_reference /steps/1/while/conditionId"],
    );
    check(
        "/conditions/0/loopId",
        json!("other"),
        &["loop_without_control /steps/1/while/conditionId"],
    );
}

// shows: WR-334
#[test]
fn two_loops_do_not_share_an_id() {
    let mut source = rich();
    let mut other = source["steps"][1].clone();
    other["body"][0]["id"] = json!("look2");
    other["body"][1]["id"] = json!("decide2");
    source["steps"].as_array_mut().unwrap().push(other);
    expect(&source, &["duplicate_id /steps/3/loopId"]);
}

// shows in part: WR-339 (at compile time)
#[test]
fn exactly_one_step_of_a_loop_decides_whether_it_goes_on() {
    check_without("/steps/1/body/1/outputContract", &["loop_without_control /steps/1/body"]);
    check(
        "/steps/1/body/0/outputContract",
        json!({"contractRef": "wr.contracts.loop_control"}),
        &["loop_without_control /steps/1/body"],
    );
}

#[test]
fn a_decision_template_inside_of_a_loop_is_about_that_loop() {
    let call = |loop_id: &str| {
        json!({
            "type": "template_call", "id": "decide",
            "templateId": "wr.templates.loop_decision", "args": {"loopId": loop_id},
        })
    };
    check("/steps/1/body/1", call("rounds"), &[]);
    check("/steps/1/body/1", call("other"), &["loop_without_control /steps/1/body/1/args/loopId"]);
}

#[test]
fn loops_lie_inside_each_other_up_to_a_depth() {
    let nested = |depth: usize| {
        let mut source = rich();
        source["steps"] = json!([{"id": "x", "title": "X", "prompt": "x"}]);
        let mut conditions = Vec::new();
        for level in 0..depth {
            let (id, condition) = (format!("l{level}"), format!("c{level}"));
            conditions
                .push(json!({"conditionId": condition, "kind": "loop_control", "loopId": id}));
            let mut body = source["steps"].as_array().unwrap().clone();
            body.push(json!({
                "type": "template_call", "id": format!("d{level}"),
                "templateId": "wr.templates.loop_decision", "args": {"loopId": id},
            }));
            source["steps"] = json!([{
                "type": "loop", "loopId": id, "maxIterations": 2, "body": body,
                "while": {"kind": "condition_ref", "conditionId": condition},
            }]);
        }
        source["conditions"] = json!(conditions);
        source
    };
    expect(&nested(8), &[]);
    let problems = compile_value(&nested(9)).unwrap_err();
    assert_eq!(problems[0].code, ProblemCode::TooDeep);
}

// shows: WR-382
#[test]
fn a_text_that_piton_does_not_bring_along_is_refused() {
    let path = "/steps/0/promptBlocks/constraints/0/1/refId";
    check(path, json!("wr.refs.mine"), &[&format!("unresolved_reference {path}")]);
}

// shows: WR-383
#[test]
fn nothing_is_filled_in_or_included() {
    check(
        "/steps/1/body/0/prompt",
        json!("Look at {{place}}."),
        &["interpolation /steps/1/body/0/prompt"],
    );
    check(
        "/steps/0/promptBlocks/goal",
        json!("{{ goal }}"),
        &["interpolation /steps/0/promptBlocks/goal"],
    );
    check("/steps/0/title", json!("{{title}}"), &["interpolation /steps/0/title"]);
    let path = "/steps/0/promptBlocks/constraints/0/1";
    for place in ["./rules.md", "https://example.com/rules", "file:///rules.md"] {
        let part = json!({"kind": "ref", "refId": place});
        check(path, part, &[&format!("invalid_id {path}/refId")]);
    }
    for kind in ["file", "url", "include"] {
        let part = json!({"kind": kind, "path": "rules.md"});
        check(path, part, &[&format!("unknown_name {path}/kind")]);
    }
}

// shows: WR-386
#[test]
fn texts_are_referred_to_in_four_blocks_only() {
    let parts = json!([{"kind": "ref", "refId": "wr.refs.notes_first"}]);
    for allowed in ["goal", "constraints/0", "procedure/0", "verify/0"] {
        check(&format!("/steps/0/promptBlocks/{allowed}"), parts.clone(), &[]);
    }
    check(
        "/steps/0/promptBlocks/outputRequired/plan",
        parts.clone(),
        &["misplaced_reference /steps/0/promptBlocks/outputRequired/plan"],
    );
    check("/steps/1/body/0/prompt", parts.clone(), &["misplaced_reference /steps/1/body/0/prompt"]);
    check("/steps/0/title", parts, &["wrong_type /steps/0/title"]);
}

// shows: WR-385
#[test]
fn texts_that_are_too_large_are_refused_and_never_cut() {
    let with_text = |bytes: usize, times: usize| {
        let mut catalog = Definitions::standard();
        catalog.refs.insert("wr.refs.large".parse().unwrap(), "x".repeat(bytes));
        let mut source = rich();
        let part = json!({"kind": "ref", "refId": "wr.refs.large"});
        source["steps"][0]["promptBlocks"]["constraints"] = json!([vec![part; times]]);
        compile(&source.to_string(), &origin(), &catalog).map_err(|problems| {
            problems.iter().map(|problem| format!("{} {}", problem.code, problem.path)).collect()
        })
    };
    assert!(with_text(4096, 4).is_ok());
    let over: Result<_, Vec<String>> = with_text(4097, 1);
    assert_eq!(over.unwrap_err(), ["over_budget /steps/0/promptBlocks/constraints/0/0/refId"]);
    assert_eq!(with_text(4096, 5).unwrap_err(), ["over_budget /steps/0/promptBlocks"]);
}

// shows in part: WR-319 (reading), WR-320 (reading)
#[test]
fn rules_are_contains_regex_length_and_and() {
    let path = "/steps/0/validationCriteria";
    for rule in [
        json!({"type": "contains", "value": "x"}),
        json!([{"type": "contains", "value": "x", "message": "Say x."}]),
        json!({"type": "regex", "pattern": "x+"}),
        json!({"type": "length", "min": 1}),
        json!({"type": "length", "max": 9}),
        json!({"and": [{"and": [{"type": "length", "min": 1, "max": 9}]}]}),
    ] {
        check(path, rule, &[]);
    }
    for (rule, problem) in [
        (json!({"type": "schema", "value": "x"}), "unknown_name /type"),
        (json!({"type": "contains"}), "missing_field "),
        (json!({"type": "length"}), "missing_field "),
        (json!({"type": "length", "min": 2, "max": 1}), "out_of_range /min"),
        (json!({"type": "length", "min": -1}), "out_of_range /min"),
        (json!({"type": "contains", "value": "x", "condition": "y"}), "unknown_field /condition"),
        (json!({"or": []}), "missing_field "),
        (json!({"and": []}), "empty /and"),
        (json!({"and": {}}), "wrong_type /and"),
        (json!([]), "empty "),
        (json!("x > 1"), "wrong_type "),
        (json!({"type": "regex", "pattern": "(?=x)"}), "unsupported_pattern /pattern"),
        (json!({"type": "regex", "pattern": "("}), "unsupported_pattern /pattern"),
    ] {
        let (code, rest) = problem.split_once(' ').unwrap();
        check(path, rule, &[&format!("{code} {path}{rest}")]);
    }
}

#[test]
fn features_templates_and_functions_are_resolved() {
    check("/features/1", json!("wr.features.none"), &["unresolved_reference /features/1"]);
    check(
        "/features/0/config",
        json!({"linesMin": 0}),
        &["out_of_range /features/0/config/linesMin"],
    );
    check("/features/0/config", json!({"lines": 3}), &["unknown_field /features/0/config/lines"]);
    check("/features/0/config", json!({"linesMin": 40}), &["out_of_range /features/0/config"]);
    check("/features/1", json!("wr.features.notes_discipline"), &["duplicate_id /features/1"]);
    check(
        "/steps/2/templateId",
        json!("wr.templates.none"),
        &["unresolved_reference /steps/2/templateId"],
    );
    check("/steps/2/args", json!({}), &["missing_field /steps/2/args"]);
    check(
        "/steps/2/args",
        json!({"capability": "flying"}),
        &["unknown_name /steps/2/args/capability"],
    );
    check("/steps/2/id", json!("a".repeat(125)), &["invalid_id /steps/2/id"]);
    check(
        "/steps/0/functionReferences",
        json!(["none()"]),
        &["unresolved_reference /steps/0/functionReferences/0"],
    );
    check(
        "/steps/0/functionReferences",
        json!(["challenge"]),
        &["invalid_id /steps/0/functionReferences/0"],
    );
}

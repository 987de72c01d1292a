//! What an agent reads: variables, loops, fragments and the first prompt.

use serde_json::{Value, json};

use super::samples::{LOOPS, Run, compiled, everything, file, looped, step};

#[track_caller]
fn prompt(text: &str, context: &Value) -> String {
    let mut one = step("one");
    one["prompt"] = json!(text);
    Run::new(&compiled(&file(&json!([one]))), context).pending().prompt.as_str().to_owned()
}

#[test]
fn variables_are_filled_in_once_and_what_is_missing_is_named() {
    let context = json!({
        "goal": "search", "plan": {"files": ["a", "b"]}, "count": 3, "flag": true, "none": null,
        "trap": "{{goal}}",
    });
    for (text, expected) in [
        ("On {{goal}}.", "On search."),
        ("On {{ goal }}.", "On search."),
        ("{{plan.files.1}} {{plan.files}}", "b [\"a\",\"b\"]"),
        ("{{count}} {{flag}}", "3 true"),
        (
            "{{nobody}} {{plan.nobody}} {{none}}",
            "[unset: nobody] [unset: plan.nobody] [unset: none]",
        ),
        ("{{trap}}", "{{goal}}"),
        ("{{not a path}} {{}} {{goal", "{{not a path}} {{}} {{goal"),
        ("{{{goal}}}", "{{{goal}}}"),
        ("{goal}", "{goal}"),
        ("{{{{goal}}", "{{search"),
    ] {
        assert_eq!(prompt(text, &context), expected, "{text}");
    }
}

#[test]
fn what_is_filled_in_is_bounded() {
    let context = json!({"long": "x".repeat(200_000)});
    let text = prompt(&"{{long}}".repeat(100), &context);
    assert!(text.len() <= 262_144, "{}", text.len());
    assert!(text.contains("[TRUNCATED]"));
}

#[test]
fn a_prompt_in_a_loop_says_which_turn_it_is() {
    let workflow = compiled(&serde_json::from_str(LOOPS).unwrap());
    let context = json!({"files": [{"name": "a.rs"}, {"name": "b.rs"}]});
    let mut run = Run::new(&workflow, &context);
    assert_eq!(run.pending().title.as_str(), "Read a.rs");
    assert_eq!(
        run.pending().prompt.as_str(),
        "This is turn 1 of 2 of \"Files\".\n\nRead a.rs, file 0 of the list."
    );
    run.leave(&[]).leave(&[]);
    assert_eq!(
        run.pending().prompt.as_str(),
        "This is turn 1 of 2 of \"Files\", in turn 2 of 2 of \"Passes\".\n\nPass 2 over a.rs."
    );
    run.leave(&[]).leave(&[]).leave(&[]).leave(&[]);
    assert_eq!(
        run.pending().prompt.as_str(),
        "This is turn 1 of at most 3 of \"Until it is quiet\".\n\nListen."
    );
}

#[test]
fn a_fragment_is_shown_where_its_condition_holds() {
    let mut one = step("one");
    one["promptFragments"] = json!([
        {"id": "risky", "when": {"var": "risky"}, "text": "Be careful with {{goal}}."},
        {"id": "always", "text": "Look twice."},
    ]);
    let workflow = compiled(&file(&json!([one])));
    let shown = |context: Value| Run::new(&workflow, &context).pending().prompt.as_str().to_owned();
    assert_eq!(shown(json!({})), "Do one.\n\n---\nLook twice.");
    assert_eq!(
        shown(json!({"risky": "yes", "goal": "search"})),
        "Do one.\n\n---\nBe careful with search.\n\n---\nLook twice."
    );
}

#[test]
fn what_is_told_first_stands_before_the_first_step_that_is_done_and_no_other() {
    let mut first = step("first");
    first["runCondition"] = json!({"var": "never"});
    let turning = json!({"type": "for", "count": 2, "maxIterations": 2});
    let mut source = file(&json!([first, looped("l", &turning, &json!([step("work")]))]));
    source["preconditions"] = json!(["The branch {{branch}} is there."]);
    let workflow = compiled(&source);
    let mut run = Run::new(&workflow, &json!({"branch": "main"}));
    assert_eq!(
        run.pending().prompt.as_str(),
        "## Make sure of this first, and say what is missing\n- The branch main is there.\n\n---\n\n\
         This is turn 1 of 2 of \"Loop l\".\n\nDo work."
    );
    run.leave(&[]);
    assert_eq!(run.pending().prompt.as_str(), "This is turn 2 of 2 of \"Loop l\".\n\nDo work.");
}

#[test]
fn whether_a_person_is_asked_may_depend_on_what_the_run_was_told() {
    for (asked, context, expected) in [
        (json!(true), json!({}), true),
        (json!(false), json!({}), false),
        (json!({"var": "risky"}), json!({}), false),
        (json!({"var": "risky"}), json!({"risky": true}), true),
        (json!({"kind": "coordinator_eval"}), json!({}), true),
        (json!({"kind": "human_approval", "condition": {"var": "risky"}}), json!({}), false),
        (
            json!({"kind": "human_approval", "condition": {"var": "risky"}}),
            json!({"risky": 1}),
            true,
        ),
    ] {
        let mut one = step("one");
        one["requireConfirmation"] = asked.clone();
        let workflow = compiled(&file(&json!([one])));
        assert_eq!(
            Run::new(&workflow, &context).pending().require_confirmation,
            expected,
            "{asked}"
        );
    }
}

#[test]
fn a_confirmation_of_a_loop_is_asked_for_when_it_begins() {
    let turning = json!({"type": "for", "count": 2, "maxIterations": 2});
    let mut of = looped("l", &turning, &json!([step("work"), step("more")]));
    of["requireConfirmation"] = json!(true);
    let workflow = compiled(&file(&json!([of])));
    let mut run = Run::new(&workflow, &json!({}));
    let mut asked = Vec::new();
    while run.at().is_some() {
        asked.push(run.pending().require_confirmation);
        run.leave(&[]);
    }
    assert_eq!(asked, [true, false, false, false]);
}

#[test]
fn a_confirmation_of_a_loop_joins_that_of_its_first_step() {
    let turning = json!({"type": "for", "count": 2, "maxIterations": 2});
    for (own, context, expected) in [
        (json!(true), json!({}), [true, true]),
        (json!({"var": "risky"}), json!({}), [true, false]),
        (json!({"var": "risky"}), json!({"risky": true}), [true, true]),
        (json!(false), json!({}), [true, false]),
    ] {
        let mut work = step("work");
        work["requireConfirmation"] = own.clone();
        let mut of = looped("l", &turning, &json!([work]));
        of["requireConfirmation"] = json!(true);
        let workflow = compiled(&file(&json!([of])));
        let mut run = Run::new(&workflow, &context);
        let first = run.pending().require_confirmation;
        assert_eq!([first, run.leave(&[]).pending().require_confirmation], expected, "{own}");
    }
}

#[test]
fn the_first_prompt_of_the_file_with_every_field() {
    let workflow = compiled(&everything());
    let context = json!({"goal": "the search", "risky": true, "branch": "main"});
    let mut run = Run::new(&workflow, &context);
    assert_eq!(run.pending().title.as_str(), "Plan the search");
    let mut texts = Vec::new();
    while let Some(key) = run.at() {
        texts.push(format!(
            "=== {key}: {}\n{}",
            run.pending().title.as_str(),
            run.pending().prompt.as_str()
        ));
        run.leave(&[]);
    }
    insta::assert_snapshot!(texts.join("\n\n"));
}

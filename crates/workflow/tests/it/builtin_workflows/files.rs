//! What the files of the bundled workflows are held to.

use std::collections::BTreeSet;

use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::{CompiledStep, Definitions, SequenceEntry, WarningCode, compile};
use piton_workflow::contract::criteria::leaves;
use piton_workflow::source::{Purpose, SourceOrigin};

/// Every step of every bundled workflow.
fn steps() -> Vec<(BuiltinWorkflow, CompiledStep)> {
    let of = |bundled: BuiltinWorkflow| {
        bundled.compiled().steps.into_iter().map(move |step| (bundled, step))
    };
    BuiltinWorkflow::ALL.iter().copied().flat_map(of).collect()
}

#[test]
fn every_file_compiles_under_the_id_of_the_set_and_could_be_saved() {
    for bundled in BuiltinWorkflow::ALL {
        let saving = SourceOrigin { purpose: Purpose::Save, ..BuiltinWorkflow::origin() };
        let compiled = compile(bundled.text(), &saving, &Definitions::standard());
        let workflow = compiled.unwrap_or_else(|problems| panic!("{bundled}: {problems:#?}"));
        assert_eq!(workflow, bundled.compiled());
        assert_eq!(workflow.workflow_id, bundled.workflow_id());
        assert!(workflow.name.is_some() && workflow.description.is_some(), "{bundled}");
        assert!(workflow.agent_role.is_some(), "{bundled}");
        assert!(workflow.recommended_autonomy.is_some(), "{bundled}");
        assert!((4..=8).contains(&workflow.steps.len()), "{bundled}");
        assert!(!workflow.loops.is_empty(), "{bundled} repeats something");
        let when = bundled.when_to_use();
        assert!(when.ends_with('.') && !when.contains('\n'), "{bundled}");
    }
}

// shows: WR-561 (with a_prompt_with_what_the_guide_lists_delegates_well, the_examples_of_the_guide_compile_and_no_lint_flags_them)
// shows in part: WR-331 (the bundled workflows)
#[test]
fn no_lint_has_anything_to_say_but_that_contracts_are_stronger() {
    for bundled in BuiltinWorkflow::ALL {
        let warnings = bundled.compiled().compiled_warnings;
        let codes: BTreeSet<_> = warnings.iter().map(|warning| warning.code).collect();
        assert!(codes.is_subset(&BTreeSet::from([WarningCode::ContractPreferred])), "{warnings:?}");
    }
    let delegates = |(_, step): &&(BuiltinWorkflow, CompiledStep)| step.prompt.contains("subagent");
    assert_eq!(steps().iter().filter(delegates).count(), 1, "one of them delegates");
}

#[test]
fn every_step_is_held_to_a_contract_or_to_several_checks_that_say_what_to_write() {
    for (bundled, step) in steps() {
        let checks = leaves(&step.validation_criteria);
        assert!(step.output_contract.is_some() || checks.len() > 1, "{bundled} {}", step.step_id);
        for check in checks {
            let form = serde_json::to_value(check).unwrap();
            let message = form["message"].as_str().unwrap_or_default();
            assert!(message.ends_with('.'), "{bundled} {}: {form}", step.step_id);
        }
    }
}

// shows in part: WR-306 (prompts of the bundled workflows)
#[test]
fn every_prompt_that_wants_notes_says_what_they_hold() {
    let with_notes: Vec<_> = steps().into_iter().filter(|(_, step)| step.needs_notes()).collect();
    assert!(with_notes.len() > 10);
    for (bundled, step) in with_notes {
        for point in ["did and decided", "files, paths, numbers", "risks, questions and omissions"]
        {
            assert!(step.prompt.contains(point), "{bundled} {}: {point}", step.step_id);
        }
        // The tour takes two minutes, so its notes are short.
        let lines =
            if bundled == BuiltinWorkflow::Tour { "2 to 8 lines" } else { "10 to 30 lines" };
        assert!(step.prompt.contains(lines), "{bundled} {}", step.step_id);
        assert!(step.prompt.contains("Markdown"), "{bundled} {}", step.step_id);
    }
}

#[test]
fn a_prompt_names_every_word_that_its_checks_look_for() {
    for (bundled, step) in steps() {
        let (authored, _) =
            step.prompt.split_once("OUTPUT REQUIREMENTS").expect("every step is checked");
        for check in leaves(&step.validation_criteria) {
            let form = serde_json::to_value(check).unwrap();
            let pattern = form["pattern"].as_str().expect("every check is a pattern");
            let literal = pattern.split(['\\', '(', '[', '.', '?']).next().unwrap_or_default();
            let words = literal.trim_end_matches(|last: char| !last.is_alphanumeric());
            assert!(authored.contains(words), "{bundled} {}: {words}", step.step_id);
        }
    }
}

#[test]
fn a_decision_ends_the_body_of_its_loop() {
    for bundled in BuiltinWorkflow::ALL {
        let workflow = bundled.compiled();
        for of in &workflow.loops {
            let Some(SequenceEntry::Step { step_id }) = of.body.last() else {
                panic!("{bundled}: the loop {} ends with a step", of.loop_id);
            };
            let contract = workflow.step(step_id).unwrap().output_contract.clone().unwrap();
            assert_eq!(contract.contract_ref.as_str(), "wr.contracts.loop_control");
        }
    }
}

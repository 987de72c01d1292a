//! Built-in workflows by id and by older name.

use piton_workflow::SourceKind;
use piton_workflow::builtin_workflows::{BuiltinWorkflow, resolve};
use piton_workflow::compile::{Definitions, compile};
use piton_workflow::source::{ProblemCode, Purpose, SourceOrigin};
use serde_json::{Value, json};

// shows: WR-405
#[test]
fn an_older_name_leads_to_the_id_with_a_warning_and_is_pinned_nowhere() {
    for bundled in BuiltinWorkflow::ALL {
        let by_id = resolve(bundled.as_str()).unwrap();
        assert_eq!((by_id.workflow, by_id.warning), (*bundled, None));
        assert!(!bundled.aliases().is_empty());
        for alias in bundled.aliases() {
            let resolved = resolve(alias).unwrap();
            assert_eq!(resolved.workflow, *bundled);
            let workflow = resolved.workflow.compiled();
            assert_eq!(workflow.workflow_id.as_str(), bundled.as_str());
            assert_eq!(workflow.workflow_hash(), bundled.compiled().workflow_hash());
            let warning = resolved.warning.expect("an alias is told");
            let expected = json!({
                "code": "legacy_workflow_id", "alias": alias, "canonicalId": bundled.as_str(),
            });
            assert_eq!(serde_json::to_value(&warning).unwrap(), expected);
        }
    }
    let told = resolve("code-review").unwrap().warning.unwrap().to_string();
    let expected = "`code-review` is an older name of `wr.code_review`; use `wr.code_review`";
    assert_eq!(told, expected);
    for unknown in ["", "wr.", "wr.nothing", "code_review", "Code-Review", "project.code_review"] {
        assert_eq!(resolve(unknown), None, "{unknown}");
    }
}

// shows in part: WR-400 (older names of bundled workflows)
#[test]
fn nothing_is_saved_under_an_older_name() {
    for bundled in BuiltinWorkflow::ALL {
        for alias in bundled.aliases() {
            let mut file: Value = serde_json::from_str(bundled.text()).unwrap();
            file["id"] = json!(alias);
            for kind in SourceKind::ALL {
                let saving =
                    SourceOrigin { purpose: Purpose::Save, ..SourceOrigin::new(*kind, "x") };
                let refused = compile(&file.to_string(), &saving, &Definitions::standard());
                let problems = refused.expect_err("a new workflow needs a namespace");
                assert_eq!(problems[0].code, ProblemCode::LegacyId);
            }
        }
    }
}

// shows: WR-397, WR-398
#[test]
fn no_other_source_takes_the_place_of_a_bundled_workflow() {
    for bundled in BuiltinWorkflow::ALL {
        for kind in SourceKind::ALL.iter().filter(|kind| **kind != SourceKind::Bundled) {
            for id in [bundled.as_str(), "wr.something_new"] {
                let mut file: Value = serde_json::from_str(bundled.text()).unwrap();
                file["id"] = json!(id);
                let refused = compile(
                    &file.to_string(),
                    &SourceOrigin::new(*kind, "x"),
                    &Definitions::standard(),
                );
                let problems = refused.expect_err("the namespace is reserved");
                let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
                assert_eq!(codes, [ProblemCode::ReservedNamespace], "{kind} {id}");
            }
        }
        assert_eq!(resolve(bundled.as_str()).unwrap().workflow, *bundled);
    }
}

#[test]
fn no_two_workflows_share_a_name() {
    let mut names: Vec<_> =
        BuiltinWorkflow::ALL.iter().flat_map(|bundled| bundled.aliases()).copied().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

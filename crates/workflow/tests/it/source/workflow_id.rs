//! Ids of workflows: namespaces, older ids and suggestions.

use piton_core::WorkflowId;
use piton_workflow::SourceKind;
use piton_workflow::compile::{CompiledWorkflow, Definitions, WarningCode, compile};
use piton_workflow::source::{
    DeclaredId, IdStatus, ProblemCode, Purpose, SourceOrigin, SourceProblem,
};
use serde_json::json;

use super::origin;

fn with_id(id: &str, origin: &SourceOrigin) -> Result<CompiledWorkflow, Vec<SourceProblem>> {
    let source = json!({"id": id, "steps": [{"id": "a", "title": "A", "prompt": "Do it."}]});
    compile(&source.to_string(), origin, &Definitions::standard())
}

#[track_caller]
fn check(id: &str, origin: &SourceOrigin, code: ProblemCode, fix: &str) {
    let problems = with_id(id, origin).expect_err("it must be refused");
    let found: Vec<_> = problems
        .iter()
        .map(|problem| (problem.path.as_str(), problem.code, problem.fix.as_str()))
        .collect();
    assert_eq!(found, [("/id", code, fix)]);
    assert_eq!(with_id(id, origin).err(), Some(problems));
}

// shows: WR-396, WR-407
#[test]
fn an_id_of_another_form_is_refused_with_a_suggestion() {
    for id in ["project.review", "a.b", "team-x.re_view2"] {
        assert_eq!(with_id(id, &origin()).unwrap().workflow_id.as_str(), id);
    }
    for (id, suggested) in [
        ("a.b.c", "project.c"),
        ("Project.Review", "project.review"),
        ("project.1st", "project.w_1st"),
        ("a.", "project.a"),
        (".b", "project.b"),
        (".", "project.workflow"),
    ] {
        check(id, &origin(), ProblemCode::InvalidId, &format!("write `{suggested}`"));
    }
    let long = format!("a.{}", "b".repeat(127));
    assert_eq!(with_id(&long, &origin()).unwrap_err()[0].code, ProblemCode::InvalidId);
}

// shows: WR-397
#[test]
fn the_namespace_of_bundled_workflows_is_refused_elsewhere() {
    for kind in SourceKind::ALL.iter().filter(|kind| **kind != SourceKind::Bundled) {
        let problems = with_id("wr.review", &SourceOrigin::new(*kind, "x")).unwrap_err();
        assert_eq!(problems[0].code, ProblemCode::ReservedNamespace);
    }
    check("wr.review", &origin(), ProblemCode::ReservedNamespace, "write `project.review`");
    assert!(with_id("wr.review", &SourceOrigin::new(SourceKind::Bundled, "")).is_ok());
}

// shows: WR-401
#[test]
fn an_older_id_is_loaded_with_a_warning() {
    let workflow = with_id("code-review", &origin()).unwrap();
    assert_eq!(workflow.workflow_id.as_str(), "project.code_review");
    let warnings: Vec<_> = workflow
        .compiled_warnings
        .iter()
        .map(|warning| (warning.code, warning.subject.as_str()))
        .collect();
    assert_eq!(warnings, [(WarningCode::LegacyWorkflowId, "code-review")]);
}

// shows in part: WR-406 (the status and the suggestion)
#[test]
fn an_id_says_whether_it_is_an_older_one_and_what_it_should_be() {
    let namespaced = DeclaredId::parse("a.b", &origin()).unwrap();
    assert_eq!(namespaced.status(), IdStatus::Namespaced);
    assert_eq!(namespaced.workflow_id().as_str(), "a.b");
    let legacy = DeclaredId::parse("code-review", &origin()).unwrap();
    assert_eq!(legacy.status(), IdStatus::Legacy);
    assert_eq!(legacy.workflow_id().as_str(), "project.code_review");
    assert!(DeclaredId::parse("wr.b", &origin()).is_err());
    assert!(DeclaredId::parse("", &origin()).is_err());
}

// shows in part: WR-400 (the check)
#[test]
fn a_new_workflow_needs_a_namespace() {
    let saving = SourceOrigin { purpose: Purpose::Save, ..origin() };
    check("code-review", &saving, ProblemCode::LegacyId, "write `project.code_review`");
    assert!(with_id("project.code_review", &saving).is_ok());
}

// shows: WR-402
#[test]
fn the_suggested_namespace_follows_from_the_source() {
    for (kind, team, expected) in [
        (SourceKind::User, false, "user.a"),
        (SourceKind::User, true, "user.a"),
        (SourceKind::Project, false, "project.a"),
        (SourceKind::Remote, false, "repo.a"),
        (SourceKind::Plugin, false, "repo.a"),
        (SourceKind::Remote, true, "team.a"),
        (SourceKind::Plugin, true, "team.a"),
        (SourceKind::Bundled, false, "wr.a"),
    ] {
        let origin = SourceOrigin { team, ..SourceOrigin::new(kind, "x") };
        assert_eq!(origin.suggest("a").as_str(), expected);
    }
}

// shows: WR-403
#[test]
fn the_suggested_name_is_lowercase_with_underscores_and_starts_with_a_letter() {
    for (legacy, expected) in [
        ("code-review", "project.code_review"),
        ("Code-Review", "project.code_review"),
        ("code review!", "project.code_review_"),
        ("2nd-look", "project.w_2nd_look"),
        ("-a", "project.w__a"),
        ("é", "project.w__"),
        ("", "project.w_"),
    ] {
        assert_eq!(origin().suggest(legacy).as_str(), expected);
    }
    let longest = origin().suggest(&"-".repeat(500));
    assert!(longest.as_str().parse::<WorkflowId>().is_ok());
}

// shows: WR-404
#[test]
fn a_suggestion_that_is_taken_gets_a_mark_of_its_source() {
    let taken = |ids: &[&str]| SourceOrigin {
        taken: ids.iter().map(|id| id.parse().unwrap()).collect(),
        ..origin()
    };
    let once = taken(&["project.a"]).suggest("a");
    // The first four digits of the digest of {"sourceKind":"project","sourceRef":"workflows"}.
    assert_eq!(once.as_str(), "project.a_08a6");
    assert_eq!(taken(&["project.a"]).suggest("a"), once);
    let elsewhere = SourceOrigin { reference: "other".into(), ..taken(&["project.a"]) };
    assert_ne!(elsewhere.suggest("a"), once);
    let twice = taken(&["project.a", once.as_str()]).suggest("a");
    assert_eq!(twice.as_str(), format!("{once}_2"));
}

//! Listing and inspecting workflows.

use piton_runtime::request::{InspectMode, InspectWorkflow, ListWorkflows};
use piton_workflow::builtin_workflows::BuiltinWorkflow;

use crate::rig::{Machine, two_steps};

fn inspect(mode: InspectMode) -> InspectWorkflow {
    InspectWorkflow { workflow_id: "wr.tour".to_owned(), mode, project_dir: None }
}

// shows: WR-264
#[test]
fn inspecting_shows_as_much_as_is_asked_for_and_the_hash_that_a_run_is_pinned_to() {
    let tour = BuiltinWorkflow::Tour.compiled();
    let agent = Machine::in_memory().agent();
    let shown = |mode| agent.inspect_workflow(&inspect(mode)).unwrap();
    let metadata = shown(InspectMode::Metadata);
    assert!(metadata.step_titles.is_empty() && metadata.first_prompt.is_none());
    assert!(metadata.compiled.is_none());
    let preview = shown(InspectMode::Preview);
    assert_eq!(preview.step_titles.len(), tour.steps.len());
    assert_eq!(preview.first_prompt.as_deref(), Some(tour.steps[0].prompt.as_str()));
    let full = shown(InspectMode::Full);
    assert_eq!(full.compiled.as_ref(), Some(&tour));
    for (one, other) in [(&metadata, &preview), (&preview, &full)] {
        assert_eq!(one.entry, other.entry);
    }
    assert_eq!(full.entry.workflow_hash, tour.workflow_hash());
    // Another process says the same.
    let again = Machine::on_disk().agent().inspect_workflow(&inspect(InspectMode::Full)).unwrap();
    assert_eq!(again, full);
}

#[test]
fn a_query_leaves_out_what_lacks_one_of_its_words_and_counts_it() {
    let machine = Machine::in_memory();
    let listed = |query: &str| {
        let query = Some(query.to_owned());
        let listed =
            machine.agent().list_workflows(&ListWorkflows { query, ..ListWorkflows::default() });
        let listed = listed.unwrap();
        let ids: Vec<String> =
            listed.workflows.into_iter().map(|entry| entry.workflow_id).collect();
        (ids, listed.left_out)
    };
    let all = BuiltinWorkflow::ALL.len();
    assert_eq!(listed("MERGED judged"), (vec!["wr.code_review".to_owned()], all - 1));
    assert_eq!(listed("merged pizza"), (Vec::new(), all));
    assert_eq!(listed("  ").0.len(), all);
}

#[test]
fn tags_leave_out_what_has_none_of_them_and_the_reply_names_all_that_there_are() {
    let machine = Machine::in_memory();
    let own = r#"{"id": "project.own", "name": "Own", "description": "For tests.", "tags": ["ops", "review", "ops"],
        "steps": [{"id": "one", "title": "One", "prompt": "Do it."}]}"#;
    machine.write("project/.piton/workflows/own.json", own);
    let listed = |tags: &[&str], query: Option<&str>| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let query = query.map(str::to_owned);
        let request = ListWorkflows { query, tags, ..ListWorkflows::default() };
        machine.agent().list_workflows(&request).unwrap()
    };
    let ids = |tags: &[&str], query: Option<&str>| -> Vec<String> {
        listed(tags, query).workflows.into_iter().map(|entry| entry.workflow_id).collect()
    };
    assert_eq!(ids(&["review"], None), ["project.own", "wr.code_review"]);
    assert_eq!(ids(&["OPS", "learning"], None), ["project.own", "wr.tour"]);
    assert_eq!(ids(&["review"], Some("merged")), ["wr.code_review"]);
    let none = listed(&["pizza"], None);
    assert_eq!((none.workflows.len(), none.left_out), (0, BuiltinWorkflow::ALL.len() + 1));
    assert!(none.text().contains("coding") && none.text().contains("ops"), "{}", none.text());
    for entry in listed(&[], None).workflows {
        assert!(!entry.tags.is_empty(), "{} can be found by a tag", entry.workflow_id);
    }
}

#[test]
fn what_an_agent_reads_about_workflows() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/old.json", &two_steps("deploy-it"));
    machine.write("project/.piton/workflows/bad.json", r#"{"id": "project.bad", "stepps": []}"#);
    let agent = machine.agent();
    let home = machine.home().display().to_string();
    let listed = agent.list_workflows(&ListWorkflows::default()).unwrap();
    insta::assert_snapshot!("list", listed.text().replace(&home, "~"));
    let preview = agent.inspect_workflow(&inspect(InspectMode::Preview)).unwrap();
    insta::assert_snapshot!("preview", preview.text());
}

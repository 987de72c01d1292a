//! Finding a run to go on with.

use piton_core::{Code, NodeId};
use piton_runtime::reply::Reply;
use piton_runtime::request::{Continue, ResumeSession};
use piton_store::port::{Collection, Document, IndexedSource};
use piton_workflow::projection::{SUMMARY_VERSION, WhyMatched};
use serde_json::{Value, json};

use crate::rig::{Machine, labelled, notes, start, two_steps};

async fn two_runs(machine: &Machine) -> Vec<Reply> {
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    let agent = machine.agent();
    let mut runs = Vec::new();
    for (branch, text) in [("main", "Chose the blue pump."), ("fix/login", "Chose the red valve.")]
    {
        machine.write("project/.git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        let first = agent.start_workflow(start("project.a")).await.unwrap();
        let on = labelled(&first.body.run, notes(first.body.ack_token.as_ref(), text));
        runs.push(agent.continue_workflow(on).await.unwrap());
    }
    runs
}

#[tokio::test]
async fn each_candidate_brings_the_call_that_goes_on_with_it() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        let runs = two_runs(&machine).await;
        // A process that has seen none of it.
        let agent = machine.agent();
        let request =
            ResumeSession { query: Some("red valve".to_owned()), ..ResumeSession::default() };
        let found = agent.resume_session(&request).await.unwrap();
        let best = &found.candidates[0];
        assert_eq!(best.run_id, runs[1].body.run.run_id);
        assert_eq!(best.why_matched, [WhyMatched::Notes]);
        assert_eq!(best.title, "mend the login");
        assert_eq!(best.git_branch.as_deref(), Some("fix/login"));
        assert!(best.snippet.contains("red valve"));
        for token in [&best.state_token, best.next_call.params.state_token.as_ref().unwrap()] {
            let asked = Continue { state_token: Some(token.clone()), ..Continue::default() };
            let there = agent.continue_workflow(asked).await.unwrap();
            assert_eq!(there.body.run.run_id, best.run_id);
            assert_eq!(there.body.pending.unwrap().step_id.as_str(), "second");
        }
        assert!(best.next_call.params.state_token.as_ref().unwrap().len() <= 40);
    }
}

// shows: WR-447 (with a_poisoned_entry_changes_a_list_and_never_an_offer)
#[tokio::test]
async fn a_poisoned_index_changes_no_step_that_is_taken() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        let runs = two_runs(&machine).await;
        let Reply { body, .. } = &runs[1];
        machine.runtime().list_sessions().await.unwrap();
        let index = &machine.ports.index;
        let collection =
            Collection { name: "runs".parse().unwrap(), version: (SUMMARY_VERSION << 8) | 2 };
        let kept = index.scan(&collection, None, 100).await.unwrap().sources;
        let kept = kept.into_iter().find(|one| one.name == body.run.session_id.to_string());
        let kept = kept.unwrap();
        let (id, payload) = &kept.documents[0];
        let mut summary: Value = serde_json::from_slice(payload).unwrap();
        let nowhere = NodeId::from_bytes([9; 16]).to_string();
        for (field, value) in [("title", "poison"), ("status", "complete"), ("tip", &nowhere)] {
            assert!(summary[field].is_string(), "{field}");
            summary[field] = json!(value);
        }
        let poisoned = Document {
            id: id.clone(),
            fields: [("status".parse().unwrap(), "complete".into())].into(),
            text: "poison".to_owned(),
            payload: summary.to_string().into_bytes(),
        };
        let poisoned = IndexedSource {
            name: kept.name.clone(),
            cursor: kept.cursor.clone(),
            documents: vec![poisoned],
        };
        index.replace(&collection, vec![poisoned]).await.unwrap();

        let process = machine.runtime();
        let listed = process.list_sessions().await.unwrap().runs;
        assert!(listed.iter().any(|run| run.title.as_str() == "poison"), "a list believes it");
        let agent = machine.agent();
        let request = ResumeSession { run_id: Some(body.run.run_id), ..ResumeSession::default() };
        let candidate = agent.resume_session(&request).await.unwrap().candidates.remove(0);
        let asked = Continue { state_token: Some(candidate.state_token), ..Continue::default() };
        let there = agent.continue_workflow(asked).await.unwrap().body;
        assert_eq!(there.pending.unwrap().step_id.as_str(), "second");
        let last = labelled(&body.run, notes(body.ack_token.as_ref(), "Opened it."));
        let last = agent.continue_workflow(last).await.unwrap().body;
        assert!(last.is_complete && last.run.run_id == body.run.run_id);
    }
}

#[tokio::test]
async fn an_id_finds_exactly_what_it_names() {
    let machine = Machine::in_memory();
    let runs = two_runs(&machine).await;
    let agent = machine.agent();
    let run = &runs[0].body.run;
    for request in [
        ResumeSession { session_id: Some(run.session_id), ..ResumeSession::default() },
        ResumeSession { run_id: Some(run.run_id), ..ResumeSession::default() },
        ResumeSession {
            session_id: Some(run.session_id),
            run_id: Some(run.run_id),
            query: Some("red valve".to_owned()),
            ..ResumeSession::default()
        },
    ] {
        let found = agent.resume_session(&request).await.unwrap();
        let ids: Vec<_> = found.candidates.iter().map(|one| one.run_id).collect();
        assert_eq!(ids, [run.run_id]);
        assert!(found.candidates[0].why_matched.is_empty());
    }
    let crossed = ResumeSession {
        session_id: Some(run.session_id),
        run_id: Some(runs[1].body.run.run_id),
        ..ResumeSession::default()
    };
    let refused = agent.resume_session(&crossed).await.unwrap_err();
    assert_eq!(refused.code, Code::SessionNotFound);
    assert!(refused.message.contains(&run.session_id.to_string()), "{}", refused.message);
}

#[tokio::test]
async fn without_any_word_the_branch_of_the_project_counts() {
    let machine = Machine::in_memory();
    let runs = two_runs(&machine).await;
    for (branch, expected) in [("main", 0), ("fix/login", 1)] {
        machine.write("project/.git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        let found = machine.agent().resume_session(&ResumeSession::default()).await.unwrap();
        assert_eq!(found.candidates[0].run_id, runs[expected].body.run.run_id);
        assert_eq!(found.candidates[0].why_matched, [WhyMatched::Branch]);
    }
    // Words that were asked for are not outranked by the branch.
    let request = ResumeSession { query: Some("blue".to_owned()), ..ResumeSession::default() };
    let found = machine.agent().resume_session(&request).await.unwrap();
    assert_eq!(found.candidates[0].run_id, runs[0].body.run.run_id);
}

#[tokio::test]
async fn what_an_agent_reads_when_it_resumes() {
    let machine = Machine::in_memory();
    let none = machine.agent().resume_session(&ResumeSession::default()).await.unwrap();
    assert!(none.text().starts_with("No run was found. Searched: open runs"), "{}", none.text());
    assert!(none.text().ends_with("Next: list_workflows {}"), "{}", none.text());
    two_runs(&machine).await;
    let found = machine.agent().resume_session(&ResumeSession::default()).await.unwrap();
    insta::assert_snapshot!(found.text());
}

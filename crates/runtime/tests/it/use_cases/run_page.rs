//! Runs, found by a query line and by words.

use piton_core::{Code, SessionId};
use piton_runtime::Runtime;
use piton_runtime::reply::{Reply, RunPage};
use piton_runtime::request::{Freshness, RunQuery, SessionReference};
use piton_runtime::workflow::RunField;
use piton_store::collect::CollectMode;
use schemars::schema_for;

use crate::rig::{Machine, labelled, notes, start, two_steps};

/// Three runs: one that is done, one at its second step, and one that was refused.
async fn three_runs(machine: &Machine) -> Vec<Reply> {
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    machine.write("project/.piton/workflows/b.json", &two_steps("project.b"));
    let agent = machine.agent();
    let on = async |reply: &Reply, text: &str| {
        let submitted = labelled(&reply.body.run, notes(reply.body.ack_token.as_ref(), text));
        agent.continue_workflow(submitted).await.unwrap()
    };
    machine.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let first = agent.start_workflow(start("project.a")).await.unwrap();
    let first = on(&first, "Chose the blue pump of run_index.").await;
    let first = on(&first, "Opened it.").await;
    machine.write("project/.git/HEAD", "ref: refs/heads/fix/login\n");
    let second = agent.start_workflow(start("project.a")).await.unwrap();
    let second = on(&second, "Chose the red valve.").await;
    let third = agent.start_workflow(start("project.b")).await.unwrap();
    let third = on(&third, " ").await;
    vec![first, second, third]
}

async fn page(runtime: &Runtime, query: &str) -> RunPage {
    let query = RunQuery { query: query.to_owned(), ..RunQuery::default() };
    runtime.run_page(&query).await.unwrap()
}

fn sessions(page: &RunPage) -> Vec<SessionId> {
    page.runs.iter().map(|found| found.run.session_id).collect()
}

#[tokio::test]
async fn a_query_line_finds_runs_by_fields_and_words() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        let runs = three_runs(&machine).await;
        let [one, two, three] = [0, 1, 2].map(|number: usize| runs[number].body.run.session_id);
        let runtime = machine.runtime();
        let label = format!("label:{}", runs[1].body.run.label);
        let cases: Vec<(&str, Vec<SessionId>)> = vec![
            ("", vec![one, two, three]),
            ("status:complete", vec![one]),
            ("-status:complete", vec![two, three]),
            ("status:in_progress,blocked", vec![two, three]),
            ("workflow:project.*", vec![one, two, three]),
            ("workflow:project.b", vec![three]),
            ("branch:fix/* red", vec![two]),
            ("gaps>0", vec![three]),
            ("gaps:0 -pump", vec![two]),
            ("\"red valve\"", vec![two]),
            ("\"valve red\"", vec![]),
            ("run_ind*", vec![one]),
            ("run_index", vec![one]),
            (&label, vec![two]),
            ("age<1000w", vec![one, two, three]),
            ("age>1000w", vec![]),
            ("nodes>=3", vec![one]),
        ];
        for (query, mut expected) in cases {
            let mut found = sessions(&page(&runtime, query).await);
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{query}");
        }
        let all = page(&runtime, "").await;
        assert_eq!((all.total, all.unreadable, all.unindexed), (3, 0, 0));
        assert!(all.is_caught_up && all.version.is_some());
        let facets: Vec<Vec<(&str, u64)>> = all
            .facets
            .iter()
            .map(|facet| facet.values.iter().map(|one| (one.value.as_str(), one.count)).collect())
            .collect();
        assert_eq!(facets[0], [("blocked", 1), ("complete", 1), ("in_progress", 1)]);
        assert_eq!(facets[1], [("project.a", 2), ("project.b", 1)]);
        assert_eq!(facets[2], [("fix/login", 2), ("main", 1)]);
        assert!(all.runs.iter().all(|found| found.run.recap.is_none()));
    }
}

#[tokio::test]
async fn what_is_not_understood_is_reported_and_nothing_is_looked_for() {
    let machine = Machine::in_memory();
    three_runs(&machine).await;
    let page = page(&machine.runtime(), "pump stauts:blocked").await;
    assert_eq!((page.runs.len(), page.total, page.version), (0, 0, None));
    let [problem] = page.problems.as_slice() else { panic!("{page:?}") };
    assert_eq!((problem.start, problem.end), (5, 19));
    assert_eq!(problem.valid[0], "status");
}

#[tokio::test]
async fn pages_are_sorted_and_follow_each_other() {
    let machine = Machine::on_disk();
    three_runs(&machine).await;
    let runtime = machine.runtime();
    for sort in [None, Some(RunField::Workflow), Some(RunField::Gaps), Some(RunField::Label)] {
        for is_reversed in [false, true] {
            let query = RunQuery { sort, is_reversed, ..RunQuery::default() };
            let whole = runtime.run_page(&query).await.unwrap();
            let mut found = Vec::new();
            for from in 0..3 {
                let query = RunQuery { from, limit: Some(1), ..query.clone() };
                let page = runtime.run_page(&query).await.unwrap();
                assert_eq!((page.total, page.from, page.runs.len()), (3, from, 1));
                found.extend(page.runs);
            }
            assert_eq!(found, whole.runs, "{sort:?}");
            let workflows: Vec<_> =
                whole.runs.iter().map(|one| one.run.workflow.id.as_str()).collect();
            if sort == Some(RunField::Workflow) {
                assert_eq!(workflows.is_sorted(), !is_reversed);
            }
        }
    }
    let listed = runtime.list_sessions().await.unwrap().runs;
    let newest = page(&runtime, "").await;
    assert_eq!(sessions(&newest), listed.iter().map(|run| run.session_id).collect::<Vec<_>>());
    let refused = runtime.run_page(&RunQuery { limit: Some(201), ..RunQuery::default() }).await;
    assert_eq!(refused.unwrap_err().code, Code::ValidationError);
}

#[tokio::test]
async fn what_is_indexed_changes_when_it_is_brought_up_to_date() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        let runtime = machine.runtime();
        let indexed = RunQuery { freshness: Freshness::Indexed, ..RunQuery::default() };
        let before = runtime.run_page(&indexed).await.unwrap();
        assert!((before.total, before.is_caught_up) == (0, false));
        let runs = three_runs(&machine).await;
        let session = runs[1].body.run.session_id;
        assert!(runtime.catch_up_session(session).await);
        assert_eq!(sessions(&runtime.run_page(&indexed).await.unwrap()), [session]);
        let done = runtime.catch_up_runs().await.unwrap();
        assert_eq!((done.sessions, done.read, done.unreadable, done.unindexed), (3, 2, 0, 0));
        let after = runtime.run_page(&indexed).await.unwrap();
        assert_eq!((after.total, after.is_caught_up), (3, true));
        assert_eq!(runtime.catch_up_runs().await.unwrap().read, 0);
    }
}

#[tokio::test]
async fn a_search_finds_words_also_while_they_are_typed() {
    let machine = Machine::on_disk();
    let runs = three_runs(&machine).await;
    let runtime = machine.runtime();
    runtime.catch_up_runs().await.unwrap();
    for (text, expected) in
        [("red val", 1), ("red val ", 0), ("RED valve ", 1), ("pump blue", 1), ("-", 0), ("", 0)]
    {
        let found = runtime.search(text, 0, None).await.unwrap();
        assert_eq!((found.runs.len(), found.total), (expected, expected as u64), "{text}");
    }
    let found = runtime.search("valve", 0, None).await.unwrap();
    assert_eq!(found.runs[0].run.session_id, runs[1].body.run.session_id);
    let excerpt = found.runs[0].excerpt.as_ref().unwrap();
    assert!(excerpt.pieces.iter().any(|piece| piece.is_match && piece.text == "valve"));
    let offered = runtime.complete_run_query("branch:f", 8).await.unwrap();
    assert_eq!(offered[0].text, "fix/login");
}

#[tokio::test]
async fn a_session_that_is_removed_leaves_the_index_in_the_same_call() {
    let machine = Machine::on_disk();
    let runs = three_runs(&machine).await;
    let runtime = machine.runtime();
    runtime.catch_up_runs().await.unwrap();
    let bytes = |text: &str| {
        let files = std::fs::read_dir(machine.data().join("index")).unwrap();
        let files = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        files.into_iter().any(|file| file.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    assert!(bytes("blue pump") && bytes("red valve"));
    let session = SessionReference(runs[1].body.run.session_id.to_string());
    runtime.delete_session(&session).await.unwrap();
    let indexed = RunQuery { freshness: Freshness::Indexed, ..RunQuery::default() };
    assert_eq!(runtime.run_page(&indexed).await.unwrap().total, 2);
    assert!(bytes("blue pump") && !bytes("valve"), "its text is gone from the disk");
    // The others are as old as their last event, and the shortest retention is a day.
    assert_eq!(runtime.clean(CollectMode::Remove).await.unwrap().removed.len(), 0);
    assert_eq!(runtime.run_page(&indexed).await.unwrap().total, 2);
}

#[tokio::test]
async fn a_session_whose_time_is_over_leaves_the_index_with_the_cleaning() {
    let machine = Machine::on_disk();
    let runs = three_runs(&machine).await;
    let runtime = machine.runtime();
    runtime.catch_up_runs().await.unwrap();
    machine.write(".config/piton/config.toml", "[retention]\ndays = 1\n");
    let old = runs[1].body.run.session_id;
    let manifest = machine.data().join(format!("sessions/{old}/manifest.jsonl"));
    let manifest = std::fs::File::options().write(true).open(manifest).unwrap();
    let days = std::time::Duration::from_hours(48);
    manifest.set_modified(std::time::SystemTime::now() - days).unwrap();
    let is_on_disk = |text: &str| {
        let files = std::fs::read_dir(machine.data().join("index")).unwrap();
        let mut files = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        files.any(|file| file.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    runtime.clean(CollectMode::Rehearse).await.unwrap();
    assert_eq!(runtime.search("valve", 0, None).await.unwrap().total, 1, "nothing was removed");
    assert_eq!(runtime.clean(CollectMode::Remove).await.unwrap().removed, [old]);
    // Nobody has brought the index up to date since then.
    assert_eq!(runtime.search("valve", 0, None).await.unwrap().total, 0);
    assert_eq!(runtime.search("pump", 0, None).await.unwrap().total, 1);
    assert!(is_on_disk("blue pump") && !is_on_disk("valve"), "its text is gone from the disk");
}

#[tokio::test]
async fn no_token_and_no_prompt_is_indexed() {
    let machine = Machine::on_disk();
    let runs = three_runs(&machine).await;
    machine.runtime().catch_up_runs().await.unwrap();
    let files = std::fs::read_dir(machine.data().join("index")).unwrap();
    let files: Vec<Vec<u8>> =
        files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    let is_in = |text: &str| {
        files.iter().any(|file| file.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    for run in &runs {
        let body = &run.body;
        assert!(is_in(&body.run.run_id.to_string()));
        assert!(!is_in(body.state_token.as_ref()));
        if let Some(token) = &body.ack_token {
            assert!(!is_in(token.as_ref()));
        }
        if let Some(pending) = &body.pending {
            assert!(!is_in(pending.prompt.as_str()), "{}", pending.prompt.as_str());
        }
    }
}

#[test]
fn every_reply_has_a_schema() {
    for schema in [
        schema_for!(RunPage),
        schema_for!(piton_runtime::reply::SearchResults),
        schema_for!(piton_runtime::reply::CaughtUpRuns),
        schema_for!(piton_runtime::run_query::Completion),
        schema_for!(RunQuery),
    ] {
        assert!(schema.get("properties").is_some(), "{schema:?}");
    }
}

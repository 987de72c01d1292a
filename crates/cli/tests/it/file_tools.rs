//! The file tools of `piton mcp`, over a real pipe.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

const GIVEN: [&str; 4] = ["--workspace", "/docs=./docs:ro", "--workspace", "/scratch=virtual:rw"];

fn rig() -> Rig {
    let rig = Rig::new();
    rig.write("docs/a.md", "# Guide\nRead me.\n");
    rig.write("docs/.hidden", "x\n");
    rig
}

fn agent(rig: &Rig) -> Agent {
    Agent::start_as(rig, &GIVEN)
}

// shows: WS-041
#[test]
fn the_map_is_in_the_instructions_and_names_nothing_of_the_machine() {
    let rig = rig();
    let agent = agent(&rig);
    let told = &agent.instructions;
    for line in ["/docs     read-only", "/scratch  read-write"] {
        assert!(told.contains(line), "{told}");
    }
    assert!(!told.contains(rig.home().to_str().unwrap()), "{told}");
    agent.leave();
    // Without Workspaces nothing is said of files, and there is no tool for them.
    let mut plain = Agent::start(&rig);
    assert!(!plain.instructions.contains("Files:"), "{}", plain.instructions);
    assert_eq!(plain.tools().len(), 7);
    plain.leave();
}

#[test]
fn an_agent_lists_reads_writes_and_edits_and_is_refused_where_it_may_not() {
    let rig = rig();
    let mut agent = agent(&rig);
    let host = rig.home().to_str().unwrap().to_owned();
    let mut call = |tool: &str, arguments| {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(!text.contains(&host), "{text}");
        (text, is_error)
    };
    assert_eq!(call("ls", json!({ "path": "/docs" })).0, ".hidden\t2\na.md\t17\n");
    let (read, _) = call("read", json!({ "path": "/docs/a.md", "offset": 2, "limit": 1 }));
    assert!(read.ends_with("\nRead me.\n"), "{read}");
    let written = call("write", json!({ "path": "/scratch/n/plan.md", "content": "one\ntwo\n" }));
    assert!(!written.1, "{}", written.0);
    let edit = json!({ "path": "/scratch/n/plan.md", "old_string": "two", "new_string": "2" });
    assert!(!call("edit", edit).1);
    let (found, _) = call("grep", json!({ "pattern": "2|Read" }));
    assert_eq!(found, "/docs/a.md:2:Read me.\n/scratch/n/plan.md:2:2\n");
    let (refused, is_error) = call("write", json!({ "path": "/docs/a.md", "content": "x" }));
    assert!(is_error && refused.starts_with("WORKSPACE_SCOPE: "), "{refused}");
    assert!(refused.contains("read-only") && refused.contains("/scratch"), "{refused}");
    for outside in ["/etc/passwd", "/docs/../secret", &host] {
        let (refused, is_error) = agent.call_text("read", &json!({ "path": outside }));
        assert!(is_error, "{refused}");
        assert!(outside == host || !refused.contains(&host), "{refused}");
    }
    let (wrong, is_error) = agent.call_text("read", &json!({ "file": "/docs/a.md", "limit": "3" }));
    assert!(is_error, "{wrong}");
    for part in ["`path` is missing", "`limit` must be a whole number", "`file` is not a field"] {
        assert!(wrong.contains(part), "{wrong}");
    }
    agent.leave();
    assert_eq!(fs::read_to_string(rig.project().join("docs/a.md")).unwrap(), "# Guide\nRead me.\n");
    // What is virtual is kept: another process finds it, with who wrote it.
    let log = rig.tells(&[
        "workspace",
        "log",
        "/scratch/n/plan.md",
        GIVEN[0],
        GIVEN[1],
        GIVEN[2],
        GIVEN[3],
    ]);
    let did = |at: usize| (log["records"][at]["agent"].clone(), log["records"][at]["tool"].clone());
    assert_eq!(did(0), (json!("test"), json!("write")));
    assert_eq!(did(1), (json!("test"), json!("edit")));
    assert_eq!(log["changedOutside"], false);
}

// shows in part: WS-058 (with the session, the run and the step of the call)
#[test]
fn a_call_that_names_its_step_is_recorded_with_it() {
    let rig = rig();
    let mut agent = agent(&rig);
    let started = agent.call("start_workflow", &json!({ "workflowId": "wr.tour" }));
    let token = started["ackToken"].as_str().unwrap();
    let write = json!({ "path": "/scratch/a", "content": "a", "run": token });
    assert!(!agent.call_text("write", &write).1);
    let forged = json!({ "path": "/scratch/b", "content": "b", "run": "ak-nothing" });
    let (refused, is_error) = agent.call_text("write", &forged);
    assert!(is_error && refused.starts_with("TOKEN_"), "{refused}");
    assert!(agent.call_text("read", &json!({ "path": "/scratch/b" })).1, "nothing was written");
    agent.leave();
    let log =
        rig.tells(&["workspace", "log", "/scratch/a", GIVEN[0], GIVEN[1], GIVEN[2], GIVEN[3]]);
    let record = &log["records"][0];
    assert_eq!(record["session"], started["run"]["sessionId"], "{record}");
    assert_eq!(record["run"], started["run"]["runId"]);
    assert!(record["step"].as_str().is_some_and(|step| !step.is_empty()), "{record}");
}

/// How many bytes lie in a directory, and whether one of its files has a text.
fn held(directory: &Path, text: &str) -> (u64, bool) {
    let mut found = (0, false);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let (bytes, has) = if path.is_dir() {
            held(&path, text)
        } else {
            let content = fs::read(&path).unwrap();
            let has = content.windows(text.len()).any(|window| window == text.as_bytes());
            (content.len() as u64, has)
        };
        found = (found.0 + bytes, found.1 || has);
    }
    found
}

// shows in part: WS-052 (bytes of files never enter the stream of a session)
#[test]
fn what_is_written_to_a_virtual_store_stays_out_of_the_session_and_its_replies() {
    const PART: usize = 2 << 20;
    const MARK: &str = "BYTES-OF-A-FILE";
    let rig = rig();
    let mut agent = agent(&rig);
    let answer = agent.call("start_workflow", &json!({ "workflowId": "wr.tour" }));
    let token = answer["ackToken"].as_str().unwrap().to_owned();
    let sessions = rig.data().join("sessions");
    let before = held(&sessions, MARK).0;
    let content = MARK.repeat(PART / MARK.len());
    let mut replies = 0;
    for _ in 0..5 {
        let part =
            json!({ "path": "/scratch/f", "content": content, "append": true, "run": token });
        let (said, is_error) = agent.call_text("write", &part);
        assert!(!is_error, "{said:.200}");
        replies += said.len() as u64;
    }
    let after = held(&sessions, MARK).0;
    assert!(after - before + replies < 2_000, "{} and {replies} bytes", after - before);
    let output = json!({ "notesMarkdown": "Project: a sample\nSeen: 1 file" });
    let next = agent.call("continue_workflow", &json!({ "ackToken": token, "output": output }));
    assert!(next["ackToken"].is_string(), "{next}");
    assert!(!next.to_string().contains(MARK) && !held(&sessions, MARK).1);
    agent.leave();
}

// shows in part: WS-031 (over MCP)
#[test]
fn only_tools_that_can_succeed_are_listed() {
    let rig = rig();
    for (workspace, expected) in [
        ("/docs=./docs:ro", vec!["ls", "read", "glob", "grep", "stat"]),
        ("/drop=memory:wo", vec!["write"]),
    ] {
        let mut agent = Agent::start_as(&rig, &["--workspace", workspace]);
        assert_eq!(agent.tools()[7..], expected, "{workspace}");
        // One that is not listed cannot be called either.
        agent.ask_tool("mkdir", &json!({ "path": "/docs/new" }));
        let reply = agent.reply().unwrap();
        assert!(reply["error"]["message"].as_str().unwrap().contains("no tool `mkdir`"), "{reply}");
        agent.leave();
    }
}

#[test]
fn a_workspace_that_is_typed_wrong_is_told_with_the_right_form() {
    let rig = rig();
    for (typed, part) in [
        ("/docs", "there is no `=`"),
        ("/docs=./docs", "there is no `:`"),
        ("/docs=./docs:all", "`all` is no scope"),
        ("docs=./docs:ro", "the prefix `docs` is refused"),
        ("/docs=docs:ro", "write a directory as ./docs"),
    ] {
        let output = rig.run(&["mcp", "--workspace", typed]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(part) && told.contains("/docs=./docs:ro"), "{typed}: {told}");
    }
    let (code, error) = rig.fails(&["workspace", "map", "--workspace", "/x=./gone:ro"]);
    assert_eq!((code, &error["code"]), (1, &json!("WORKSPACE_CONFIG")));
    assert!(error["message"].as_str().unwrap().contains("does not exist"), "{error}");
}

const STEPS: &str = r#"{
  "id": "project.narrow",
  "steps": [
    { "id": "look", "title": "Look", "prompt": "Look.",
      "access": { "workspaces": [{ "prefix": "/scratch", "scope": "read-only" }] } },
    { "id": "mend", "title": "Mend", "prompt": "Mend.",
      "access": { "workspaces": [{ "prefix": "/scratch", "scope": "read-write" }, { "prefix": "/docs", "scope": "read-write" }] } },
    { "id": "check", "title": "Check", "prompt": "Check.",
      "access": { "workspaces": [{ "prefix": "/scratch", "scope": "read-only" }] } }
  ]
}"#;

// shows: WS-042 (with a_step_narrows_files_state_and_context_and_its_token_is_asked_for, a_step_that_changes_what_may_be_touched_changes_the_list_and_says_so, a_step_leaves_no_more_than_is_configured_and_no_more_than_it_names)
#[test]
fn a_step_grants_while_it_is_pending_and_a_late_call_is_refused() {
    let rig = rig();
    rig.write(".piton/workflows/narrow.json", STEPS);
    let mut agent = agent(&rig);
    let write = |token: &str, path: &str| json!({ "path": path, "content": "x\n", "run": token });
    let mut answer = agent.call("start_workflow", &json!({ "workflowId": "project.narrow" }));
    let mut tokens = Vec::new();
    for is_writable in [false, true, false] {
        let token = answer["ackToken"].as_str().unwrap().to_owned();
        let (said, is_error) = agent.call_text("write", &write(&token, "/scratch/a"));
        assert_eq!(!is_error, is_writable, "{said}");
        let (said, is_error) = agent.call_text("write", &write(&token, "/docs/a.md"));
        assert!(is_error, "no step widens what is configured: {said}");
        let (said, is_error) = agent.call_text("read", &json!({ "path": "/scratch/a" }));
        assert!(is_error && said.starts_with("TOKEN_RUN_REQUIRED"), "{said}");
        let done = json!({ "ackToken": token, "output": { "notesMarkdown": "Done." } });
        answer = agent.call("continue_workflow", &done);
        let (late, is_error) = agent.call_text("write", &write(&token, "/scratch/a"));
        tokens.push(token);
        assert!(is_error, "{late}");
        assert!(late.starts_with("TOKEN_STEP_PASSED") || tokens.len() == 3, "{late}");
    }
    agent.leave();
    assert_eq!(fs::read_to_string(rig.project().join("docs/a.md")).unwrap(), "# Guide\nRead me.\n");
}

/// A shell that opens files for everybody, in a directory that is gone, without a home and with no place for temporary
/// files.
const HOSTILE: &str = "umask 000; mkdir gone; cd gone; rmdir ../gone; \
    exec env -i PITON_DATA_DIR=\"$1\" TMPDIR=/nonexistent \"$2\" workspace shell --workspace \"/docs=$3:rw\"";

// shows in part: WS-011 (wherever and however the process is started)
#[test]
fn how_a_process_is_started_changes_nothing_about_its_files() {
    let rig = rig();
    let (docs, data) = (rig.project().join("docs"), rig.data());
    let guide = docs.join("a.md");
    fs::set_permissions(&guide, fs::Permissions::from_mode(0o640)).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", HOSTILE, "sh"]).arg(&data).arg(env!("CARGO_BIN_EXE_piton")).arg(&docs);
    shell.current_dir(rig.project()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    let typed = "edit /docs/a.md Guide Handbook\nread /docs/a.md\n";
    shell.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let said = text(&shell.wait_with_output().unwrap().stdout);
    assert!(said.ends_with("# Handbook\nRead me.\n"), "{said}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&guide), mode(&data.join("table.sqlite3"))), (0o640, 0o600));
}

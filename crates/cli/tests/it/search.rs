//! `piton search`.

use crate::rig::Rig;

#[test]
fn words_find_runs_workflows_keys_frames_and_files() {
    let rig = Rig::new();
    let run = rig.tour();
    rig.write("notes.md", "# Notes\n");
    rig.tells(&["context", "scan"]);
    let put = [
        "context",
        "put-frame",
        "notes.md",
        "--type",
        "note",
        "--text",
        "The heron \u{1b}[31mis red",
    ];
    rig.tells(&put);
    let found = rig.tells(&["search", "login"]);
    assert_eq!(found["schema"], "piton.search/1");
    assert_eq!(
        (&found["total"], &found["runs"][0]["run"]["sessionId"]),
        (&1.into(), &run.session.as_str().into())
    );
    let said = rig.says(&["search", "login", "pag"]);
    assert!(said.starts_with("Runs\n") && said.contains(&run.label), "{said}");
    assert!(said.contains("Project: a login page"), "{said}");
    let said = rig.says(&["search", "tour"]);
    assert!(said.contains("Workflows\n  wr.tour"), "{said}");
    let said = rig.says(&["search", "heron"]);
    assert!(said.contains("Frames\n  notes.md  note\n    The heron"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert_eq!(rig.says(&["search", "xyzzy"]), "Nothing has all of these words.\n");
    assert_eq!(rig.run(&["search"]).status.code(), Some(2));
    // What is deleted is not found.
    rig.says(&["session", "delete", &run.session, "--yes"]);
    assert_eq!(rig.tells(&["search", "login"])["total"], 0);
}

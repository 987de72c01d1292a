//! `piton session`.

use std::fs;

use crate::rig::{Rig, damage, text};

#[test]
fn without_runs_a_person_is_told_how_to_begin() {
    insta::assert_snapshot!(Rig::new().says(&["session", "list"]));
}

#[test]
fn a_run_is_listed_shown_and_drawn() {
    let rig = Rig::new();
    let run = rig.tour();
    let says = |arguments: &[&str]| run.stable(&rig.says(arguments), &rig);
    insta::assert_snapshot!("list", says(&["session", "list"]));
    insta::assert_snapshot!("show", says(&["session", "show", &run.label]));
    insta::assert_snapshot!("tree", says(&["session", "tree", &run.label]));
}

#[test]
fn a_run_goes_by_its_words_its_ids_and_their_ends() {
    let rig = Rig::new();
    let run = rig.tour();
    let ending = |id: &str| id[id.len() - 6..].to_owned();
    let names = [
        run.label.clone(),
        run.id.clone(),
        run.session.clone(),
        ending(&run.id),
        ending(&run.session),
    ];
    for name in &names {
        let tree = rig.tells(&["session", "tree", name]);
        assert_eq!(tree["summary"]["runId"], run.id.as_str(), "{name}");
    }
    for strange in ["no-such", "zzzz", "sess_00000000000000000000000000"] {
        let (code, error) = rig.fails(&["session", "show", strange]);
        assert_eq!((code, error["code"].as_str()), (1, Some("SESSION_NOT_FOUND")), "{error}");
    }
    assert_eq!(rig.run(&["session", "show", ""]).status.code(), Some(2));
}

#[test]
fn nothing_is_removed_by_two_words_or_without_being_asked() {
    let rig = Rig::new();
    let run = rig.tour();
    let (code, error) = rig.fails(&["session", "delete", &run.label, "--yes"]);
    assert_eq!(code, 1);
    assert!(error["suggestion"].as_str().unwrap().contains(&run.session), "{error}");
    let (code, error) = rig.fails(&["session", "delete", &run.session]);
    assert_eq!(code, 1);
    assert!(error["suggestion"].as_str().unwrap().contains("--yes"), "{error}");
    rig.tells(&["session", "show", &run.session]);

    let told = rig.tells(&["session", "delete", &run.session, "--yes"]);
    assert_eq!(told["sessionId"], run.session.as_str());
    assert_eq!(rig.tells(&["session", "list"])["runs"].as_array().unwrap().len(), 0);
}

#[test]
fn a_session_is_carried_to_another_data_directory() {
    let (rig, elsewhere) = (Rig::new(), Rig::new());
    let run = rig.tour();
    let file = rig.project().join("tour.json");
    let file = file.to_str().unwrap();
    rig.tells(&["session", "export", &run.label, file]);
    // A file that is there stays, unless it may be replaced.
    let (code, error) = rig.fails(&["session", "export", &run.label, file]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("left as it is"), "{error}");
    rig.tells(&["session", "export", &run.label, file, "--force"]);

    let imported = elsewhere.tells(&["session", "import", file]);
    assert_eq!(imported["sessionId"], run.session.as_str());
    let tree = |rig: &Rig| rig.tells(&["session", "tree", &run.label])["nodes"].clone();
    assert_eq!(tree(&elsewhere), tree(&rig));
    // The second one is another session.
    let again = elsewhere.tells(&["session", "import", file]);
    assert_eq!(again["renamedFrom"], run.session.as_str());

    // Over a pipe.
    let bundle = rig.run(&["session", "export", &run.label, "-"]);
    let third = Rig::new();
    let output = third.type_in(&["session", "import", "-"], &text(&bundle.stdout));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(third.newest().id, run.id);
}

#[test]
fn a_damaged_session_is_told_from_sound_ones_and_can_be_repaired() {
    let rig = Rig::new();
    let run = rig.tour();
    assert_eq!(rig.tells(&["session", "verify", &run.label])["isSound"], true);
    damage(&rig.segment(&run.session));

    let doctor = rig.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    let told = text(&doctor.stdout);
    assert!(told.contains("1 session, 1 of them damaged"), "{told}");
    let output = rig.run(&["session", "verify", &run.session, "--json"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    // A list may come from what was computed before; without that the damage is seen there, too.
    fs::remove_dir_all(rig.data().join("index")).unwrap();
    let listed = rig.says(&["session", "list"]);
    assert!(listed.contains(&run.session) && listed.contains("cannot be read"), "{listed}");
    let (code, error) = rig.fails(&["session", "show", &run.session]);
    assert_eq!((code, error["code"].as_str()), (5, Some("SESSION_NOT_HEALTHY")));

    let file = rig.project().join("salvaged.json");
    let file = file.to_str().unwrap();
    rig.tells(&["session", "export", &run.session, file, "--salvage"]);
    let (_, error) = rig.fails(&["session", "import", file]);
    assert!(error["code"].as_str().unwrap().starts_with("BUNDLE_"), "{error}");

    assert_eq!(rig.tells(&["session", "repair", &run.session])["isSound"], true);
    assert_eq!(rig.tells(&["session", "verify", &run.session])["isSound"], true);
    rig.says(&["session", "show", &run.session]);
}

#[test]
fn a_query_line_chooses_the_runs_that_are_listed() {
    let rig = Rig::new();
    let run = rig.tour();
    let page = rig.tells(&["session", "list", "workflow:wr.* age<1d", "--limit", "1"]);
    assert_eq!((&page["schema"], &page["total"]), (&"piton.session.page/1".into(), &1.into()));
    assert_eq!(page["runs"][0]["run"]["sessionId"], run.session.as_str());
    let listed = rig.says(&["session", "list", &format!("label:{}", run.label)]);
    assert!(listed.contains(&run.label), "{listed}");
    let sorted = rig.says(&["session", "list", "--sort", "-label"]);
    assert!(sorted.contains(&run.label), "{sorted}");
    assert!(rig.says(&["session", "list", "-workflow:wr.*"]).contains("No run matches."));
    let (_, error) = rig.fails(&["session", "list", "login stauts:blocked"]);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("\n        ^^^^^^^^^^^^^^\n"), "{message}");
    assert!(error["suggestion"].as_str().unwrap().contains("status"), "{error}");
    let (_, error) = rig.fails(&["session", "list", "--sort", "size"]);
    assert!(error["message"].as_str().unwrap().contains("`size`"), "{error}");
}

#[test]
fn a_session_stays_or_goes_as_a_person_says() {
    let rig = Rig::new();
    let run = rig.tour();
    let kept = |rig: &Rig| rig.tells(&["session", "show", &run.label])["kept"].clone();
    assert_eq!(kept(&rig), false);
    rig.tells(&["session", "keep", &run.label]);
    assert_eq!(kept(&rig), true);
    rig.tells(&["session", "keep", &run.label, "--no-longer"]);
    assert_eq!(kept(&rig), false);

    let rehearsed = rig.tells(&["session", "gc", "--dry-run"]);
    assert_eq!((&rehearsed["isRehearsal"], &rehearsed["young"]), (&true.into(), &1.into()));
    let cleaned = rig.says(&["session", "gc"]);
    assert!(cleaned.starts_with("Deleted 0 sessions past their retention time."), "{cleaned}");
    assert!(fs::read_dir(rig.data().join("sessions")).unwrap().count() == 1);
}

#[test]
fn a_copy_beside_its_original_is_pointed_at_by_its_id() {
    let rig = Rig::new();
    let run = rig.tour();
    let file = rig.project().join("tour.json");
    rig.tells(&["session", "export", &run.label, file.to_str().unwrap()]);
    let copy = rig.tells(&["session", "import", file.to_str().unwrap()]);
    let said = rig.says(&["session", "list"]);
    let next = said.lines().last().unwrap();
    let named = [run.session.as_str(), copy["sessionId"].as_str().unwrap()];
    assert!(named.iter().any(|name| next.ends_with(name)), "{said}");
    let shown = next.rsplit(' ').next().unwrap();
    rig.tells(&["session", "show", shown]);

    // What is in brackets names each of them to every command.
    let mut met = Vec::new();
    for row in said.lines().filter(|line| line.starts_with(&run.label)) {
        let name = row.split(['[', ']']).nth(1).unwrap_or_else(|| panic!("{said}"));
        let session = rig.tells(&["session", "show", name])["sessionId"].clone();
        assert_eq!(rig.tells(&["blame", "run", name])["sessionId"], session);
        assert_eq!(rig.tells(&["session", "tree", name])["summary"]["sessionId"], session);
        let forked = rig.tells(&["fork", name, "--at", "notes"]);
        assert_eq!((&forked["sessionId"], &forked["name"]), (&session, &session));
        rig.tells(&["diff", name, &run.session]);
        met.push(session);
    }
    assert_eq!(met.len(), 2, "{said}");
    assert_ne!(met[0], met[1]);
    for command in [&["blame", "run", &run.label][..], &["session", "show", &run.id]] {
        let (code, error) = rig.fails(command);
        let advice = error["suggestion"].as_str().unwrap();
        assert!(
            code == 1
                && met.iter().all(|id| error["message"].to_string().contains(id.as_str().unwrap()))
        );
        let command = advice.split('`').find(|part| part.starts_with("piton ")).unwrap();
        rig.says(&command.split(' ').skip(1).collect::<Vec<_>>());
    }
}

#[test]
fn a_run_is_exported_as_a_page_that_names_nothing_of_this_machine() {
    let rig = Rig::new();
    let project = rig.project().display().to_string();
    let told =
        "Project: a shop\nSeen: 3 files in PLACE/src, with ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0\n.\n";
    rig.type_in(&["workflow", "run", "wr.tour"], &told.replace("PLACE", &project));
    let run = rig.newest();
    let told = rig.tells(&["session", "export", &run.label, "--html"]);
    assert_eq!(told["schema"], "piton.session.export/1");
    // Without a name, the file has that of the run.
    let file = rig.project().join(format!("{}.html", run.label));
    let html = fs::read_to_string(&file).unwrap();
    assert_eq!(told["bytes"], html.len());
    for part in [
        "Content-Security-Policy",
        "connect-src 'none'",
        "3 files in [directory]/src, with [token]",
    ] {
        assert!(html.contains(part), "{part}");
    }
    for secret in [project.as_str(), "ak-7h2kq9xd", rig.data().to_str().unwrap()] {
        assert!(!html.contains(secret), "{secret}");
    }
    let omissions = told["omissions"].as_array().unwrap();
    assert_eq!(omissions[0]["kind"], "tokens", "{omissions:?}");
    // The text for a person says the same, and an existing file stays.
    assert_eq!(rig.fails(&["session", "export", &run.label, "--html"]).0, 1);
    let said = rig.says(&["session", "export", &run.label, "--html", "--force"]);
    assert!(said.contains(omissions[0]["text"].as_str().unwrap()), "{said}");
    let printed = text(&rig.run(&["session", "export", &run.label, "-", "--html"]).stdout);
    assert!(printed.starts_with("<!doctype html>") && printed.ends_with("</html>\n"));
    assert_eq!(rig.run(&["session", "export", &run.label]).status.code(), Some(2));
}

#[test]
fn what_only_reads_takes_the_run_that_was_active_last_and_says_which() {
    let rig = Rig::new();
    let reading = [
        &["session", "show"][..],
        &["session", "tree"],
        &["session", "verify"],
        &["blame", "run"],
        &["blame", "recap"],
        &["fork"],
        &["fork", "--at", "notes"],
    ];
    for arguments in reading {
        let (code, error) = rig.fails(arguments);
        assert_eq!((code, &error["message"]), (1, &"There are no runs yet.".into()), "{error}");
        assert!(error["suggestion"].as_str().unwrap().contains("piton workflow run"), "{error}");
    }
    let older = rig.tour();
    let newer = rig.tour();
    for arguments in reading {
        let output = rig.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        let chosen = format!("{} is the most recently active run.\n\n", newer.label);
        assert_eq!(text(&output.stderr), chosen, "{arguments:?}");
        let (options, place) = arguments.split_at(arguments.len().min(2));
        let named = match arguments {
            ["fork", rest @ ..] => [&["fork", newer.id.as_str()], rest].concat(),
            _ => [options, &[newer.id.as_str()], place].concat(),
        };
        assert_eq!(text(&output.stdout), rig.says(&named), "{arguments:?}");
    }
    // The run that is written to is the newest from then on.
    rig.type_in(&["workflow", "run", "--resume", &older.label], "Hello\n.\n.\n");
    assert_eq!(rig.tells(&["session", "show"])["sessionId"], older.session.as_str());
}

#[test]
fn what_changes_or_removes_a_run_wants_its_name() {
    let rig = Rig::new();
    rig.tour();
    for arguments in [
        &["approve"][..],
        &["reject"],
        &["answer"],
        &["session", "delete"],
        &["session", "keep"],
        &["session", "repair"],
        &["session", "prefer"],
        &["workflow", "run", "--resume"],
    ] {
        assert_eq!(rig.run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_misspelt_run_is_answered_with_the_nearest() {
    let rig = Rig::new();
    let run = rig.tour();
    let misspelt = run.label.replacen('-', "_", 1);
    for arguments in [
        &["session", "show", &misspelt][..],
        &["session", "tree", &misspelt],
        &["approve", &misspelt],
        &["blame", "run", &misspelt],
        &["workflow", "run", "--resume", &misspelt],
        &["prefs", "get", "--run", &misspelt],
    ] {
        let (code, error) = rig.fails(arguments);
        let suggestion = error["suggestion"].as_str().unwrap();
        let expected = format!("Did you mean {}?", run.label);
        assert!(code == 1 && suggestion.contains(&expected), "{arguments:?}: {error}");
    }
}

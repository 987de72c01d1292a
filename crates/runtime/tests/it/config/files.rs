//! What is wrong with a file is reported at once, with its place and what to write.

use crate::rig::Machine;

/// Everything that is wrong with a project's file, without the directory.
fn problems(text: &str) -> Vec<String> {
    let machine = Machine::in_memory();
    machine.write("project/piton.toml", text);
    let found = machine.configuration().unwrap().settings_here();
    let shown = |problem: &piton_runtime::config::ConfigProblem| {
        let name = problem.place.rsplit('/').next().unwrap().to_owned();
        let at = format!("{name}:{}:{}", problem.line.unwrap(), problem.column.unwrap());
        format!("{at}: {}; {}", problem.reason, problem.fix)
    };
    found.err().unwrap_or_default().iter().map(shown).collect()
}

#[test]
fn every_problem_of_a_file_is_told_at_once_with_its_place_and_what_to_write() {
    let text = r#"
[preferences]
autonmy = "guided"
autonomy = "bold"
risk_policy = 3

[workflow]
dirs = []

[log]
level = "warn"
dir = "x"

[workflows]
dirs = ["a", 1]
"#;
    insta::assert_snapshot!(problems(text).join("\n"));
}

#[test]
fn each_slip_is_answered_with_what_was_meant() {
    let cases = [
        ("[preferences]\nrisk-policy = \"balanced\"", "write `risk_policy`"),
        ("[perferences]\nautonomy = \"guided\"", "write `preferences`"),
        ("[cooking]\nheat = 3", "the sections are: data, workflows, project, preferences"),
        ("[log]\nautonomy = 3", "move it to `[preferences]`"),
        ("preferences = \"guided\"", "write `[preferences]` on a line"),
        ("[log]\nlevel = \"loud\"", "write for example `level = \"info\"`"),
        ("[workflows]\ndirs = \"one\"", "write for example `dirs = ["),
        ("[log]\nheat = 3", "the settings of `[log]` are: level"),
    ];
    for (text, fix) in cases {
        let found = problems(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].contains(fix), "{text}: {}", found[0]);
    }
}

#[test]
fn every_syntax_error_is_told_with_its_line() {
    let found = problems("[log]\nlevel = \n[project\ndir = \".\"\n");
    assert!(found.len() >= 2, "{found:?}");
    assert!(found[0].starts_with("piton.toml:2:"), "{found:?}");
    assert!(found.iter().all(|one| one.contains("not TOML")), "{found:?}");
}

#[test]
fn a_project_sets_nothing_that_belongs_to_the_machine() {
    let text = "[data]\ndir = \"x\"\n[retention]\ndays = 1\n\
                [http]\nbind = \"0.0.0.0\"\nport = 1\ntoken_file = \"x\"";
    let found = problems(text);
    assert_eq!(found.len(), 5, "{found:?}");
    for (problem, variable) in found.iter().zip([
        "PITON_DATA_DIR",
        "PITON_RETENTION_DAYS",
        "PITON_HTTP_BIND",
        "PITON_HTTP_PORT",
        "PITON_HTTP_TOKEN_FILE",
    ]) {
        assert!(problem.contains("is up to the user"), "{problem}");
        assert!(problem.contains(variable), "{problem}");
    }
}

#[test]
fn a_secret_is_refused_and_its_file_asked_for_and_never_quoted() {
    for name in ["token", "http_token", "api_key", "password"] {
        let found = problems(&format!("[http]\n{name} = \"hunter2\""));
        assert_eq!(found.len(), 1, "{name}");
        assert!(found[0].contains("`http.token_file`"), "{}", found[0]);
        assert!(!found[0].contains("hunter2"), "{}", found[0]);
    }
}

#[test]
fn a_file_that_is_too_large_or_not_text_is_told() {
    let machine = Machine::in_memory();
    for text in ["#".repeat(300_000).into_bytes(), vec![0xff, 0xfe]] {
        let path = machine.write(".config/piton/config.toml", "");
        std::fs::write(&path, text).unwrap();
        let problems = machine.configuration().unwrap_err();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].reason.contains("cannot be read"), "{}", problems[0]);
        assert_eq!(problems[0].place, path.display().to_string());
    }
}

#[test]
fn all_problems_become_one_failure() {
    let machine = Machine::in_memory();
    machine.write("project/piton.toml", "[log]\nlevel = 1\nloud = 2\n");
    let problems = machine.configuration().unwrap().settings_here().unwrap_err();
    let envelope = piton_runtime::config::ConfigProblem::envelope(&problems);
    assert!(
        envelope
            .message
            .starts_with("The configuration cannot be used, because it has 2 problems.")
    );
    assert_eq!(envelope.message.lines().count(), 3);
}

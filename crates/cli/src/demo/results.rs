//! The results of the demo, shown by the commands that a person types.
#![expect(clippy::disallowed_methods, reason = "the commands are shown as a person runs them")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use piton_core::shell_word;

use super::project::DemoProject;
use crate::app::App;
use crate::failure::Failure;

/// Runs the commands in the project, and prints them with their output.
pub(super) fn show_results(app: &App, demo: &DemoProject, run: &str) -> Result<(), Failure> {
    let commands: [(&str, Vec<&str>); 5] = [
        ("What the run did:", vec!["session", "tree", run]),
        ("Where each line of its recap comes from:", vec!["blame", "recap", run]),
        ("Who wrote its state, and at which step:", vec!["blame", "state", "login", "fix"]),
        ("Who changed the file, and at which step:", vec!["blame", "file", "/scratch/retry.rs"]),
        ("What it would change in the project:", vec!["workspace", "diff", "/scratch"]),
    ];
    let program = env::current_exe().map_err(Failure::io("find this program"))?;
    for (what, arguments) in commands {
        writeln!(app.output, "\n{what}\n$ piton {}", arguments.join(" "));
        let ran = Command::new(&program)
            .args(&arguments)
            .arg("--data-dir")
            .arg(&demo.data)
            .current_dir(&demo.project)
            .output()
            .map_err(Failure::io("run a command of the demo"))?;
        if !ran.status.success() {
            let problem = String::from_utf8_lossy(&ran.stderr);
            let problem = format!("`piton {}` failed: {problem}", arguments.join(" "));
            return Err(Failure::broken_promise(&problem));
        }
        app.output.print(String::from_utf8_lossy(&ran.stdout).trim_end());
    }
    let piton = typed(&program, app.environment.variables.get("PATH").map(String::as_str));
    let data = Path::new("..").join(demo.data.file_name().unwrap_or_default());
    let word = |path: &Path| shell_word(&path.display().to_string());
    let (project, data) = (word(&demo.project), word(&data));
    writeln!(
        app.output,
        "\nEverything is kept. Look around, apply the change, or take another branch:\n\
         \x20 cd {project}\n\
         \x20 {piton} --data-dir {data} session tree {run}\n\
         \x20 {piton} --data-dir {data} workspace apply /scratch\n\
         \x20 {piton} --data-dir {data} fork {run} --at refusal\n\
         \x20 {piton} --data-dir {data} workflow run wr.tour"
    );
    Ok(())
}

/// Returns the word that runs this program: its name if the shell finds it by that, else its path.
fn typed(program: &Path, path: Option<&str>) -> String {
    let mut found = path.into_iter().flat_map(env::split_paths).map(|dir| dir.join("piton"));
    // Only the first hit counts, since that is the one that a shell runs.
    let first = found.find_map(|candidate| fs::canonicalize(candidate).ok());
    if first.is_some() && first == fs::canonicalize(program).ok() {
        return "piton".to_owned();
    }
    shell_word(&program.display().to_string())
}

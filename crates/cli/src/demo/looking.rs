//! What happened, shown by the commands that a person types.
#![expect(clippy::disallowed_methods, reason = "the commands are shown as a person runs them")]

use std::process::Command;

use super::{facts::Played, stage::Stage};
use crate::{app::App, failure::Failure};

/// Runs the commands in the project, and shows them with what they print.
pub(super) fn around(app: &App, stage: &Stage, played: &Played) -> Result<(), Failure> {
    let looks: [(&str, Vec<&str>); 5] = [
        ("What the run did:", vec!["session", "tree", &played.run]),
        ("Where each line of its recap comes from:", vec!["blame", "recap", &played.run]),
        ("Who wrote its state, and at which step:", vec!["blame", "state", "login", "fix"]),
        ("Who changed the file, and at which step:", vec!["blame", "file", "/scratch/retry.rs"]),
        ("What it would change in the project:", vec!["workspace", "diff", "/scratch"]),
    ];
    let program = std::env::current_exe().map_err(Failure::io("find this program"))?;
    for (what, arguments) in looks {
        app.output.say(format_args!("\n{what}\n$ piton {}", arguments.join(" ")));
        let ran = Command::new(&program)
            .args(&arguments)
            .arg("--data-dir")
            .arg(&stage.data)
            .current_dir(&stage.project)
            .output()
            .map_err(Failure::io("look at what happened"))?;
        if !ran.status.success() {
            let told = String::from_utf8_lossy(&ran.stderr);
            let told = format!("`piton {}` failed: {told}", arguments.join(" "));
            return Err(Failure::BrokenPromise(told));
        }
        app.output.say(String::from_utf8_lossy(&ran.stdout).trim_end());
    }
    let project = app.shown(&stage.project);
    app.output.say(format_args!(
        "\nIt is all still there. Look for yourself, apply the change, or go another way:\n\
         \x20 cd {project}\n\
         \x20 export PITON_DATA_DIR={}\n\
         \x20 piton workspace apply /scratch\n\
         \x20 piton fork {} --at refusal\n\
         \x20 piton workflow run wr.tour",
        app.shown(&stage.data),
        played.run
    ));
    Ok(())
}

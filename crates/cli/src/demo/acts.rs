//! The acts of the demo, the words of its agent, the facts that it establishes, and the commands that show what happened.
#![expect(clippy::disallowed_methods, reason = "the commands are shown as a person runs them")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use piton_core::shell_word;
use serde::Serialize;
use serde_json::{Value, json};

use super::agent::{DemoAgent, ServerProcess};
use super::project::DemoProject;
use crate::app::{App, Outcome};
use crate::failure::Failure;
use crate::messages;

/// Upper bound for the number of steps of the tour, loops included.
const STEPS_MAX: usize = 32;

/// Facts of a finished demo.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DemoFacts {
    project: PathBuf,
    data_dir: PathBuf,
    /// The two words that name the run.
    run: String,
    session: String,
    /// Number of tools that the agent had.
    tools: usize,
    /// Message to the agent when it was blocked.
    blocked: String,
    /// The signal that ended the first server.
    signal: i32,
    /// Number of things that were acknowledged before the kill and are gone after it.
    lost: usize,
    /// Message to the agent when it wrote to a read-only place.
    refused: String,
    /// Number of steps that were submitted.
    steps: usize,
}

/// Plays the demo.
pub(crate) fn run(app: &App) -> Outcome {
    let root = app.data_dir(&app.configuration()?.settings())?.join("demo");
    let demo = DemoProject::create(&root)?;
    writeln!(
        app.output,
        "Piton {} · a demo run, kept in {}",
        env!("CARGO_PKG_VERSION"),
        app.display_path(&demo.root)
    );
    let facts = play(app, &demo)?;
    show_results(app, &demo, &facts.run)?;
    app.output.finish("piton.demo/2", &facts)
}

/// A run as its agent sees it.
struct DemoRun {
    reply: Value,
    round: u64,
    steps: usize,
}

/// Plays the acts, and reports each as it happens.
fn play(app: &App, demo: &DemoProject) -> Result<DemoFacts, Failure> {
    let output = &app.output;
    let (server, mut agent) = ServerProcess::start(demo)?;
    let tools = agent.tools.len();
    writeln!(output, "\n1. An agent connects over MCP, finds {tools} tools, and starts wr.tour.");
    let goal =
        json!({ "workflowId": "wr.tour", "goal": "find out why the login says \"try again\"" });
    let started = agent.must("start_workflow", &goal)?;
    let mut run = DemoRun { reply: started.data, round: 1, steps: 0 };
    let label = text(&run.reply["run"]["label"]);
    let session = text(&run.reply["run"]["sessionId"]);
    writeln!(output, "   Run {label}, step 1 of {}: {}", run.reply["run"]["of"], title(&run.reply));

    output.print("\n2. It submits \"Done.\", which is not what the step asks for.");
    let blocked = run.submit(&mut agent, &hasty())?;
    let reason = first_blocker(&run.reply)?;
    output.print(indented(&reason));
    run.submit(&mut agent, &step_output("notes", 1))?;
    writeln!(output, "   It reads that, fixes its notes, and moves on to: {}", title(&run.reply));

    output.print("\n3. It packs what it knows. Then its server is killed (kill -9) in the middle of the step.");
    let step = run.token()?;
    let pack = json!({ "key": "suspect", "value": "retry.rs", "run": step });
    agent.must("pack", &pack)?;
    let before = run.reply["pending"]["stepId"].clone();
    // The pack was acknowledged, so it has to survive a kill that gives the server no chance to clean up.
    let signal = server.kill()?;
    let (server, mut agent) = ServerProcess::start(demo)?;
    let lost = run.resume(&mut agent, &before)?;
    writeln!(
        output,
        "   Signal {signal}. Another agent asks for open runs and finds {label}, at the same step."
    );
    writeln!(output, "   Acknowledged and lost: {lost}.");

    output.print("\n4. The code is read-only for the agent; its scratchpad is copy-on-write.");
    let refused = run.fix(&mut agent)?;
    output.print(indented(&refused));
    output.print("   It edits /scratch/retry.rs instead. The project does not change until a person applies the edit.");

    run.finish(&mut agent)?;
    server.end(agent)?;
    writeln!(output, "\n5. It continues to the end, with {} steps submitted.", run.steps);
    let (project, data_dir) = (demo.project.clone(), demo.data.clone());
    let (blocked, steps) = (blocked.unwrap_or(reason), run.steps);
    Ok(DemoFacts {
        project,
        data_dir,
        run: label,
        session,
        tools,
        blocked,
        signal,
        lost,
        refused,
        steps,
    })
}

impl DemoRun {
    /// Returns the token of the pending step.
    fn token(&self) -> Result<String, Failure> {
        let token = self.reply["nextCall"]["params"]["ackToken"].as_str();
        token.map(str::to_owned).ok_or_else(|| Failure::broken_promise("a reply has no next call"))
    }

    /// Submits an output for the pending step. Returns the reason if it was sent back.
    fn submit(&mut self, agent: &mut DemoAgent, output: &Value) -> Result<Option<String>, Failure> {
        let call = json!({ "ackToken": self.token()?, "output": output });
        self.reply = agent.must("continue_workflow", &call)?.data;
        if self.reply["kind"] == "blocked" {
            return first_blocker(&self.reply).map(Some);
        }
        self.steps += 1;
        Ok(None)
    }

    /// Finds the run again as an agent without any memory would, and counts what is gone.
    fn resume(&mut self, agent: &mut DemoAgent, step: &Value) -> Result<usize, Failure> {
        let found = agent.must("resume_session", &json!({ "query": "login" }))?.data;
        let call = &found["candidates"][0]["nextCall"];
        let tool = call["tool"]
            .as_str()
            .ok_or_else(|| Failure::broken_promise("no open run was found"))?;
        self.reply = agent.must(tool, &call["params"])?.data;
        let kept = agent.must("unpack", &json!({ "key": "suspect" }))?;
        let prompt = text(&self.reply["pending"]["prompt"]);
        // Three things were acknowledged before the kill: the step, the notes of the step before, and the packed value.
        let losses = [
            self.reply["pending"]["stepId"] != *step,
            !prompt.contains("Project: a login page"),
            !kept.text.contains("retry.rs"),
        ];
        let lost = losses.into_iter().filter(|lost| *lost).count();
        if lost > 0 {
            return Err(Failure::broken_promise(
                "something that was acknowledged is gone after a kill",
            ));
        }
        Ok(lost)
    }

    /// Tries an edit in the project, which must be refused, and then makes it on the copy in the scratchpad.
    fn fix(&self, agent: &mut DemoAgent) -> Result<String, Failure> {
        let run = self.token()?;
        let (old, new) = ("    what()\n", "    (0..3).any(|_| what())\n");
        let edit =
            |path: &str| json!({ "path": path, "old_string": old, "new_string": new, "run": run });
        let refused = agent.call("edit", &edit("/project/retry.rs"))?;
        if !refused.is_error {
            return Err(Failure::broken_promise("a read-only Workspace was written to"));
        }
        agent.must("edit", &edit("/scratch/retry.rs"))?;
        let pack = json!({ "key": "fix", "value": "retry.rs tries three times", "run": run });
        agent.must("pack", &pack)?;
        Ok(refused.text)
    }

    /// Completes every remaining step.
    fn finish(&mut self, agent: &mut DemoAgent) -> Result<(), Failure> {
        for _ in 0..STEPS_MAX {
            let Some(step) = self.reply["pending"]["stepId"].as_str().map(str::to_owned) else {
                return Ok(());
            };
            if let Some(reason) = self.submit(agent, &step_output(&step, self.round))? {
                return Err(Failure::broken_promise(&format!(
                    "the script does not satisfy `{step}`: {reason}"
                )));
            }
            // The loop of the tour ends each turn with the step `again`.
            self.round += u64::from(step == "again");
        }
        Err(Failure::broken_promise("the tour does not end"))
    }
}

fn first_blocker(reply: &Value) -> Result<String, Failure> {
    let blocker = reply["blockers"]["blockers"][0]["message"].as_str();
    blocker
        .map(str::to_owned)
        .ok_or_else(|| Failure::broken_promise("an output that lacks everything was accepted"))
}

fn title(reply: &Value) -> String {
    text(&reply["pending"]["title"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn indented(text: &str) -> String {
    messages::indented(text, "   │ ")
}

/// Returns the first output of a hasty agent, which is not enough.
fn hasty() -> Value {
    json!({ "notesMarkdown": "Done." })
}

/// Returns an output that satisfies a step; `round` counts the turns of its loop from one.
fn step_output(step: &str, round: u64) -> Value {
    let notes = match step {
        "notes" => "Project: a login page\nSeen: 3 files at its top",
        "refusal" => "Refused: it asked for the lines `Refused:` and `Fixed:`\nFixed: I wrote them",
        "guess" if round == 1 => {
            "Guess: login.rs asks once\nFound: it leaves trying again to retry.rs"
        }
        "guess" => "Guess: retry.rs tries three times\nFound: it tries once, which is the bug",
        "again" => {
            let decision = if round == 1 { "continue" } else { "stop" };
            let control =
                json!({ "kind": "wr.loop_control", "loopId": "rounds", "decision": decision });
            return json!({ "artifacts": [control] });
        }
        _ => {
            "Checkpoint: before the retry is changed\nGoing back: the later steps stay, on another branch\n\
             Next: wr.bug_investigation"
        }
    };
    json!({ "notesMarkdown": notes })
}

/// Runs the commands in the project, and prints them with their output.
fn show_results(app: &App, demo: &DemoProject, run: &str) -> Result<(), Failure> {
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

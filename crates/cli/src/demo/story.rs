//! The acts of the demo.

use serde_json::{Value, json};

use super::{agent::DemoAgent, facts::Played, script, stage::Stage};
use crate::{app::App, failure::Failure};

/// Upper bound for the number of steps of the tour, loops included.
const STEPS_MAX: usize = 32;

/// A run as its agent sees it.
struct DemoRun {
    reply: Value,
    round: u64,
    steps: usize,
}

/// Plays the acts, and reports each as it happens.
pub(super) fn play(app: &App, stage: &Stage) -> Result<Played, Failure> {
    let output = &app.output;
    let mut agent = DemoAgent::connect(stage)?;
    let tools = agent.tools.len();
    output.print(format_args!(
        "\n1. An agent connects over MCP, finds {tools} tools, and starts wr.tour."
    ));
    let goal =
        json!({ "workflowId": "wr.tour", "goal": "find out why the login says \"try again\"" });
    let started = agent.must("start_workflow", &goal)?;
    let mut run = DemoRun { reply: started.data, round: 1, steps: 0 };
    let label = text(&run.reply["run"]["label"]);
    let session = text(&run.reply["run"]["sessionId"]);
    output.print(format_args!(
        "   Run {label}, step 1 of {}: {}",
        run.reply["run"]["of"],
        title(&run.reply)
    ));

    output.print("\n2. It hands in \"Done.\" That is not what the step asks for.");
    let blocked = run.hand_in(&mut agent, &script::hasty())?;
    let told = first_blocker(&run.reply)?;
    output.print(indented(&told));
    run.hand_in(&mut agent, &script::output("notes", 1))?;
    output
        .print(format_args!("   It reads that, mends its notes, and is at: {}", title(&run.reply)));

    output.print("\n3. It packs what it knows, and then its server is killed (kill -9) in the middle of the step.");
    let step = run.token()?;
    let pack = json!({ "key": "suspect", "value": "retry.rs", "run": step });
    agent.must("pack", &pack)?;
    let before = run.reply["pending"]["stepId"].clone();
    // The pack was acknowledged, so it has to survive a kill that gives the server no chance to clean up.
    let signal = agent.kill()?;
    let mut agent = DemoAgent::connect(stage)?;
    let lost = run.resume(&mut agent, &before)?;
    output.print(format_args!("   Signal {signal}. Another agent asks for open runs and is told: {label}, at the same step."));
    output.print(format_args!("   Acknowledged and lost: {lost}."));

    output.print("\n4. The code is read-only to it; its scratchpad is copy-on-write.");
    let refused = run.fix(&mut agent)?;
    output.print(indented(&refused));
    output.print("   It edits /scratch/retry.rs instead: the project stays as it is until a person applies the change.");

    run.finish(&mut agent)?;
    agent.leave()?;
    output.print(format_args!("\n5. It goes on to the end: {} steps were handed in.", run.steps));
    let (project, data_dir) = (stage.project.clone(), stage.data.clone());
    let (blocked, steps) = (blocked.unwrap_or(told), run.steps);
    Ok(Played {
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
        token.map(str::to_owned).ok_or_else(|| broken("a reply has no next call"))
    }

    /// Submits an output for the pending step. Returns the reason if it was sent back.
    fn hand_in(
        &mut self,
        agent: &mut DemoAgent,
        output: &Value,
    ) -> Result<Option<String>, Failure> {
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
        let tool = call["tool"].as_str().ok_or_else(|| broken("no open run was found"))?;
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
            return Err(broken("something that was acknowledged is gone after a kill"));
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
            return Err(broken("a read-only Workspace was written to"));
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
            if let Some(told) = self.hand_in(agent, &script::output(&step, self.round))? {
                return Err(broken(&format!("the script does not satisfy `{step}`: {told}")));
            }
            // The loop of the tour ends each turn with the step `again`.
            self.round += u64::from(step == "again");
        }
        Err(broken("the tour does not end"))
    }
}

fn first_blocker(reply: &Value) -> Result<String, Failure> {
    let blocker = reply["blockers"]["blockers"][0]["message"].as_str();
    blocker.map(str::to_owned).ok_or_else(|| broken("an output that lacks everything was taken"))
}

fn title(reply: &Value) -> String {
    text(&reply["pending"]["title"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn indented(told: &str) -> String {
    crate::messages::indented(told.trim_end(), "   │ ")
}

fn broken(what: &str) -> Failure {
    Failure::BrokenPromise(what.to_owned())
}

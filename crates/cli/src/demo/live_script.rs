//! What the agent of the console's demo does, act by act.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use piton_console::demo::DemoRun;
use serde_json::{Value, json};

use super::agent::DemoAgent;
use crate::bounds::{DEMO_ACT_PAUSE, DEMO_ACTS_MAX, DEMO_ASK_PAUSE, DEMO_ASKS_MAX};
use crate::failure::Failure;

/// The workflow that the agent follows.
pub(super) const WORKFLOW: &str = "demo.login_fix";

/// An agent in the middle of its run.
pub(super) struct LiveScript {
    agent: DemoAgent,
    /// The newest reply about the run.
    reply: Value,
    /// Turns of the loop that were begun.
    turn: u64,
    /// Set once a person was asked.
    has_asked: bool,
    /// Nothing is ever sent: it is closed to stop the agent.
    stop: Receiver<()>,
}

/// How a script ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScriptEnd {
    Finished,
    /// Somebody stopped the agent, or nobody decided for too long.
    Left,
}

impl LiveScript {
    /// Starts the run, in the project that its workflow is in.
    pub(super) fn start(
        mut agent: DemoAgent,
        project: &str,
        stop: Receiver<()>,
    ) -> Result<(Self, DemoRun), Failure> {
        let goal = "find out why the login says \"try again\", and fix it";
        let start = json!({ "workflowId": WORKFLOW, "goal": goal, "projectDir": project });
        let reply = agent.must("start_workflow", &start)?.data;
        let id = |name: &str| reply["run"][name].as_str().unwrap_or_default();
        let run = id("sessionId").parse().ok().zip(id("runId").parse().ok());
        let run = run.ok_or_else(|| Failure::broken_promise("a reply does not name its run"))?;
        let run = DemoRun { session_id: run.0, run_id: run.1 };
        Ok((Self { agent, reply, turn: 1, has_asked: false, stop }, run))
    }

    /// Plays the run to its end.
    pub(super) fn play(mut self) -> Result<ScriptEnd, Failure> {
        // A hasty first attempt, which is refused.
        if self.is_stopped(DEMO_ACT_PAUSE) {
            return Ok(ScriptEnd::Left);
        }
        self.submit(&json!({ "notesMarkdown": "Done." }))?;
        for _ in 0..DEMO_ACTS_MAX {
            let Some(step) = self.reply["pending"]["stepId"].as_str().map(str::to_owned) else {
                return Ok(ScriptEnd::Finished);
            };
            if self.is_stopped(DEMO_ACT_PAUSE) || !self.has_agreement()? {
                return Ok(ScriptEnd::Left);
            }
            if step == "plan" {
                self.pack()?;
            }
            // The first attempt at the change is what asks the person.
            let output = match step.as_str() {
                "change" if !self.has_asked => {
                    json!({ "notesMarkdown": "Changed: nothing yet, because a person has to agree first" })
                }
                step => step_output(step, self.turn),
            };
            self.has_asked |= step == "change";
            self.submit(&output)?;
            self.turn += u64::from(step == "decide");
        }
        Err(Failure::broken_promise("the demo does not end"))
    }

    /// Waits until a person agrees to the step, if it needs that. False if nobody does.
    fn has_agreement(&mut self) -> Result<bool, Failure> {
        for _ in 0..DEMO_ASKS_MAX {
            if self.reply["nextIntent"] != "await_user_confirmation" {
                return Ok(true);
            }
            if self.is_stopped(DEMO_ASK_PAUSE) {
                return Ok(false);
            }
            let state = json!({ "stateToken": self.reply["stateToken"] });
            self.reply = self.agent.must("continue_workflow", &state)?.data;
        }
        Ok(false)
    }

    fn pack(&mut self) -> Result<(), Failure> {
        let run = self.token()?;
        for (key, value) in
            [("cause", "retry.rs asks once"), ("fix", "retry.rs asks up to three times")]
        {
            self.agent.must("pack", &json!({ "key": key, "value": value, "run": run }))?;
        }
        Ok(())
    }

    fn submit(&mut self, output: &Value) -> Result<(), Failure> {
        let call = json!({ "ackToken": self.token()?, "output": output });
        self.reply = self.agent.must("continue_workflow", &call)?.data;
        Ok(())
    }

    fn token(&self) -> Result<String, Failure> {
        let token = self.reply["nextCall"]["params"]["ackToken"].as_str();
        token.map(str::to_owned).ok_or_else(|| Failure::broken_promise("a reply has no next call"))
    }

    /// Waits. True if the agent is to stop.
    fn is_stopped(&self, pause: Duration) -> bool {
        self.stop.recv_timeout(pause) != Err(RecvTimeoutError::Timeout)
    }
}

/// Returns an output that satisfies a step; `turn` counts the turns of the loop from one.
fn step_output(step: &str, turn: u64) -> Value {
    let notes = match step {
        "look" => {
            "Project: a login page that sometimes says \"try again\" to everybody\nSeen: 3 files"
        }
        "suspect" if turn == 1 => {
            "Suspect: `login.rs`, because it shows the message\n\
             Found: it leaves trying again to `retry.rs`"
        }
        "suspect" => {
            "Suspect: `retry.rs`, because of its name\nFound: it asks once, which is the bug"
        }
        "decide" => {
            let decision = if turn == 1 { "continue" } else { "stop" };
            let control =
                json!({ "kind": "wr.loop_control", "loopId": "suspects", "decision": decision });
            return json!({ "artifacts": [control] });
        }
        "plan" => {
            "Fix: `retry.rs` asks up to three times\n\nThe loop is one line:\n\n\
             ```rust\n(0..3).any(|_| what())\n```"
        }
        "change" => "Changed: `retry.rs`, as proposed, with the approval of the person",
        _ => "Checked: a login that fails twice and then works is let in now",
    };
    json!({ "notesMarkdown": notes })
}

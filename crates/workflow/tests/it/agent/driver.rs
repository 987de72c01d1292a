//! An agent that works from a script, and knows of a refusal only what the reply says.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_workflow::RunStatus;
use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::BlockerReport;
use piton_workflow::projection::{SessionState, status};
use piton_workflow::session::{self, Continue, Reply, ReplyKind};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::session::rig::{Rig, pending};

/// What the agent does at each step, by the id of the step.
pub(super) type Script = BTreeMap<String, Part>;

/// What it does at one step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// What it submits first.
    bad: Output,
    /// The code with which that is refused.
    code: String,
    /// What it adds to its notes when a reply holds a certain text.
    #[serde(default)]
    answers: BTreeMap<String, String>,
    /// What it decides in each turn.
    #[serde(default)]
    decisions: Vec<String>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    notes: Option<String>,
    #[serde(default)]
    artifacts: Vec<Value>,
}

/// What a run came to.
#[derive(Default)]
pub(super) struct Story {
    /// The steps that were done, each with the turn of its loop.
    pub(super) path: Vec<(String, Option<u32>)>,
    /// Every reply as the agent read it, without what differs from run to run.
    pub(super) replies: Vec<String>,
    /// Those of them that refuse something.
    pub(super) refusals: Vec<String>,
    /// The answers that a refusal asked for.
    pub(super) answered: Vec<(String, String)>,
}

pub(super) fn script(of: BuiltinWorkflow) -> Script {
    let text = match of {
        BuiltinWorkflow::BugInvestigation => include_str!("data/bug_investigation.json"),
        BuiltinWorkflow::CodeReview => include_str!("data/code_review.json"),
        BuiltinWorkflow::Documentation => include_str!("data/documentation.json"),
        BuiltinWorkflow::FeatureImplementation => include_str!("data/feature_implementation.json"),
        BuiltinWorkflow::Research => include_str!("data/research.json"),
        BuiltinWorkflow::Tour => include_str!("data/tour.json"),
    };
    serde_json::from_str(text).unwrap_or_else(|error| panic!("the script of {of}: {error}"))
}

/// Runs `workflow` to its end, each step in the process that `open` gives for its number. At every step the
/// agent submits nothing, then something bad, and then what it makes of the refusal.
pub(super) async fn play(
    workflow: &CompiledWorkflow,
    script: &Script,
    open: impl Fn(u64) -> Arc<Rig>,
) -> Story {
    let mut agent = Agent::default();
    let mut turns: BTreeMap<String, usize> = BTreeMap::new();
    let mut rig = open(0);
    let mut reply = rig.start(workflow).await;
    agent.read(&reply);
    while !reply.body.is_complete {
        rig = open(agent.story.path.len() as u64 + 1);
        let step = pending(&reply).to_owned();
        let part = script.get(&step).unwrap_or_else(|| panic!("the script has no step `{step}`"));
        let turn = turns.entry(step.clone()).or_default();
        reply = agent.fail_and_mend(&rig, reply, part, *turn).await;
        *turn += 1;
    }
    let events = rig.events(reply.body.run.session_id).await;
    let state = SessionState::of(&events);
    let run = &state.runs()[0];
    assert_eq!(status(run, reply.body.is_complete), RunStatus::Complete);
    assert_eq!(run.gaps.open().count(), 0, "what was missing was submitted");
    assert_eq!(run.graph.node_count(), agent.story.path.len() + 1, "refusals lead nowhere");
    agent.story
}

/// The agent, and what it has read.
#[derive(Default)]
struct Agent {
    story: Story,
    calls: usize,
}

impl Agent {
    fn read(&mut self, reply: &Reply) -> String {
        let text = reply.text();
        self.story.replies.push(shown(reply, &text));
        text
    }

    /// Does one step, and returns the reply that asks for the next.
    async fn fail_and_mend(&mut self, rig: &Rig, reply: Reply, part: &Part, turn: usize) -> Reply {
        let step = pending(&reply).to_owned();
        let turn_read = reply.body.run.turn;
        let nothing = self.refused(rig, &reply, None, "MISSING_REQUIRED_OUTPUT").await;
        let bad = Some(part.bad.clone());
        let refused = self.refused(rig, &nothing, bad, &part.code).await;

        let text = refused.text();
        let asked = part.answers.iter().filter(|(when, _)| text.contains(when.as_str()));
        self.story.answered.extend(asked.map(|(when, _)| (step.clone(), when.clone())));
        let next = self.submit(rig, &refused, Some(part.mend(&text, turn))).await;
        assert_eq!(next.body.kind, ReplyKind::Ok, "{step} is stuck:\n{}", next.text());
        self.story.path.push((step, turn_read));
        next
    }

    /// Submits what must be refused with `code` and nothing else, at the same step.
    async fn refused(
        &mut self,
        rig: &Rig,
        reply: &Reply,
        output: Option<Output>,
        code: &str,
    ) -> Reply {
        let refused = self.submit(rig, reply, output).await;
        let blockers = refused.body.blockers.iter().flat_map(BlockerReport::blockers);
        let codes: Vec<_> = blockers.map(|blocker| blocker.code.as_str()).collect();
        assert_eq!(codes, [code], "{}", pending(reply));
        assert_eq!(pending(&refused), pending(reply));
        let (text, used) = (refused.text(), token_in(&reply.text()).expect("it has a token"));
        assert!(token_in(&text).is_some() && !text.contains(&used), "it brings a new token");
        assert_ne!(refused.body.ack_token, reply.body.ack_token);
        self.story.refusals.extend(self.story.replies.last().cloned());
        refused
    }

    /// Submits an output under the token of the last reply: every other time the one that its text ends with.
    async fn submit(&mut self, rig: &Rig, last: &Reply, output: Option<Output>) -> Reply {
        self.calls += 1;
        let copied = token_in(&last.text());
        let next_call = last.body.next_call.as_ref().expect("there is more to call");
        assert_eq!(copied, next_call.params.ack_token);
        let token = if self.calls.is_multiple_of(2) { last.body.ack_token.clone() } else { copied };
        let output = output.map(|Output { notes, artifacts }| session::SubmittedOutput {
            notes_markdown: notes,
            artifacts,
        });
        let request = Continue { ack_token: token, output, ..Continue::default() };
        let reply = rig.sessions.proceed(request).await.expect("it is answered");
        self.read(&reply);
        reply
    }
}

/// The token in the last line of a text.
fn token_in(text: &str) -> Option<String> {
    let call = text.lines().last()?.strip_prefix("Next: continue_workflow ")?;
    let (_, token) = call.split_once("\"ackToken\": \"")?;
    Some(token.split_once('"')?.0.to_owned())
}

/// A text without what differs from run to run.
fn shown(reply: &Reply, text: &str) -> String {
    let text = text.replace(&reply.body.run.label.to_string(), "some-label");
    let bookmark = reply.body.checkpoint_call.as_ref();
    let bookmark = bookmark.and_then(|call| call.params.checkpoint_token.as_deref());
    let text = bookmark.map_or(text.clone(), |token| text.replace(token, "ck-some-token"));
    let state = reply.body.state_call.as_ref().and_then(|call| call.params.state_token.as_deref());
    let text = state.map_or(text.clone(), |token| text.replace(token, "st-some-token"));
    token_in(&text).map_or(text.clone(), |token| text.replace(&token, "ak-some-token"))
}

impl Part {
    /// The texts of replies that it has an answer to.
    pub(super) fn answers(&self) -> impl Iterator<Item = &String> {
        self.answers.keys()
    }

    /// What the agent submits after it read `refusal` in the given turn: the artifact that it was shown, with
    /// its own decision, or its notes with an answer to everything that was asked.
    fn mend(&self, refusal: &str, turn: usize) -> Output {
        let artifact = refusal.lines().map(str::trim_start).find(|line| line.starts_with('{'));
        if let Some(artifact) = artifact {
            let mut artifact: Value = serde_json::from_str(artifact).expect("an example is JSON");
            if !self.decisions.is_empty() {
                artifact["decision"] = json!(self.decisions[turn]);
            }
            return Output { notes: None, artifacts: vec![artifact] };
        }
        let asked = self.answers.iter().filter(|(when, _)| refusal.contains(when.as_str()));
        let first = self.bad.notes.iter().map(String::as_str);
        let lines: Vec<_> = first.chain(asked.map(|(_, answer)| answer.as_str())).collect();
        Output { notes: Some(lines.join("\n")), artifacts: self.bad.artifacts.clone() }
    }
}

//! An agent that works from a script, and knows of a refusal only what the reply says.

use std::collections::BTreeMap;

use piton_workflow::bundled::Bundled;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::engine::{Decision, Facts, Standings, Submission, decide, flow};
use piton_workflow::event::{Blocker, BlockerReport, Preferences};
use piton_workflow::{Autonomy, ExecutionState, RiskPolicy};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What the agent does at each step, by the id of the step.
pub(super) type Script = BTreeMap<String, Part>;

/// What it does at one step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// What it hands in first.
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
    /// Where the run stood, step by step.
    pub(super) path: Vec<String>,
    /// Every refusal, as the agent read it.
    pub(super) refusals: Vec<String>,
    /// The answers that a refusal asked for.
    pub(super) answered: Vec<(String, String)>,
}

pub(super) fn script(of: Bundled) -> Script {
    let text = match of {
        Bundled::BugInvestigation => include_str!("data/bug_investigation.json"),
        Bundled::CodeReview => include_str!("data/code_review.json"),
        Bundled::Documentation => include_str!("data/documentation.json"),
        Bundled::FeatureImplementation => include_str!("data/feature_implementation.json"),
        Bundled::Research => include_str!("data/research.json"),
        Bundled::Tour => include_str!("data/tour.json"),
    };
    serde_json::from_str(text).unwrap_or_else(|error| panic!("the script of {of}: {error}"))
}

/// Runs `workflow` to its end. At every step the agent hands in nothing, then something bad, and then what it
/// makes of the refusal.
pub(super) fn play(workflow: &CompiledWorkflow, script: &Script) -> Story {
    let mut story = Story::default();
    let mut state = flow::begin(workflow, &Map::new()).expect("it starts").next;
    let mut turns: BTreeMap<String, usize> = BTreeMap::new();
    while let ExecutionState::Running(running) = &state {
        let key = running.pending_key().expect("a step is pending");
        let step = key.parts().1.as_str().to_owned();
        let part = script.get(&step).unwrap_or_else(|| panic!("the script has no step `{step}`"));
        let turn = turns.entry(step.clone()).or_default();

        let nothing = refused(hand_in(workflow, &state, &Output::default()), key.as_str());
        assert_eq!(codes(&nothing), ["MISSING_REQUIRED_OUTPUT"], "{key}, with nothing");
        let report = refused(hand_in(workflow, &state, &part.bad), key.as_str());
        assert_eq!(codes(&report), [part.code.as_str()], "{key}, with what is bad");
        let text = shown(&report);
        let asked = part.answers.iter().filter(|(when, _)| text.contains(when.as_str()));
        story.answered.extend(asked.map(|(when, _)| (step.clone(), when.clone())));

        let mended = part.mend(&text, *turn);
        let next = match hand_in(workflow, &state, &mended) {
            Decision::Advanced { next, .. } => next,
            Decision::Blocked { report, .. } => panic!("{key} is stuck:\n{}", shown(&report)),
        };
        *turn += 1;
        story
            .refusals
            .extend([&nothing, &report].map(|report| format!("{key}\n{}", shown(report))));
        story.path.push(key.to_string());
        state = next;
    }
    story
}

fn hand_in(workflow: &CompiledWorkflow, state: &ExecutionState, output: &Output) -> Decision {
    let autonomy = Autonomy::Guided;
    let facts = Facts {
        preferences: Preferences { autonomy, risk_policy: RiskPolicy::Balanced },
        standings: Standings::new(),
        context: Map::new(),
        open_gaps: Vec::new(),
        settled: Vec::new(),
    };
    let submission = Submission { notes: output.notes.as_deref(), artifacts: &output.artifacts };
    decide(workflow, state, &facts, &submission).expect("a step is pending")
}

fn refused(decision: Decision, key: &str) -> BlockerReport {
    match decision {
        Decision::Blocked { report, .. } => report,
        Decision::Advanced { .. } => panic!("{key} accepts what it must not"),
    }
}

fn codes(report: &BlockerReport) -> Vec<&str> {
    report.blockers().iter().map(|blocker| blocker.code.as_str()).collect()
}

/// A report as an agent reads it.
fn shown(report: &BlockerReport) -> String {
    let shown = |blocker: &Blocker| {
        let fix = blocker.suggested_fix.as_ref().expect("every finding has a fix");
        format!("{}: {}\n→ {fix}", blocker.code, blocker.message)
    };
    report.blockers().iter().map(shown).collect::<Vec<_>>().join("\n")
}

impl Part {
    /// The texts of replies that it has an answer to.
    pub(super) fn answers(&self) -> impl Iterator<Item = &String> {
        self.answers.keys()
    }

    /// What the agent hands in after it read `refusal` in the given turn: the artifact that it was shown, with
    /// its own decision, or its notes with an answer to everything that was asked.
    fn mend(&self, refusal: &str, turn: usize) -> Output {
        let artifact = refusal.lines().find(|line| line.starts_with('{'));
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

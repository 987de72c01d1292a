//! Runs that could be resumed, as data and as text.

use std::fmt::Write as _;

use piton_core::{RunId, SessionId, TimestampMs, WorkflowId, shorten};
use piton_workflow::RunStatus;
use piton_workflow::label::Label;
use piton_workflow::projection::{StepPlace, WhyMatched};
use piton_workflow::session::NextCall;
use schemars::JsonSchema;
use serde::Serialize;

use super::workflows::INFALLIBLE;
use crate::bounds::SEARCHED_BYTES_MAX;

/// Runs that could be continued.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumeCandidates {
    /// The best first; at most five.
    pub candidates: Vec<ResumeCandidate>,
    /// What was searched for; nothing if ids were sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// How many more match; all the others, if none does.
    pub more: usize,
    /// How many completed runs match and were not asked for; all of them, if none does.
    pub completed_left_out: usize,
    /// How many sessions cannot be read.
    pub unreadable: usize,
}

/// What runs were searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Searched {
    /// Words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The branch: what was sent, or what is checked out where the client works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The commit, in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_head_sha: Option<String>,
    /// Whether completed runs were searched too.
    pub include_completed: bool,
}

/// A run that could be continued.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumeCandidate {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// Two words for people. They find nothing.
    pub label: Label,
    /// What the run is about.
    pub title: String,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// What it waits for; nothing at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepPlace>,
    /// How far it is.
    pub status: RunStatus,
    /// When its newest event was recorded, in milliseconds since 1970.
    pub active_at: TimestampMs,
    /// The branch that was last seen around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The beginning of its newest notes.
    pub snippet: String,
    /// Why it is offered, strongest first; empty if it was asked for by id.
    pub why_matched: Vec<WhyMatched>,
    /// Asks where the run stands.
    pub state_token: String,
    /// The call that does.
    pub next_call: NextCall,
}

impl ResumeCandidates {
    /// Renders the candidates as text.
    pub fn text(&self) -> String {
        let mut text = self.headline();
        for candidate in &self.candidates {
            // A copy that was imported beside its original has the same label and goal, so only the session tells them
            // apart.
            let of_label = |other: &&ResumeCandidate| other.label == candidate.label;
            let is_shared = self.candidates.iter().filter(of_label).count() > 1;
            write!(text, "\n{}", candidate.text(is_shared)).expect(INFALLIBLE);
        }
        let rest = self.rest();
        if !rest.is_empty() {
            write!(text, "\n{}\n", rest.join("\n")).expect(INFALLIBLE);
        }
        text.push_str(match self.candidates.len() {
            0 => {
                "\nStart a run with start_workflow; list_workflows shows which workflows there are.\n\
                 Next: list_workflows {}"
            }
            1 => "\nIf this is the run that is meant, make the call after `Next:`.",
            _ => {
                "\nMake the call after `Next:` of the run that is meant. If several fit, ask the person, by label \
                 and goal."
            }
        });
        text
    }

    /// Returns the number of runs found and the scope of the search.
    fn headline(&self) -> String {
        // Runs that matched nothing are offered as the most recent ones, and are counted apart.
        let is_match = |candidate: &&ResumeCandidate| {
            candidate.why_matched.first() != Some(&WhyMatched::RecencyFallback)
        };
        let (count, found) =
            (self.candidates.len(), self.candidates.iter().filter(is_match).count());
        let runs = if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
        let Some(searched) = &self.searched else { return format!("{runs} found by id.\n") };
        let where_to = searched.text();
        match found {
            _ if count == 0 => format!("No run was found. Searched: {where_to}.\n"),
            0 if !searched.is_narrow() => format!("{runs} found, newest first.\n"),
            0 => format!("None matches. Searched: {where_to}. These were active last:\n"),
            _ if found == count => {
                format!("{runs} found, best first. Searched: {where_to}.\n")
            }
            1 => format!("1 run matches; the others were active last. Searched: {where_to}.\n"),
            _ => format!(
                "{found} runs match, best first; the others were active last. Searched: {where_to}.\n"
            ),
        }
    }

    /// Describes what is not shown, one sentence each.
    fn rest(&self) -> Vec<String> {
        let runs = |count: usize| if count == 1 { "run" } else { "runs" };
        let mut rest = Vec::new();
        if self.more > 0 {
            rest.push(format!(
                "Not shown: {} more {}. Send `query` with words of the goal, the label or the notes.",
                self.more,
                runs(self.more)
            ));
        }
        if self.completed_left_out > 0 {
            rest.push(format!(
                "Left out: {} completed {}. Send `includeCompleted` as true to search those too.",
                self.completed_left_out,
                runs(self.completed_left_out)
            ));
        }
        if self.unreadable > 0 {
            let sessions = if self.unreadable == 1 { "session" } else { "sessions" };
            rest.push(format!(
                "Not readable: {} {sessions}. Tell the person to run `piton doctor`.",
                self.unreadable
            ));
        }
        rest
    }
}

impl Searched {
    /// True if the search asked for anything but the newest runs.
    const fn is_narrow(&self) -> bool {
        self.query.is_some() || self.git_branch.is_some() || self.git_head_sha.is_some()
    }

    /// Describes the search in words. Text that the caller sent is repeated as far as it fits into a line.
    fn text(&self) -> String {
        let runs = if self.include_completed { "open and completed runs" } else { "open runs" };
        let quoted = |text: &String| shorten(text, SEARCHED_BYTES_MAX).into_owned();
        let parts: Vec<String> = [
            self.query.as_ref().map(|text| {
                let fields = "goal, label, newest notes, step titles or workflow";
                format!("with every word of \"{}\" in their {fields}", quoted(text))
            }),
            self.git_branch.as_ref().map(|branch| format!("on the branch {}", quoted(branch))),
            self.git_head_sha.as_ref().map(|head| format!("at the commit {}", quoted(head))),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() { runs.to_owned() } else { format!("{runs} {}", parts.join(", or ")) }
    }
}

impl ResumeCandidate {
    /// Renders the run in a few lines that end in a line break. Includes the session if the label is shared.
    fn text(&self, is_shared: bool) -> String {
        let step = self.step.as_ref().map_or_else(
            || self.status.to_string().replace('_', " "),
            |step| format!("step {} of {} {}", step.number, step.of, step.title.as_str()),
        );
        let Self { label, workflow_id, title, .. } = self;
        let mut text = format!("{label} · {workflow_id} · {step}\n  {title}\n");
        if is_shared {
            writeln!(text, "  Session: {}", self.session_id).expect(INFALLIBLE);
        }
        let why: Vec<&str> = self.why_matched.iter().map(|why| why_words(*why)).collect();
        if !why.is_empty() {
            writeln!(text, "  Why: {}", why.join(", ")).expect(INFALLIBLE);
        }
        writeln!(text, "  Next: {}", self.next_call.text("")).expect(INFALLIBLE);
        text
    }
}

/// Returns the reason that a run is offered, in words.
const fn why_words(why: WhyMatched) -> &'static str {
    match why {
        WhyMatched::HeadSha => "same commit",
        WhyMatched::Branch => "same branch",
        WhyMatched::Label => "words in its label",
        WhyMatched::Goal => "words in its goal",
        WhyMatched::Notes => "words in its newest notes",
        WhyMatched::StepTitles => "words in its step titles",
        WhyMatched::WorkflowId => "words in its workflow",
        WhyMatched::RecencyFallback => "active last",
    }
}

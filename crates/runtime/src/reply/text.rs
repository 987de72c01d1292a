//! Text rendering of replies to agents.
//!
//! The first line answers; the last names the next call.

use std::fmt::Write as _;

use piton_core::shorten;
use piton_workflow::Tag;
use piton_workflow::projection::WhyMatched;
use piton_workflow::session::ReplyNotice;
use serde_json::json;

use super::agent::{
    CallNotices, CheckpointAnswer, FileProblem, InspectedWorkflow, ListedWorkflows,
    ResumeCandidate, ResumeCandidates, RunAnswer, Searched, UnloadedFile, WorkflowEntry,
};
use crate::bounds::SEARCHED_BYTES_MAX;

const INFALLIBLE: &str = "writing to a string does not fail";

impl RunAnswer {
    /// Renders the body as text. The text repeats byte for byte until a person settles the question in it; after a no,
    /// it withholds the next call.
    pub fn text(&self) -> String {
        let settled = self.beside.is_agreed.map(|is_agreed| self.body.text_settled(is_agreed));
        settled.unwrap_or_else(|| self.body.text())
    }
}

impl CheckpointAnswer {
    /// Renders the body as text, which repeats byte for byte.
    pub fn text(&self) -> String {
        self.body.text()
    }
}

impl CallNotices {
    /// Renders the notices of this call as text; `None` if there are none.
    pub fn text(&self) -> Option<String> {
        let project = self.project_dir.as_ref().map(|dir| format!("Project directory: {dir}"));
        let lines: Vec<String> = self
            .notices
            .iter()
            .map(ReplyNotice::text)
            .chain(self.warnings.iter().cloned())
            .chain(self.person.clone())
            .chain(project)
            .chain(self.other_runs.clone())
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl ListedWorkflows {
    /// Renders the list as text.
    pub fn text(&self) -> String {
        let mut text = match (self.workflows.len(), self.left_out) {
            (0, 0) => "There are no workflows.\n".to_owned(),
            (0, left_out) => format!("None of the {left_out} workflows fits.\n"),
            (1, _) => "1 workflow.\n".to_owned(),
            (count, _) => format!("{count} workflows.\n"),
        };
        for entry in &self.workflows {
            write!(text, "\n{}", entry.text()).expect(INFALLIBLE);
        }
        if self.left_out > 0 {
            let tags: Vec<&str> = self.tags.iter().map(Tag::as_str).collect();
            write!(
                text,
                "\nLeft out: {}. Tags that there are: {}.\n",
                self.left_out,
                tags.join(", ")
            )
            .expect(INFALLIBLE);
        }
        for problem in &self.config_problems {
            write!(text, "\nConfiguration: {problem}\n").expect(INFALLIBLE);
        }
        for file in &self.problems {
            write!(text, "\n{}", file.text()).expect(INFALLIBLE);
        }
        for file in &self.shadowed {
            write!(
                text,
                "\n{} is not used: {} has the same id `{}`.\n",
                file.path, file.by, file.workflow_id
            )
            .expect(INFALLIBLE);
        }
        match self.workflows.first() {
            Some(first) => write!(
                text,
                "\nNext: start_workflow {{ \"workflowId\": {}, \"goal\": \"…\" }}",
                json!(first.workflow_id)
            ),
            None if self.left_out > 0 => write!(text, "\nNext: list_workflows {{}}"),
            None => write!(text, "\nTell the person: there is nothing to start."),
        }
        .expect(INFALLIBLE);
        text
    }
}

impl WorkflowEntry {
    /// Renders the entry as text that ends in a line break.
    pub fn text(&self) -> String {
        let mut text = self.workflow_id.clone();
        if let Some(name) = &self.name {
            write!(text, ": {name}").expect(INFALLIBLE);
        }
        let steps = if self.steps == 1 { "step" } else { "steps" };
        writeln!(text, " ({} {steps}, {})", self.steps, self.source_kind).expect(INFALLIBLE);
        if let Some(description) = &self.description {
            writeln!(text, "  {}", description.replace('\n', "\n  ")).expect(INFALLIBLE);
        }
        if let Some(when) = &self.when_to_use {
            writeln!(text, "  Use it when: {when}").expect(INFALLIBLE);
        }
        if !self.tags.is_empty() {
            let tags: Vec<&str> = self.tags.iter().map(Tag::as_str).collect();
            writeln!(text, "  Tags: {}", tags.join(", ")).expect(INFALLIBLE);
        }
        if let Some(suggested) = &self.suggested_id {
            writeln!(text, "  Its id has no namespace; its author should write `{suggested}`.")
                .expect(INFALLIBLE);
        }
        text
    }
}

impl UnloadedFile {
    /// Renders the problems as text that ends in a line break.
    pub fn text(&self) -> String {
        let mut text = format!("{} does not load:\n", self.path);
        for problem in &self.problems {
            match problem {
                FileProblem::Inside(problem) => writeln!(text, "  {problem}"),
                FileProblem::Unreadable { reason } => writeln!(text, "  {reason}"),
            }
            .expect(INFALLIBLE);
        }
        text
    }
}

impl InspectedWorkflow {
    /// Renders the workflow as text.
    pub fn text(&self) -> String {
        let mut text = self.entry.text();
        if let Some(warning) = &self.warning {
            writeln!(text, "\n{warning}.").expect(INFALLIBLE);
        }
        for (place, title) in self.step_titles.iter().enumerate() {
            write!(text, "\n{}. {title}", place + 1).expect(INFALLIBLE);
        }
        if let Some(prompt) = &self.first_prompt {
            write!(text, "\n\nThe first step asks:\n\n{}\n", prompt.trim_end()).expect(INFALLIBLE);
        }
        if let Some(compiled) = &self.compiled {
            let whole =
                serde_json::to_string_pretty(compiled).expect("a compiled workflow is JSON");
            write!(text, "\n\n{whole}\n").expect(INFALLIBLE);
        }
        if self.is_routine {
            return text;
        }
        let id = json!(self.entry.workflow_id);
        write!(text, "\nNext: start_workflow {{ \"workflowId\": {id}, \"goal\": \"…\" }}")
            .expect(INFALLIBLE);
        text
    }
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

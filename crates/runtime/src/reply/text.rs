//! Replies as an agent reads them.
//!
//! The first line answers, the last says what to call next.

use std::fmt::Write as _;

use piton_workflow::Tag;
use piton_workflow::session::Notice;
use serde_json::json;

use super::agent::{
    Beside, CheckpointAnswer, FileProblem, InspectedWorkflow, ListedWorkflows, ResumeCandidates,
    RunAnswer, UnloadedFile, WorkflowEntry,
};

const INFALLIBLE: &str = "writing to a string does not fail";

impl RunAnswer {
    /// The body as text, which repeats byte for byte.
    pub fn text(&self) -> String {
        self.body.text()
    }
}

impl CheckpointAnswer {
    /// The body as text, which repeats byte for byte.
    pub fn text(&self) -> String {
        self.body.text()
    }
}

impl Beside {
    /// What is true of this call as text; nothing if there is nothing to say.
    pub fn text(&self) -> Option<String> {
        let project = self.project_dir.as_ref().map(|dir| format!("Project directory: {dir}"));
        let lines: Vec<String> = self
            .notices
            .iter()
            .map(Notice::text)
            .chain(self.warnings.iter().cloned())
            .chain(self.person.clone())
            .chain(project)
            .chain(self.other_runs.clone())
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl ListedWorkflows {
    /// The list as text.
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
        let first = self.workflows.first().map_or("…", |entry| entry.workflow_id.as_str());
        write!(
            text,
            "\nNext: start_workflow {{ \"workflowId\": {}, \"goal\": \"…\" }}",
            json!(first)
        )
        .expect(INFALLIBLE);
        text
    }
}

impl WorkflowEntry {
    /// The entry as text, ending in a line break.
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
    /// What is wrong as text, ending in a line break.
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
    /// The workflow as text.
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
        let id = json!(self.entry.workflow_id);
        write!(text, "\nNext: start_workflow {{ \"workflowId\": {id}, \"goal\": \"…\" }}")
            .expect(INFALLIBLE);
        text
    }
}

impl ResumeCandidates {
    /// The candidates as text.
    pub fn text(&self) -> String {
        let mut text = match self.candidates.len() {
            0 => {
                return "No run was found. Start one with start_workflow; list_workflows shows which there are."
                    .to_owned();
            }
            1 => "1 run was found.\n".to_owned(),
            count => format!("{count} runs were found, the best first.\n"),
        };
        for candidate in &self.candidates {
            let step = candidate.step.as_ref().map_or_else(
                || candidate.status.to_string().replace('_', " "),
                |step| format!("step {} of {} {}", step.number, step.of, step.title.as_str()),
            );
            let (label, workflow) = (candidate.label, &candidate.workflow_id);
            write!(text, "\n{label} · {workflow} · {step}\n  {}\n", candidate.title)
                .expect(INFALLIBLE);
            let why: Vec<&str> = candidate.why_matched.iter().map(|why| why.as_str()).collect();
            if !why.is_empty() {
                writeln!(text, "  Why: {}", why.join(", ")).expect(INFALLIBLE);
            }
            let token = candidate.next_call.params.state_token.as_deref().unwrap_or_default();
            let tool = &candidate.next_call.tool;
            writeln!(text, "  Next: {tool} {{ \"stateToken\": {} }}", json!(token))
                .expect(INFALLIBLE);
        }
        text.push_str(
            "\nIf several fit, ask the person which one is meant, by its two words and its goal.",
        );
        text
    }
}

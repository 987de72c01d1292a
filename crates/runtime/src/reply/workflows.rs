//! The workflows of the library, listed and inspected, as data and as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use piton_core::{WorkflowHash, WorkflowId};
use piton_workflow::compile::{CompiledWarning, CompiledWorkflow, WarningCode};
use piton_workflow::source::IdStatus;
use piton_workflow::{SourceKind, Tag};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::config::ConfigProblem;
use crate::library::{ShadowedFile, UnloadedFile};

/// The reason why writing to a text cannot fail.
pub(super) const INFALLIBLE: &str = "writing to a string does not fail";

/// The workflows that there are.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedWorkflows {
    /// Those that can be started, by id.
    pub workflows: Vec<WorkflowEntry>,
    /// How many there are that the query and the tags left out.
    pub left_out: usize,
    /// Every tag that a workflow here has, those left out included.
    pub tags: BTreeSet<Tag>,
    /// Files and directories that do not load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<UnloadedFile>,
    /// Files that another one with the same id takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<ShadowedFile>,
    /// What is wrong with the configuration of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config_problems: Vec<ConfigProblem>,
    /// The project directory that was looked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
}

/// A workflow that can be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowEntry {
    /// The id that starts it. For a file whose id has no namespace, that older id.
    pub workflow_id: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When to use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// What kinds of work it is for.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<Tag>,
    /// Where its file was found.
    pub source_kind: SourceKind,
    /// Whether its id has a namespace.
    pub id_status: IdStatus,
    /// The id that its runs are recorded under, if that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical_id: Option<WorkflowId>,
    /// The id to write into its file, if that has no namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_id: Option<WorkflowId>,
    /// The hash of what a run would be pinned to.
    pub workflow_hash: WorkflowHash,
    /// How many steps it has.
    pub steps: usize,
    /// What its author should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WorkflowWarning>,
}

/// Something that the author of a workflow should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowWarning {
    /// What it is about.
    pub code: WarningCode,
    /// What it is about in this workflow.
    pub subject: String,
    /// What is meant, and what to do.
    pub message: String,
}

/// A workflow, shown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InspectedWorkflow {
    /// What it is.
    pub entry: WorkflowEntry,
    /// Its steps by title, in their order; with `preview`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub step_titles: Vec<String>,
    /// The prompt of its first step; with `preview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The whole; with `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled: Option<CompiledWorkflow>,
    /// That it was asked for by an older id, or is a routine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Whether it is a routine, which is a part of workflows and cannot be started.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_routine: bool,
}

impl WorkflowWarning {
    /// Returns a warning of the compiler with its advice.
    pub(crate) fn of(warning: &CompiledWarning) -> Self {
        let (code, subject) = (warning.code, warning.subject.clone());
        Self { code, subject, message: code.advice().to_owned() }
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

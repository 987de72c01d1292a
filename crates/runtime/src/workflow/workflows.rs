//! Lists and inspects workflows.

use std::collections::BTreeSet;

use piton_core::Envelope;
use piton_workflow::Tag;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::source::IdStatus;

use crate::connection::Connection;
use crate::library::{FoundWorkflow, LibraryWorkflow};
use crate::project_env::ProjectDir;
use crate::reply::{InspectedWorkflow, ListedWorkflows, WorkflowEntry, WorkflowWarning};
use crate::request::{InspectMode, InspectWorkflow, ListWorkflows};

impl Connection {
    /// Lists the workflows that can be started in a project and match the request.
    pub fn list_workflows(&self, request: &ListWorkflows) -> Result<ListedWorkflows, Envelope> {
        let (runtime, project) = (&self.runtime, self.project(request.project_dir.as_deref())?);
        let path = project.as_ref().map(ProjectDir::path);
        // A bad configuration must not hide the workflows. The settings from the start of the process, without those of
        // the project, are used instead, and the problems are listed.
        let (settings, config_problems) = match runtime.settings_for(path) {
            Ok(settings) => (settings, Vec::new()),
            Err(problems) => (runtime.configuration.settings(), problems),
        };
        let contents = runtime.library_contents(&settings, path);
        let mut workflows: Vec<WorkflowEntry> = contents.workflows.values().map(entry).collect();
        let (all, tags) = (workflows.len(), tags_of(&workflows));
        workflows.retain(|entry| fits(entry, request));
        workflows.sort_by(|left, right| left.workflow_id.cmp(&right.workflow_id));
        Ok(ListedWorkflows {
            left_out: all - workflows.len(),
            workflows,
            tags,
            problems: contents.broken,
            shadowed: contents.shadowed,
            config_problems,
            project_dir: project.as_ref().map(ProjectDir::text),
        })
    }

    /// Shows a workflow without starting it.
    pub fn inspect_workflow(
        &self,
        request: &InspectWorkflow,
    ) -> Result<InspectedWorkflow, Envelope> {
        let InspectWorkflow { workflow_id: id, mode, project_dir } = request;
        let (runtime, project, mode) =
            (&self.runtime, self.project(project_dir.as_deref())?, *mode);
        let path = project.as_ref().map(ProjectDir::path);
        let settings = runtime.settings_for(path);
        let settings = settings.unwrap_or_else(|_| runtime.configuration.settings());
        let contents = runtime.library_contents(&settings, path);
        let FoundWorkflow { workflow: found, warning, is_routine } = contents.find_to_read(id)?;
        let workflow: &CompiledWorkflow = &found.workflow;
        let titles = || workflow.steps.iter().map(|step| step.title.clone()).collect();
        let first = || workflow.steps.first().map(|step| step.prompt.clone());
        Ok(InspectedWorkflow {
            entry: entry(found),
            step_titles: if mode == InspectMode::Preview { titles() } else { Vec::new() },
            first_prompt: if mode == InspectMode::Preview { first() } else { None },
            compiled: (mode == InspectMode::Full).then(|| workflow.clone()),
            warning,
            is_routine,
        })
    }
}

fn entry(found: &LibraryWorkflow) -> WorkflowEntry {
    let LibraryWorkflow { workflow, hash, kind, legacy_id, bundled, .. } = found;
    let id = &workflow.workflow_id;
    WorkflowEntry {
        workflow_id: legacy_id.clone().unwrap_or_else(|| id.to_string()),
        name: workflow.name.clone(),
        description: workflow.description.clone(),
        when_to_use: bundled.map(|bundled| bundled.when_to_use().to_owned()),
        tags: workflow.metadata.tags.clone(),
        source_kind: *kind,
        id_status: if legacy_id.is_some() { IdStatus::Legacy } else { IdStatus::Namespaced },
        canonical_id: legacy_id.as_ref().map(|_| id.clone()),
        suggested_id: legacy_id.as_ref().map(|_| id.clone()),
        workflow_hash: *hash,
        steps: workflow.steps.len(),
        warnings: workflow.compiled_warnings.iter().map(WorkflowWarning::of).collect(),
    }
}

fn tags_of(workflows: &[WorkflowEntry]) -> BTreeSet<Tag> {
    workflows.iter().flat_map(|entry| entry.tags.iter().cloned()).collect()
}

/// True if an entry has one of the requested tags and all of the requested words. An empty request matches.
fn fits(entry: &WorkflowEntry, request: &ListWorkflows) -> bool {
    let has = |tag: &String| entry.tags.iter().any(|own| own.as_str() == tag.to_lowercase());
    let is_tagged = request.tags.is_empty() || request.tags.iter().any(has);
    is_tagged && request.query.as_deref().is_none_or(|query| matches_query(entry, query))
}

/// True if an entry contains every word of a query, regardless of case.
fn matches_query(entry: &WorkflowEntry, query: &str) -> bool {
    let texts = [Some(&entry.workflow_id), entry.name.as_ref(), entry.description.as_ref()];
    let texts = texts.into_iter().chain([entry.when_to_use.as_ref()]).flatten();
    let whole = texts.map(|text| text.to_lowercase()).collect::<Vec<_>>().join("\n");
    query.split_whitespace().all(|word| whole.contains(&word.to_lowercase()))
}

//! Lookup of a workflow by its id or an older id, with suggestions for an id that does not exist.

use std::path::Path;

use piton_core::{Code, Envelope, WorkflowId, nearest};
use piton_workflow::builtin_workflows::resolve;

use super::contents::{LibraryContents, LibraryWorkflow, Routine, UnloadedFile};
use crate::bounds::NAMES_LISTED_MAX;

/// A workflow that was found.
#[derive(Clone, Debug)]
pub struct FoundWorkflow<'a> {
    pub workflow: &'a LibraryWorkflow,
    /// Set if the workflow has another id than the one asked for.
    pub warning: Option<String>,
    pub is_routine: bool,
}

impl LibraryContents {
    /// Returns the startable workflow with this id.
    pub fn find(&self, id: &str) -> Result<FoundWorkflow<'_>, Envelope> {
        let id = id.trim();
        let direct = id.parse::<WorkflowId>().ok().and_then(|id| self.workflows.get(&id));
        if let Some(workflow) = direct {
            return Ok(FoundWorkflow { workflow, warning: None, is_routine: false });
        }
        // Several files may declare the same id without a namespace. The strongest source wins, as it does for full
        // ids.
        let legacy = self.workflows.values().filter(|one| one.legacy_id.as_deref() == Some(id));
        if let Some(workflow) = legacy.max_by_key(|one| one.order) {
            let canonical = &workflow.workflow.workflow_id;
            let warning = format!("`{id}` has no namespace; use `{canonical}`");
            return Ok(FoundWorkflow { workflow, warning: Some(warning), is_routine: false });
        }
        // Old ids of bundled workflows come last: a file of the user may have taken the name.
        let alias = resolve(id).and_then(|found| {
            let workflow = self.workflows.get(&found.workflow.workflow_id())?;
            let warning = found.warning.map(|warning| warning.to_string());
            Some(FoundWorkflow { workflow, warning, is_routine: false })
        });
        alias.ok_or_else(|| self.not_found(id))
    }

    /// Returns the workflow or routine with this id, for reading.
    pub fn find_to_read(&self, id: &str) -> Result<FoundWorkflow<'_>, Envelope> {
        self.find(id).or_else(|not_found| {
            let routine = self.routine(id.trim()).ok_or(not_found)?;
            let warning = Some(format!("`{}` is a routine: a part of other workflows", id.trim()));
            Ok(FoundWorkflow { workflow: &routine.routine, warning, is_routine: true })
        })
    }

    fn routine(&self, id: &str) -> Option<&Routine> {
        // Later sources win, as they do for workflows.
        self.routines.iter().rev().find(|one| {
            let LibraryWorkflow { workflow, legacy_id, .. } = &one.routine;
            workflow.workflow_id.as_str() == id || legacy_id.as_deref() == Some(id)
        })
    }

    /// Builds the error for an id that no workflow has.
    fn not_found(&self, id: &str) -> Envelope {
        // It comes from an agent and may be long.
        let asked: String = id.chars().take(NAMES_LISTED_MAX * 4).collect();
        if let Some(found) = self.routine(id) {
            return routine(&asked, &found.used_by);
        }
        let ids: Vec<&str> = self.workflows.keys().map(WorkflowId::as_str).collect();
        let named_so = |path: &str| {
            let name = id.rsplit('.').next().unwrap_or(id).replace('-', "_");
            Path::new(path).file_stem().is_some_and(|stem| {
                stem.to_string_lossy().replace('-', "_").contains(name.as_str())
            })
        };
        let broken = self.broken.iter().find(|broken| !id.is_empty() && named_so(&broken.path));
        let mut message = format!("There is no workflow `{asked}`.");
        if let Some(UnloadedFile { path, .. }) = broken {
            message =
                format!("{message} The file {path} does not load; the list of workflows says why.");
        }
        let suggestion = match nearest(id, ids.iter().copied()).as_slice() {
            [] => {
                let known: Vec<&str> = ids.into_iter().take(NAMES_LISTED_MAX).collect();
                let known = known.join(", ");
                format!("Use one of: {known}. The list of workflows says what each is for.")
            }
            close => {
                let close = close.join(" or ");
                format!("Did you mean {close}? The list of workflows shows all of them.")
            }
        };
        Envelope::new(Code::ValidationError, message).with_suggestion(suggestion)
    }
}

/// Refuses to start a routine, and suggests what to do instead.
fn routine(asked: &str, used_by: &[WorkflowId]) -> Envelope {
    let what = format!(
        "`{asked}` is a routine: its steps are part of other workflows, and it is not started by itself."
    );
    let shown = used_by.len().min(NAMES_LISTED_MAX);
    let listed: Vec<&str> = used_by[..shown].iter().map(WorkflowId::as_str).collect();
    let listed = listed.join(", ");
    let (users, start) = match used_by.len() - shown {
        _ if used_by.is_empty() => {
            ("No workflow uses it.".to_owned(), "Start another workflow.".to_owned())
        }
        more => {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (
                format!("Used by: {listed}{more}."),
                format!("Start a workflow that uses it: {listed}."),
            )
        }
    };
    let read = format!(
        "To do its steps alone, read them: inspect_workflow with the mode `full`, or `piton workflow compile {asked}`, shows \
         them."
    );
    Envelope::new(Code::ValidationError, format!("{what} {users}"))
        .with_suggestion(format!("{start} {read}"))
}

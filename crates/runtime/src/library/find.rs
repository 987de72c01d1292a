//! A workflow by id, by an older id, or the ids that were probably meant.

use piton_core::{Code, Envelope, WorkflowId};
use piton_workflow::bundled::resolve;

use super::stock::{Stock, Stocked};
use crate::bounds::NAMES_LISTED_MAX;
use crate::nearest::nearest;

/// A workflow that was found.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The workflow.
    pub stocked: &'a Stocked,
    /// That it goes by another id than the one that was asked for.
    pub warning: Option<String>,
}

/// No workflow has this id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    asked: String,
    close: Vec<String>,
    known: Vec<String>,
    /// A file that does not load and has this id or name.
    broken: Option<String>,
}

impl Stock {
    /// The workflow that goes by `id`.
    pub fn find(&self, id: &str) -> Result<Found<'_>, NotFound> {
        let id = id.trim();
        let direct = id.parse::<WorkflowId>().ok().and_then(|id| self.workflows.get(&id));
        if let Some(stocked) = direct {
            return Ok(Found { stocked, warning: None });
        }
        let legacy = self.workflows.values().filter(|one| one.legacy_id.as_deref() == Some(id));
        if let Some(stocked) = legacy.max_by_key(|one| one.order) {
            let canonical = &stocked.workflow.workflow_id;
            let warning = format!("`{id}` has no namespace; use `{canonical}`");
            return Ok(Found { stocked, warning: Some(warning) });
        }
        let alias = resolve(id).and_then(|found| {
            let stocked = self.workflows.get(&found.workflow.workflow_id())?;
            Some(Found { stocked, warning: found.warning.map(|warning| warning.to_string()) })
        });
        alias.ok_or_else(|| self.not_found(id))
    }

    fn not_found(&self, id: &str) -> NotFound {
        let ids: Vec<&str> = self.workflows.keys().map(WorkflowId::as_str).collect();
        let named_so = |path: &std::path::Path| {
            let name = id.rsplit('.').next().unwrap_or(id).replace('-', "_");
            path.file_stem().is_some_and(|stem| {
                stem.to_string_lossy().replace('-', "_").contains(name.as_str())
            })
        };
        let broken = self.broken.iter().find(|broken| !id.is_empty() && named_so(&broken.path));
        NotFound {
            asked: id.chars().take(NAMES_LISTED_MAX * 4).collect(),
            close: nearest(id, ids.iter().copied()).into_iter().map(str::to_owned).collect(),
            known: ids.into_iter().take(NAMES_LISTED_MAX).map(str::to_owned).collect(),
            broken: broken.map(|broken| broken.path.display().to_string()),
        }
    }
}

impl NotFound {
    /// The failure as a person or an agent reads it.
    pub fn envelope(&self) -> Envelope {
        let Self { asked, close, known, broken } = self;
        let mut message = format!("There is no workflow `{asked}`.");
        if let Some(path) = broken {
            message =
                format!("{message} The file {path} does not load; the list of workflows says why.");
        }
        let suggestion = if close.is_empty() {
            format!(
                "Use one of: {}. The list of workflows says what each is for.",
                known.join(", ")
            )
        } else {
            format!("Did you mean {}? The list of workflows shows all of them.", close.join(" or "))
        };
        Envelope::new(Code::ValidationError, message).with_suggestion(suggestion)
    }
}

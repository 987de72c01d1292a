//! The caller, and the steps that all operations share.

use std::sync::Arc;

use piton_core::Digest;

use crate::audit::{Actor, Ledgers, OverlaySource};
use crate::error::Error;
use crate::path::{LogicalPath, MountPath};
use crate::scope::{AccessScope, Right, Tool};
use crate::store::StoreFault;
use crate::workspaces::{LocatedPath, Workspaces};

/// The file operations of one agent.
#[derive(Clone)]
pub struct Files {
    pub(super) workspaces: Arc<Workspaces>,
    pub(super) ledgers: Option<Ledgers>,
    pub(super) actor: Arc<Actor>,
    /// Origin of the changes, if an overlay is applied.
    pub(super) source: Option<Arc<OverlaySource>>,
    /// Source of the content, if something is copied.
    pub(super) copied: Option<Arc<LogicalPath>>,
}

impl Files {
    /// Creates the operations of an agent on its Workspaces, without a record of its changes.
    pub fn new(workspaces: Arc<Workspaces>) -> Self {
        Self { workspaces, ledgers: None, actor: Arc::default(), source: None, copied: None }
    }

    /// Records every change as made by `actor`.
    #[must_use]
    pub fn recorded(self, ledgers: impl Into<Ledgers>, actor: Actor) -> Self {
        Self { ledgers: Some(ledgers.into()), actor: Arc::new(actor), ..self }
    }

    /// Records every change as coming from an overlay.
    pub(crate) fn applying(self, source: Option<OverlaySource>) -> Self {
        Self { source: source.map(Arc::new), ..self }
    }

    /// Records every change as a copy of the content at this path.
    pub(super) fn copying(&self, from: &LogicalPath) -> Self {
        Self { copied: Some(Arc::new(from.clone())), ..self.clone() }
    }

    /// Returns the recorded actors that changed a path of an overlay since it was copied from the content with this
    /// digest.
    pub(crate) async fn authors(
        &self,
        path: &LogicalPath,
        base: Option<Digest>,
        max: usize,
    ) -> Result<Vec<Actor>, Error> {
        match &self.ledgers {
            Some(ledgers) => ledgers.at(path).authors(path, base, max).await,
            None => Ok(Vec::new()),
        }
    }

    /// Returns the Workspaces.
    pub fn workspaces(&self) -> &Arc<Workspaces> {
        &self.workspaces
    }

    /// Locates a path, if the tool has the required right there.
    pub(crate) fn permit(
        &self,
        tool: Tool,
        right: Right,
        path: &str,
    ) -> Result<LocatedPath, Error> {
        self.workspaces.permit(tool, right, &parse(path)?)
    }

    /// Resolves the links of a located path, and checks where they lead.
    pub(super) async fn located(&self, target: LocatedPath) -> Result<LocatedPath, Error> {
        let resolved = target.workspace.store.resolve(target.at.clone()).await;
        let at = resolved.map_err(|fault| store_error(&target, fault))?;
        led_to(&target, &at)?;
        Ok(LocatedPath { at, ..target })
    }

    /// Resolves the links above a located path, for operations on the name itself.
    pub(super) async fn located_name(&self, target: LocatedPath) -> Result<LocatedPath, Error> {
        let Some((parent, name)) = target.at.split() else {
            return Ok(target);
        };
        let resolved = target.workspace.store.resolve(parent).await;
        let parent = resolved.map_err(|fault| store_error(&target, fault))?;
        let at: MountPath =
            parent.child(name).map_err(|problem| Error::path(target.path.as_str(), problem))?;
        led_to(&target, &at)?;
        Ok(LocatedPath { at, ..target })
    }
}

/// Refuses a path that leads through links to something hidden. A write-only Workspace does not reveal that there are
/// such links.
fn led_to(target: &LocatedPath, at: &MountPath) -> Result<(), Error> {
    target.check_hidden(at).map_err(|hidden| match target.workspace.scope() {
        AccessScope::WriteOnly => Error::WriteFailed { path: target.path.clone() },
        _ => hidden,
    })
}

/// Parses a path from an argument.
pub(super) fn parse(path: &str) -> Result<LogicalPath, Error> {
    path.parse().map_err(|problem| Error::path(path, problem))
}

/// Returns the error that an agent sees for a fault. About a write-only Workspace it learns nothing.
pub(super) fn store_error(target: &LocatedPath, fault: StoreFault) -> Error {
    let path = target.path.clone();
    if target.workspace.scope() == AccessScope::WriteOnly {
        return Error::WriteFailed { path };
    }
    Error::File { path, fault }
}

//! Who asks, and the steps that every operation shares.

use std::sync::Arc;

use piton_core::Digest;

use crate::{
    audit::{Ledgers, OverlaySource},
    error::Error,
    path::{LogicalPath, MountPath},
    scope::{AccessScope, Right, Tool},
    store::StoreFault,
    workspaces::{LocatedPath, Workspaces},
};

/// Who makes the changes: what an audit record says.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Actor {
    /// The agent.
    pub agent: String,
    /// Its session, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its run, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The node of that run, if it has one. Records of older versions name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The step that it is at, if it is at one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// The file operations of one agent.
#[derive(Clone)]
pub struct Files {
    pub(super) workspaces: Arc<Workspaces>,
    pub(super) ledgers: Option<Ledgers>,
    pub(super) actor: Arc<Actor>,
    /// Where changes come from, if an overlay is applied.
    pub(super) source: Option<Arc<OverlaySource>>,
    /// What is copied, if something is.
    pub(super) copied: Option<Arc<LogicalPath>>,
}

impl Files {
    /// The operations of an agent on its Workspaces, without a record of its changes.
    pub fn new(workspaces: Arc<Workspaces>) -> Self {
        Self { workspaces, ledgers: None, actor: Arc::default(), source: None, copied: None }
    }

    /// The same, with every change recorded as made by `actor`.
    #[must_use]
    pub fn recorded(self, ledgers: impl Into<Ledgers>, actor: Actor) -> Self {
        Self { ledgers: Some(ledgers.into()), actor: Arc::new(actor), ..self }
    }

    /// The same, with every change recorded as coming from there.
    pub(crate) fn applying(self, source: Option<OverlaySource>) -> Self {
        Self { source: source.map(Arc::new), ..self }
    }

    /// The same, with every change recorded as a copy of what is there.
    pub(super) fn copying(&self, from: &LogicalPath) -> Self {
        Self { copied: Some(Arc::new(from.clone())), ..self.clone() }
    }

    /// Who changed a path of an overlay since it was copied from what has this digest, as far as it is recorded.
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

    /// The Workspaces.
    pub fn workspaces(&self) -> &Arc<Workspaces> {
        &self.workspaces
    }

    /// The place of a path, if the tool may do what it does there.
    pub(crate) fn permit(
        &self,
        tool: Tool,
        right: Right,
        path: &str,
    ) -> Result<LocatedPath<'_>, Error> {
        self.workspaces.permit(tool, right, &parse(path)?)
    }

    /// The place with links resolved, judged again where they lead.
    pub(super) async fn located<'a>(
        &self,
        target: LocatedPath<'a>,
    ) -> Result<LocatedPath<'a>, Error> {
        let resolved = target.workspace.store.resolve(target.at.clone()).await;
        let at = resolved.map_err(|fault| store_error(&target, fault))?;
        led_to(&target, &at)?;
        Ok(LocatedPath { at, ..target })
    }

    /// The place with the links above it resolved: for what works on the name itself.
    pub(super) async fn located_name<'a>(
        &self,
        target: LocatedPath<'a>,
    ) -> Result<LocatedPath<'a>, Error> {
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

/// Refuses a place that links lead to where something is hidden. That there are such links is not told where nothing
/// may be learned.
fn led_to(target: &LocatedPath<'_>, at: &MountPath) -> Result<(), Error> {
    target.check_hidden(at).map_err(|hidden| match target.workspace.scope() {
        AccessScope::WriteOnly => Error::WriteFailed { path: target.path.clone() },
        _ => hidden,
    })
}

/// A path from an argument.
pub(super) fn parse(path: &str) -> Result<LogicalPath, Error> {
    path.parse().map_err(|problem| Error::path(path, problem))
}

/// What an agent is told of a fault at a place. Of a write-only Workspace it learns nothing.
pub(super) fn store_error(target: &LocatedPath<'_>, fault: StoreFault) -> Error {
    let path = target.path.clone();
    if target.workspace.scope() == AccessScope::WriteOnly {
        return Error::WriteFailed { path };
    }
    Error::File { path, fault }
}

//! Making a change: preparation, the record of the intent, the change itself, and its outcome.

use std::sync::Arc;

use piton_store::port::BoxFuture;

use crate::audit::AuditIntent;
use crate::bounds::COMMIT_TRIES_MAX;
use crate::error::Error;
use crate::files::Files;
use crate::files::service::store_error;
use crate::overlay::tree_digest;
use crate::path::{LogicalPath, MountPath};
use crate::scope::{AccessScope, Tool};
use crate::store::{Before, Expected, FileChange, FileVersion, StoreFault};
use crate::workspaces::LocatedPath;

/// Result of a change.
pub(crate) struct Changed {
    /// State of the path before.
    pub(crate) before: Before,
    /// Version of the file that is there now, if there is one.
    pub(crate) version: Option<FileVersion>,
}

impl Files {
    /// Makes a change. With a record, the intent is durable before the change happens. A change that meets a concurrent
    /// one is prepared again, which determines whether it is still allowed.
    pub(crate) fn change<'a>(
        &'a self,
        tool: Tool,
        place: &'a LocatedPath,
        target: Option<&'a LogicalPath>,
        change: FileChange,
    ) -> BoxFuture<'a, Result<Changed, Error>> {
        Box::pin(async move {
            check_protected(place, target, &change)?;
            for _ in 1..COMMIT_TRIES_MAX {
                match self.try_change(tool, place, target, change.clone()).await {
                    Err(Tried::Fault(StoreFault::Raced)) => {}
                    Err(Tried::Fault(fault)) => return Err(store_error(place, fault)),
                    Err(Tried::Error(error)) => return Err(error),
                    Ok(changed) => return Ok(changed),
                }
            }
            Err(store_error(place, StoreFault::Busy))
        })
    }

    async fn try_change(
        &self,
        tool: Tool,
        place: &LocatedPath,
        target: Option<&LogicalPath>,
        change: FileChange,
    ) -> Result<Changed, Tried> {
        let tree = match &change {
            FileChange::Delete { path, expected: Expected::Digest(digest), mask, .. } => {
                Some((path.clone(), *digest, Arc::clone(mask)))
            }
            _ => None,
        };
        let store = &*place.workspace.store;
        let prepared = store.prepare(change).await?;
        let before = prepared.before.clone();
        // The directory is compared after it was prepared. If it is replaced from here on, the commit notices and the
        // change starts again, or the other writer waits for its lock.
        if let (Some((path, digest, mask)), Before::Directory) = (tree, &before)
            && tree_digest(store, &mask, &path).await? != digest
        {
            return Err(Tried::Fault(StoreFault::Conflict { exists: true }));
        }
        let after = prepared.after;
        let changed =
            Changed { before: before.clone(), version: after.as_ref().map(FileVersion::of) };
        let Some(ledgers) = &self.ledgers else {
            prepared.commit().await?;
            return Ok(changed);
        };
        let ledger = ledgers.at(place.workspace.prefix());
        let intent = AuditIntent {
            actor: (*self.actor).clone(),
            tool,
            workspace: place.workspace.prefix().clone(),
            path: place.path.clone(),
            target: target.cloned(),
            before,
            after,
            temp: prepared.temp.clone(),
            source: self.source.as_deref().cloned(),
            origin: self.copied.as_deref().map(|from| ledgers.origin(from)),
        };
        // The intent is durable from here on. A crash before the commit leaves a record that recovery finds undone.
        let begun = ledger.intend(&intent).await.map_err(Tried::Error)?;
        let committed = prepared.commit().await;
        // The change is made or not, and its intent is durable. If the outcome is never written, recovery determines
        // it.
        ledger.resolve(begun, committed.is_ok());
        committed?;
        Ok(changed)
    }
}

/// Refuses a change to a path that agents may only read, once links are resolved. Every tool passes through here.
fn check_protected(
    place: &LocatedPath,
    target: Option<&LogicalPath>,
    change: &FileChange,
) -> Result<(), Error> {
    let mask = &place.workspace.mask;
    let refuse = |path: Option<&LogicalPath>, why| match place.workspace.scope() {
        // The target of a link must not be revealed in a Workspace that reveals nothing.
        AccessScope::WriteOnly => Error::WriteFailed { path: place.path.clone() },
        _ => Error::Protected { path: path.unwrap_or(&place.path).clone(), why },
    };
    let check = |at: &MountPath| mask.protects(at).map_or(Ok(()), |why| Err(refuse(None, why)));
    match change {
        FileChange::Write { path, .. }
        | FileChange::Append { path, .. }
        | FileChange::Delete { path, .. }
        | FileChange::MakeDirectory { path } => check(path),
        FileChange::Move { from, to, .. } => {
            check(from)?;
            // A moved directory must not cover a protected path that lies below its target either.
            let at_target = mask.protects(to).or_else(|| mask.protection().below(to));
            at_target.map_or(Ok(()), |why| Err(refuse(target, why)))
        }
    }
}

enum Tried {
    Fault(StoreFault),
    Error(Error),
}

impl From<StoreFault> for Tried {
    fn from(fault: StoreFault) -> Self {
        Self::Fault(fault)
    }
}

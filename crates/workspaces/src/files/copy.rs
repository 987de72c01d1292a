//! `copy` and `move`

use std::sync::Arc;

use crate::blocking::as_a_whole;
use crate::bounds::FILE_BYTES_MAX;
use crate::error::Error;
use crate::files::Files;
use crate::files::service::store_error;
use crate::scope::{AccessScope, Right, Tool};
use crate::store::{Before, Expected, FileChange, FileIdentity, LoadedFile, StoreFault};
use crate::tools::{CopyRequest, MoveRequest};
use crate::workspaces::LocatedPath;

impl Files {
    /// Copies a file.
    pub async fn copy(&self, request: CopyRequest) -> Result<String, Error> {
        let from = self.permit(Tool::Copy, Right::Read, &request.from)?;
        let to = self.permit(Tool::Copy, Right::Write, &request.to)?;
        self.workspaces.refuse_inner(Tool::Copy, &from)?;
        self.refuse_above(&to)?;
        let files = self.clone();
        as_a_whole(async move {
            let (from, to) = (files.located(from).await?, files.located(to).await?);
            let loaded = files.load(&from).await?;
            files.copying(&from.path).put(Tool::Copy, &to, loaded).await?;
            Ok(format!("copied {} to {}\n", from.path, to.path))
        })
        .await
    }

    /// Moves a file or directory. Between two Stores a file is copied, then deleted.
    pub async fn relocate(&self, request: MoveRequest) -> Result<String, Error> {
        let from = self.permit(Tool::Move, Right::Change, &request.from)?;
        let to = self.permit(Tool::Move, Right::Write, &request.to)?;
        self.workspaces.refuse_inner(Tool::Move, &from)?;
        self.refuse_above(&to)?;
        let files = self.clone();
        as_a_whole(async move { files.move_located(from, to).await }).await
    }

    async fn move_located(&self, from: LocatedPath, to: LocatedPath) -> Result<String, Error> {
        let (from, to) = (self.located_name(from).await?, self.located_name(to).await?);
        if Arc::ptr_eq(&from.workspace.store, &to.workspace.store)
            && from.workspace.prefix() == to.workspace.prefix()
        {
            let change = FileChange::Move {
                from: from.at.clone(),
                to: to.at.clone(),
                mask: Arc::clone(&from.workspace.mask),
            };
            let moved = self.change(Tool::Move, &from, Some(&to.path), change).await;
            moved.map_err(|error| at_target(error, &to))?;
        } else {
            let loaded = self.load(&from).await?;
            let before = Expected::Digest(loaded.digest);
            // Copy first, delete second: a crash in between leaves two files, never none.
            self.copying(&from.path).put(Tool::Move, &to, loaded).await?;
            // Two Workspaces may lead to the same file. If the new file is also the one at the source, nothing else is
            // left to delete.
            if identity(&from).await? != identity(&to).await? {
                self.remove_moved(&from, &to, before).await?;
            }
        }
        Ok(format!("moved {} to {}\n", from.path, to.path))
    }

    async fn load(&self, from: &LocatedPath) -> Result<LoadedFile, Error> {
        let loaded = from.workspace.store.load(from.at.clone(), FILE_BYTES_MAX).await;
        loaded.map_err(|fault| match fault {
            StoreFault::IsDirectory => Error::BadArgument(format!(
                "{} is a directory; between Workspaces, and to copy, name its files one by one",
                from.path
            )),
            other => store_error(from, other),
        })
    }

    async fn put(&self, tool: Tool, to: &LocatedPath, loaded: LoadedFile) -> Result<(), Error> {
        // A write-only Workspace must not even reveal that the target exists.
        let blind = to.workspace.scope() == AccessScope::WriteOnly;
        let expected = if blind { Expected::Anything } else { Expected::Nothing };
        let change = FileChange::Write {
            path: to.at.clone(),
            bytes: loaded.bytes.into(),
            expected,
            executable: loaded.executable.then_some(true),
        };
        self.change(tool, to, None, change).await.map(drop)
    }

    /// Deletes a file that was moved to another Store, unless it changed in between.
    async fn remove_moved(
        &self,
        from: &LocatedPath,
        to: &LocatedPath,
        before: Expected,
    ) -> Result<(), Error> {
        let mask = Arc::clone(&from.workspace.mask);
        let path = from.at.clone();
        let change = FileChange::Delete { path, recursive: false, expected: before, mask };
        let removed = self.change(Tool::Move, from, Some(&to.path), change).await?;
        debug_assert!(matches!(removed.before, Before::File(_)), "only files are loaded");
        Ok(())
    }
}

async fn identity(target: &LocatedPath) -> Result<FileIdentity, Error> {
    let identity = target.workspace.store.identity(target.at.clone()).await;
    identity.map_err(|fault| store_error(target, fault))
}

/// Reports an existing target under the path of the target.
fn at_target(error: Error, to: &LocatedPath) -> Error {
    match error {
        Error::File { fault: StoreFault::Exists, .. } => {
            Error::File { path: to.path.clone(), fault: StoreFault::Exists }
        }
        other => other,
    }
}

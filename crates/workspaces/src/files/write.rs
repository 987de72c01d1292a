//! `write`, `mkdir` and `delete`

use std::sync::Arc;

use crate::blocking::as_a_whole;
use crate::bounds::FILE_BYTES_MAX;
use crate::error::Error;
use crate::files::Files;
use crate::files::change::Changed;
use crate::files::service::store_error;
use crate::path::LogicalPath;
use crate::scope::{AccessScope, Right, Tool};
use crate::store::{Before, Expected, FileChange, StoreFault};
use crate::tools::{DeleteRequest, MkdirRequest, WriteRequest};
use crate::workspaces::LocatedPath;

impl Files {
    /// Creates or replaces a file, or appends to it.
    pub async fn write(&self, request: WriteRequest) -> Result<String, Error> {
        let target = self.permit(Tool::Write, Right::Write, &request.path)?;
        let bytes = request.content.len() as u64;
        if bytes > FILE_BYTES_MAX {
            let fault = StoreFault::TooLarge { bytes, max: FILE_BYTES_MAX };
            return Err(Error::File { path: target.path, fault });
        }
        let expected = Self::expected(&target, request.version.as_deref())?;
        if request.append && expected != Expected::Anything {
            return Err(Error::BadArgument("`append` takes no `version`".into()));
        }
        self.refuse_above(&target)?;
        let files = self.clone();
        as_a_whole(async move {
            let target = files.located(target).await?;
            let path = target.at.clone();
            let content = request.content.into_bytes().into();
            let change = if request.append {
                FileChange::Append { path, bytes: content }
            } else {
                FileChange::Write { path, bytes: content, expected, executable: None }
            };
            let changed = files.change(Tool::Write, &target, None, change).await?;
            Ok(wrote(&target, &changed, bytes, request.append))
        })
        .await
    }

    /// Creates a directory.
    pub async fn mkdir(&self, request: MkdirRequest) -> Result<String, Error> {
        let target = self.permit(Tool::Mkdir, Right::Change, &request.path)?;
        let files = self.clone();
        as_a_whole(async move {
            let target = files.located(target).await?;
            let change = FileChange::MakeDirectory { path: target.at.clone() };
            files.change(Tool::Mkdir, &target, None, change).await?;
            Ok(format!("{} is there\n", target.path))
        })
        .await
    }

    /// Deletes a file or a directory.
    pub async fn delete(&self, request: DeleteRequest) -> Result<String, Error> {
        let target = self.permit(Tool::Delete, Right::Change, &request.path)?;
        self.workspaces.refuse_inner(Tool::Delete, &target)?;
        let files = self.clone();
        as_a_whole(async move { files.delete_located(target, request.recursive).await }).await
    }

    async fn delete_located(&self, target: LocatedPath, recursive: bool) -> Result<String, Error> {
        let target = self.located_name(target).await?;
        let change = FileChange::Delete {
            path: target.at.clone(),
            recursive,
            expected: Expected::Anything,
            mask: Arc::clone(&target.workspace.mask),
        };
        let changed = self.change(Tool::Delete, &target, None, change).await?;
        let what = match changed.before {
            Before::Directory => "the directory ",
            _ => "",
        };
        Ok(format!("deleted {what}{}\n", target.path))
    }

    /// Returns the precondition of the caller. A write-only Workspace accepts none, because its result would reveal
    /// what is there.
    pub(super) fn expected(target: &LocatedPath, version: Option<&str>) -> Result<Expected, Error> {
        match version {
            None => Ok(Expected::Anything),
            Some(_) if target.workspace.scope() == AccessScope::WriteOnly => {
                Err(Error::BadArgument("a write-only Workspace takes no `version`".into()))
            }
            Some(text) => {
                let version = text.parse().map_err(|why: &str| Error::BadArgument(why.into()))?;
                Ok(Expected::Version(version))
            }
        }
    }

    /// Refuses a path that has Workspaces below it and therefore can never be a file.
    pub(super) fn refuse_above(&self, target: &LocatedPath) -> Result<(), Error> {
        if target.at.is_root() || !self.workspaces.below(&target.path).is_empty() {
            return Err(store_error(target, StoreFault::IsDirectory));
        }
        Ok(())
    }
}

fn wrote(target: &LocatedPath, changed: &Changed, bytes: u64, append: bool) -> String {
    let path: &LogicalPath = &target.path;
    if target.workspace.scope() == AccessScope::WriteOnly {
        return format!("wrote {bytes} bytes to {path}\n");
    }
    let did = match (&changed.before, append) {
        (Before::Nothing, _) => "created",
        (_, true) => "added to",
        (_, false) => "replaced",
    };
    let version = changed.version.as_ref().map(|one| format!(", version {one}"));
    format!("{did} {path}, {bytes} bytes{}\n", version.unwrap_or_default())
}

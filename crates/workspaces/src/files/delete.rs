//! `delete`

use std::sync::Arc;

use crate::blocking::as_a_whole;
use crate::error::Error;
use crate::files::Files;
use crate::scope::{Right, Tool};
use crate::store::{Before, Expected, FileChange};
use crate::tools::DeleteRequest;
use crate::workspaces::LocatedPath;

impl Files {
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
}

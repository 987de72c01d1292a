//! `delete`

use std::sync::Arc;

use crate::{
    error::Error,
    files::Files,
    scope::{Right, Tool},
    store::{Before, Expected, FileChange},
    tools::DeleteRequest,
};

impl Files {
    /// Deletes a file, or a directory.
    pub async fn delete(&self, request: DeleteRequest) -> Result<String, Error> {
        let place = self.permit(Tool::Delete, Right::Change, &request.path)?;
        self.workspaces.refuse_inner(Tool::Delete, &place)?;
        let place = self.located_name(place).await?;
        let change = FileChange::Delete {
            path: place.at.clone(),
            recursive: request.recursive,
            expected: Expected::Anything,
            mask: Arc::clone(&place.workspace.mask),
        };
        let changed = self.change(Tool::Delete, &place, None, change).await?;
        let what = match changed.before {
            Before::Directory => "the directory ",
            _ => "",
        };
        Ok(format!("deleted {what}{}\n", place.path))
    }
}

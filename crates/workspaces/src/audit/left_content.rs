//! The content that a change left at a path.

use piton_core::Digest;

use super::record::AuditIntent;
use crate::path::LogicalPath;
use crate::scope::Tool;
use crate::store::Before;

/// Content that a change left at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeftContent {
    /// Nothing: the entry was deleted or moved away.
    Nothing,
    Directory,
    File(Digest),
    /// The former content of another path of the same Mount. The digest is known if the file was moved by itself, and
    /// not with a directory above it.
    Moved {
        from: LogicalPath,
        digest: Option<Digest>,
    },
}

impl LeftContent {
    /// Returns the content that a change left at a path, or `None` if the change did not touch it.
    pub(super) fn of(intent: &AuditIntent, path: &LogicalPath) -> Option<Self> {
        let is_tree = intent.before == Before::Directory;
        let is_reached = |root: &LogicalPath| *root == *path || is_tree && path.starts_with(root);
        let Some(target) = &intent.target else {
            return match (intent.after, intent.tool) {
                (Some(digest), _) => (intent.path == *path).then_some(Self::File(digest)),
                (None, Tool::Mkdir) => (intent.path == *path).then_some(Self::Directory),
                (None, _) => is_reached(&intent.path).then_some(Self::Nothing),
            };
        };
        // A move to another Store has a second record there, which describes the target.
        let is_between_stores = intent.after.is_none() && !is_tree;
        match path.below(target) {
            Some(below) if is_reached(target) && !is_between_stores => {
                Some(Self::Moved { from: intent.path.join(&below), digest: intent.after })
            }
            _ => is_reached(&intent.path).then_some(Self::Nothing),
        }
    }
}

//! What a change left at a path.

use piton_core::Digest;

use super::record::AuditIntent;
use crate::{path::LogicalPath, scope::Tool, store::Before};

/// What a change left at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeftContent {
    /// Nothing: it was deleted, or moved away.
    Nothing,
    Directory,
    /// A file with this digest.
    File(Digest),
    /// What was at another path of the same Mount before; the digest is known if it was moved by itself, and not with
    /// a directory above it.
    Moved {
        from: LogicalPath,
        digest: Option<Digest>,
    },
}

impl LeftContent {
    /// What a change left at a path; nothing if the change did not touch it.
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
        // Where it went to another Store, what is there is told by another record.
        let is_between_stores = intent.after.is_none() && !is_tree;
        match path.below(target) {
            Some(below) if is_reached(target) && !is_between_stores => {
                Some(Self::Moved { from: intent.path.join(&below), digest: intent.after })
            }
            _ => is_reached(&intent.path).then_some(Self::Nothing),
        }
    }
}

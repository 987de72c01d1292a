//! A set of Workspaces, narrowed to what a step grants.
//!
//! *Invariants*: nothing is permitted in the narrower set that is not permitted in the wider one, and no path leads
//! to another file.

use std::sync::Arc;

use crate::{path::LogicalPath, scope::AccessScope, workspace::Workspace, workspaces::Workspaces};

impl Workspaces {
    /// What these grants leave of the set: below each prefix what both it and the Workspace there permit. The
    /// longest prefix counts; it may be that of a Workspace, of a directory inside of one, or above some.
    #[must_use]
    pub fn narrowed(&self, grants: &[(LogicalPath, AccessScope)]) -> Self {
        let covering = |path: &LogicalPath| {
            let above = grants.iter().filter(|(prefix, _)| path.starts_with(prefix));
            above.max_by_key(|(prefix, _)| prefix.as_str().len())
        };
        let mut list = Vec::new();
        for one in self.all() {
            let granted = covering(&one.prefix).and_then(|(_, scope)| one.scope.narrowed(*scope));
            // What is granted in a part of it is a Workspace of its own, and hidden in the whole.
            let parts: Vec<_> =
                grants.iter().filter(|(prefix, _)| self.is_part(one, prefix)).collect();
            for (prefix, scope) in &parts {
                list.extend(one.scope.narrowed(*scope).map(|scope| one.part(prefix, scope)));
            }
            if let Some(scope) = granted {
                let hidden = parts.iter().filter_map(|(prefix, _)| one.at(prefix));
                let mask = Arc::new(one.mask.with_covered(hidden));
                list.push(Workspace { mask, ..one.part(&one.prefix, scope) });
            }
        }
        list.sort_by(|left, right| left.prefix.cmp(&right.prefix));
        list.dedup_by(|left, right| left.prefix == right.prefix);
        Self::of(list)
    }

    /// Whether a prefix lies in a Workspace, below its own.
    fn is_part(&self, workspace: &Workspace, prefix: &LogicalPath) -> bool {
        *prefix != workspace.prefix
            && self.find(prefix).is_some_and(|(found, _)| found.prefix == workspace.prefix)
    }
}

impl Workspace {
    /// The part of it at a prefix.
    fn part(&self, prefix: &LogicalPath, scope: AccessScope) -> Self {
        Self {
            prefix: prefix.clone(),
            scope,
            purpose: self.purpose.clone(),
            mask: Arc::clone(&self.mask),
            store: Arc::clone(&self.store),
            base: self.at(prefix).expect("the prefix lies in it"),
        }
    }

    /// Where in the Mount a path below its prefix is.
    fn at(&self, path: &LogicalPath) -> Option<crate::path::MountPath> {
        path.below(&self.prefix).map(|below| self.base.join(&below))
    }
}

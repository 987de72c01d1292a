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
            // What is granted in a part of it is a Workspace of its own, and hidden in what lies above that part.
            let parts: Vec<_> =
                grants.iter().filter(|(prefix, _)| self.is_part(one, prefix)).collect();
            let above = |prefix: &LogicalPath, scope| {
                let inner = parts.iter().map(|(part, _)| part);
                one.part(prefix, scope, inner.filter(|part| *part != prefix))
            };
            for (prefix, scope) in &parts {
                let granted = one.scope.narrowed(*scope);
                list.extend(granted.and_then(|scope| above(prefix, scope)));
            }
            list.extend(granted.and_then(|scope| above(&one.prefix, scope)));
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
    /// The part of it at a prefix, without those of `inner` that lie below; nothing if it hides that part.
    fn part<'a>(
        &self,
        prefix: &LogicalPath,
        scope: AccessScope,
        inner: impl Iterator<Item = &'a LogicalPath>,
    ) -> Option<Self> {
        let base = self.at(prefix).expect("the prefix lies in it");
        if self.mask.hides(&base).is_some() {
            return None;
        }
        let inner = inner.filter(|part| part.starts_with(prefix)).filter_map(|part| self.at(part));
        Some(Self {
            prefix: prefix.clone(),
            scope,
            purpose: self.purpose.clone(),
            mask: Arc::new(self.mask.with_covered(inner)),
            store: Arc::clone(&self.store),
            base,
        })
    }

    /// Where in the Mount a path below its prefix is.
    fn at(&self, path: &LogicalPath) -> Option<crate::path::MountPath> {
        path.below(&self.prefix).map(|below| self.base.join(&below))
    }
}

//! A set of Workspaces, narrowed to the grants of a step.
//!
//! *Invariants*: the narrower set permits nothing that the wider one does not, and no path leads to another file.

use std::sync::Arc;

use crate::path::LogicalPath;
use crate::scope::AccessScope;
use crate::workspace::Workspace;
use crate::workspaces::Workspaces;

impl Workspaces {
    /// Narrows the set to these grants: below each prefix remains what both the grant and the Workspace there permit.
    /// The longest prefix counts. It may be that of a Workspace, of a directory inside one, or of a path above several.
    #[must_use]
    pub fn narrowed(&self, grants: &[(LogicalPath, AccessScope)]) -> Self {
        let covering = |path: &LogicalPath| {
            let above = grants.iter().filter(|(prefix, _)| path.starts_with(prefix));
            // The longest prefix wins, as in the router.
            above.max_by_key(|(prefix, _)| prefix.as_str().len())
        };
        let mut list = Vec::new();
        for one in self.all() {
            let granted = covering(&one.prefix).and_then(|(_, scope)| one.scope.narrowed(*scope));
            // A grant for a part of a Workspace becomes a Workspace of its own, hidden in the part above it.
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

    /// True if a prefix lies in a Workspace, below its own prefix.
    fn is_part(&self, workspace: &Workspace, prefix: &LogicalPath) -> bool {
        *prefix != workspace.prefix
            && self.find(prefix).is_some_and(|(found, _)| found.prefix == workspace.prefix)
    }
}

impl Workspace {
    /// Returns the part at a prefix, without those of `inner` that lie below. `None` if that part is hidden.
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

    /// Returns the path in the Mount of a path below the prefix.
    fn at(&self, path: &LogicalPath) -> Option<crate::path::MountPath> {
        path.below(&self.prefix).map(|below| self.base.join(&below))
    }
}

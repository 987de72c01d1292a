//! Regenerates frames whose basis changed.
//!
//! Whenever a head moves, its directory is noted. Regenerating examines only the noted directories, deepest first, and
//! each new frame notes the directory above it. The work is therefore proportional to the changes and their ancestors.
//!
//! *Invariants*: nothing outside the scope is regenerated, and no note outside it is removed. A directory stays noted
//! until none of its syntheses is out of date. One process at a time regenerates a project. Frames in the scope that
//! stay stale are named on every request, by the same judgement as in a report: only that reads each head of the scope,
//! noted or not.

use std::collections::{BTreeMap, BTreeSet};

use piton_store::LeaseName;
use piton_store::port::{Mode, Patience, TableEntry};
use serde::Serialize;

use super::synthesize::SynthesisSpec;
use crate::context::remove_after;
use crate::frame::{AppendOutcome, Basis, BasisKind, FrameHead, FrameId, Metadata, Policy};
use crate::history::TOUCHED_EVERYWHERE;
use crate::report::StaleFrame;
use crate::rows::keys::{RowKind, split_path};
use crate::tree::{TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// Reason that a synthesis is stale when it was, or would be, made from nothing.
pub(crate) const NOTHING_DESCRIBED: &str = "nothing in it has a frame that it could be made from";

/// Scope of a regeneration.
#[derive(Clone, Debug)]
pub struct RegenerateScope {
    pub path: TreePath,
    /// Set to include everything below the path.
    pub subtree: bool,
    /// Number of directories above the path to include.
    pub ancestors: usize,
    /// Restricts it to frames of this type.
    pub frame_type: Option<FrameType>,
    /// Restricts it to this frame.
    pub frame: Option<FrameId>,
    /// Set to examine every directory of the scope, noted or not.
    pub everything: bool,
    /// Set to name the frames in the scope that stay stale, which reads every head of it.
    pub names_stale: bool,
    /// Time to wait for another process that is regenerating.
    pub patience: Patience,
}

/// Result of a regeneration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Regenerated {
    /// New frames, in the order in which they were made.
    pub made: Vec<(TreePath, FrameId)>,
    /// Frames that were marked as invalid but still hold, because they are made from the same frames as before.
    pub reaffirmed: Vec<(TreePath, FrameId)>,
    /// Frames of the scope that stay stale, sorted by path and type, if requested.
    pub skipped: Vec<StaleFrame>,
    /// Number of directories that were examined.
    pub examined: u64,
}

impl RegenerateScope {
    /// Creates a scope of the directory at `path` and everything below it.
    pub fn subtree(path: TreePath) -> Self {
        Self {
            path,
            subtree: true,
            ancestors: 0,
            frame_type: None,
            frame: None,
            everything: false,
            names_stale: true,
            patience: Patience::FailFast,
        }
    }

    /// True if a path is in the scope.
    fn holds(&self, path: &TreePath) -> bool {
        if self.subtree && path.is_within(&self.path) {
            return true;
        }
        let up = self.path.depth().checked_sub(path.depth());
        self.path.is_within(path) && up.is_some_and(|up| up <= self.ancestors)
    }

    /// True if a head at a path of the scope is requested.
    fn asks_for(&self, head: &FrameHead) -> bool {
        self.frame.is_none_or(|frame| frame == head.frame)
            && self.frame_type.as_ref().is_none_or(|only| *only == head.frame_type)
    }
}

impl Context {
    /// Regenerates the frames whose basis changed.
    pub(crate) async fn regenerate(
        &self,
        by: &AgentId,
        scope: &RegenerateScope,
        said: &Metadata,
    ) -> Result<Regenerated, Error> {
        let said = said.clone().with("regenerated_by", by.as_str());
        let name: LeaseName = format!("context-{}-regenerate", self.project)
            .parse()
            .expect("hex digits and dashes are a name");
        // One regeneration per project, so that two processes do not make the same frames.
        let lease = self.ports.leases.acquire(&name, Mode::Exclusive, scope.patience).await?;
        let mut waiting = self.noted(scope).await?;
        let (mut report, mut damaged) = (Regenerated::default(), None);
        // Deepest first, so that a directory is examined after everything it holds. Paths of the same depth are
        // independent.
        while let Some(((_, path), note)) = waiting.pop_last() {
            report.examined += 1;
            let changed = match self.renew(&said, scope, &path, &mut report).await {
                // The directory stays noted. Everything that does not depend on it is regenerated all the same.
                Err(error) if error.is_damage() => {
                    damaged = damaged.or(Some(error));
                    continue;
                }
                changed => changed?,
            };
            if let Some(above) = path.parent()
                && changed
                && scope.holds(&above)
            {
                // The new head is an input of the directory above. Its note is read only now, because the append has
                // just written it.
                let note = self.row(&self.keys.at(RowKind::Touched, &above)).await?;
                waiting.insert((above.depth(), above), note);
            }
            if let Some(note) = note {
                // Only after the frames exist: a process that dies before this leaves the note for the next one.
                self.unnote(&path, note).await?;
            }
        }
        drop(lease);
        if let Some(error) = damaged {
            return Err(error);
        }
        if scope.names_stale {
            report.skipped = self.stale_heads(self.heads_of(scope).await?).await?;
        }
        Ok(report)
    }

    /// Returns the heads of a scope, sorted by path and type.
    async fn heads_of(&self, scope: &RegenerateScope) -> Result<Vec<(TreePath, FrameHead)>, Error> {
        let mut paths = vec![scope.path.clone()];
        while paths.len() <= scope.ancestors
            && let Some(above) = paths.last().and_then(TreePath::parent)
        {
            paths.push(above);
        }
        if scope.subtree {
            // The subtree below includes the path itself.
            paths.remove(0);
        }
        let mut found = Vec::new();
        for path in paths.into_iter().rev() {
            let heads = self.heads(&path).await?;
            found.extend(heads.into_iter().map(|head| (path.clone(), head)));
        }
        if scope.subtree {
            found.extend(self.heads_within(&scope.path).await?);
        }
        found.retain(|(_, head)| scope.asks_for(head));
        Ok(found)
    }

    /// Returns the directories to examine by depth, each with its note.
    async fn noted(
        &self,
        scope: &RegenerateScope,
    ) -> Result<BTreeMap<(usize, TreePath), Option<TableEntry>>, Error> {
        let mut found = BTreeMap::new();
        let mut everything = scope.everything;
        let root = self.keys.at(RowKind::Touched, &TreePath::root());
        if let Some(row) = self.row(&root).await? {
            // After too many changes there are no single notes, only this one at the root.
            everything |= row.value == TOUCHED_EVERYWHERE;
        }
        let mut rows = self.rows(&self.keys.at(RowKind::Touched, &scope.path)).await?;
        if scope.subtree {
            rows.extend(self.rows(&self.keys.below(RowKind::Touched, &scope.path)).await?);
        }
        let mut above = scope.path.parent();
        for _ in 0..scope.ancestors {
            let Some(path) = above else { break };
            rows.extend(self.row(&self.keys.at(RowKind::Touched, &path)).await?);
            above = path.parent();
        }
        for row in rows {
            if let Some((path, _)) = split_path(&row.key) {
                found.insert((path.depth(), path), Some(row));
            }
        }
        if everything {
            let top = if scope.subtree { scope.path.clone() } else { TreePath::root() };
            let heads = self.heads_within(&top).await?;
            let paths: BTreeSet<TreePath> = heads.into_iter().map(|(path, _)| path).collect();
            for path in paths.into_iter().filter(|path| scope.holds(path)) {
                found.entry((path.depth(), path)).or_insert(None);
            }
        }
        Ok(found)
    }

    /// Examines the heads of one path. Returns true if one of them moved.
    async fn renew(
        &self,
        said: &Metadata,
        scope: &RegenerateScope,
        path: &TreePath,
        report: &mut Regenerated,
    ) -> Result<bool, Error> {
        let root = self.current().await?.root;
        // A renamed path has its frames elsewhere, and they are examined there.
        if self.id_at(root, path).await?.is_none() && self.moved_to(root, path).await?.is_some() {
            return Ok(false);
        }
        let mut changed = false;
        for head in self.heads(path).await? {
            if scope.asks_for(&head) {
                changed |= self.renew_head(said, path, &head, report).await?;
            }
        }
        Ok(changed)
    }

    async fn renew_head(
        &self,
        said: &Metadata,
        path: &TreePath,
        head: &FrameHead,
        report: &mut Regenerated,
    ) -> Result<bool, Error> {
        let root = self.current().await?.root;
        let frame = self.frame_at(path, head.index).await?;
        let (BasisKind::Synthesis, Basis::Synthesis { policy, .. }) = (head.kind, &frame.basis)
        // Only a synthesis can be regenerated; written and generated frames need their authors.
        else {
            return Ok(false);
        };
        let Ok(version) = self.makeable(root, path, &frame.basis, policy).await? else {
            return Ok(false);
        };
        let policy = Policy { version, ..policy.clone() };
        let wanted = SynthesisSpec {
            agent: &head.agent_id,
            frame_type: &head.frame_type,
            policy: &policy,
            said,
        };
        let Some(appended) = self.synthesize_one(path, &wanted).await? else { return Ok(false) };
        let list = match appended.outcome {
            // The same frames and policy give the same id, so the append changed nothing.
            AppendOutcome::Unchanged => return Ok(false),
            AppendOutcome::Reaffirmed => &mut report.reaffirmed,
            AppendOutcome::Added | AppendOutcome::HeadMoved => &mut report.made,
        };
        list.push((path.clone(), appended.frame));
        Ok(appended.outcome != AppendOutcome::Reaffirmed)
    }

    /// Returns the policy version that can regenerate a synthesis, or the reason that it cannot be regenerated.
    pub(crate) async fn makeable(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        basis: &Basis,
        policy: &Policy,
    ) -> Result<Result<u64, String>, Error> {
        Ok(match self.gather(root, path, policy).await? {
            None => Err(format!("{path} is no directory any more")),
            // An existing text must not be replaced by an empty one.
            Some(heads) if heads.is_empty() && basis.is_of_frames() => {
                Err(format!("{NOTHING_DESCRIBED} any more"))
            }
            Some(heads) if heads.is_empty() && !self.is_bare(root, path).await? => {
                Err(NOTHING_DESCRIBED.to_owned())
            }
            Some(_) => self
                .registry
                .version(&policy.name)
                .ok_or_else(|| format!("the policy {} is not known any more", policy.name)),
        })
    }

    /// True if a directory is empty.
    pub(crate) async fn is_bare(&self, root: TreeNodeId, path: &TreePath) -> Result<bool, Error> {
        match self.id_at(root, path).await? {
            Some((id, _)) => Ok(self.children(id).await?.is_empty()),
            None => Ok(true),
        }
    }

    /// Removes the mark of a frame that was examined and is still right. Returns true if there was one.
    pub(super) async fn clear_marks(
        &self,
        path: &TreePath,
        frame_type: &FrameType,
    ) -> Result<bool, Error> {
        match self.row(&self.keys.typed(RowKind::Invalid, path, frame_type)).await? {
            Some(row) => self.commit(vec![remove_after(&row)]).await.map(|()| true),
            None => Ok(false),
        }
    }

    /// Removes the note of a directory, unless it was noted again or one of its syntheses is out of date.
    async fn unnote(&self, path: &TreePath, note: TableEntry) -> Result<(), Error> {
        let root = self.current().await?.root;
        for head in self.heads(path).await?.iter().filter(|head| head.kind == BasisKind::Synthesis)
        {
            let frame = self.frame_at(path, head.index).await?;
            let Basis::Synthesis { policy, .. } = &frame.basis else { continue };
            let now = self.gather(root, path, policy).await?;
            let same = now.is_none_or(|now| {
                let now = now.iter().map(|(_, head)| head.frame).collect();
                Basis::synthesis(now, policy.clone()) == frame.basis
            });
            if !same || self.invalidated(path, &head.frame_type).await?.is_some() {
                return Ok(());
            }
        }
        match self.commit(vec![remove_after(&note)]).await {
            // The note was written again meanwhile, so it must stay.
            Err(error) if error.is_conflict() => Ok(()),
            outcome => outcome,
        }
    }
}

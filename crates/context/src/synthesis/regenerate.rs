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
use std::fmt::Write as _;
use std::time::Duration;

use piton_store::LeaseName;
use piton_store::port::BoxFuture;
use piton_store::port::{Mode, Patience, TableEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::synthesize::SynthesisSpec;
use crate::bounds::{SKIPPED_NAMED_MAX, SKIPPED_SENT_MAX};
use crate::context::remove_after;
use crate::frame::{AppendOutcome, Basis, BasisKind, FrameHead, FrameId, Metadata, Policy};
use crate::history::TOUCHED_EVERYWHERE;
use crate::report::{Remedy, StaleFrame};
use crate::rows::{RowKind, split_path};
use crate::tree::{TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// Reason that a synthesis is stale when it was, or would be, made from nothing.
pub(crate) const NOTHING_DESCRIBED: &str = "nothing in it has a frame that it could be made from";

piton_core::closed_set! {
    /// How far a regeneration reaches.
    pub enum RegenerateScope {
        /// The node alone.
        Node => "node",
        /// The node and everything below it.
        Subtree => "subtree",
        /// The node and the directories above it.
        Ancestors => "ancestors",
    }
}

/// Regenerates frames that were synthesised from what has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegenerateFrames {
    /// Where: a path, or the beginning of an id; the whole project if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How far; `subtree` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<RegenerateScope>,
    /// With `ancestors`: how many directories above; all of them if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Only frames of this type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_type: Option<FrameType>,
    /// Only this frame, by its whole id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Whether everything is checked, also where nothing is noted as changed.
    #[serde(default)]
    pub everything: bool,
    /// Set to leave out the frames that stay stale. The cost is then proportional to the changes.
    #[serde(skip)]
    pub changes_only: bool,
    /// Time to wait for another process that is regenerating; without it, the call fails at once.
    #[serde(skip)]
    pub wait: Option<Duration>,
}

/// A regeneration at a path.
pub(crate) struct Regeneration<'a> {
    path: TreePath,
    /// Set to include everything below the path.
    subtree: bool,
    /// Number of directories above the path to include.
    ancestors: usize,
    frame: Option<FrameId>,
    request: &'a RegenerateFrames,
}

/// Result of a regeneration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Regenerated {
    /// New frames, in the order in which they were made.
    pub made: Vec<RegeneratedFrame>,
    /// Frames that were marked as invalid but still hold, because they are made from the same frames as before.
    pub reaffirmed: Vec<RegeneratedFrame>,
    /// Frames of the scope that stay stale, sorted by path and type.
    pub skipped: Vec<SkippedFrame>,
    /// Number of stale frames that are not listed.
    #[serde(skip_serializing_if = "crate::is_zero")]
    pub skipped_left_out: usize,
    /// Number of paths that were examined.
    pub examined: u64,
    /// Set when frames that were not asked for may be stale as well.
    #[serde(skip)]
    pub is_part: bool,
}

/// A frame that was regenerated, or still holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegeneratedFrame {
    pub path: TreePath,
    pub frame: FrameId,
}

/// A frame that stays stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkippedFrame {
    pub path: TreePath,
    pub frame_type: FrameType,
    pub agent: AgentId,
    pub frame: FrameId,
    /// Why it is stale.
    pub reason: String,
    /// What makes it fresh again: `put` it, let a model `generate` it, or `regenerate` once what it is made from is
    /// fresh.
    pub remedy: Remedy,
}

impl From<StaleFrame> for SkippedFrame {
    fn from(stale: StaleFrame) -> Self {
        let StaleFrame { path, frame_type, agent, frame, reason, remedy, .. } = stale;
        Self { path, frame_type, agent, frame, reason, remedy }
    }
}

impl RegenerateFrames {
    /// Creates a request for a node and everything below it.
    pub fn subtree(node: impl Into<String>) -> Self {
        Self { node: Some(node.into()), ..Self::default() }
    }

    /// Returns the regeneration at the path of the node.
    pub(crate) fn at(&self, path: TreePath) -> Result<Regeneration<'_>, Error> {
        let scope = self.scope.unwrap_or(RegenerateScope::Subtree);
        if self.depth.is_some() && scope != RegenerateScope::Ancestors {
            return Err(Error::Invalid(format!(
                "a depth is for the scope ancestors, not for {scope}"
            )));
        }
        let frame = self.frame.as_deref().map(str::parse).transpose().map_err(|error| {
            Error::Invalid(format!("the id of the frame cannot be read: {error}"))
        })?;
        let ancestors = match scope {
            RegenerateScope::Ancestors => self.depth.unwrap_or_else(|| path.depth()),
            RegenerateScope::Node | RegenerateScope::Subtree => 0,
        };
        let subtree = scope == RegenerateScope::Subtree;
        Ok(Regeneration { path, subtree, ancestors, frame, request: self })
    }
}

impl Regenerated {
    /// True if nothing stays stale.
    pub fn is_fresh(&self) -> bool {
        self.skipped.is_empty()
    }

    /// Cuts the list of stale frames to the number that an agent is sent.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.skipped_left_out += self.skipped.len().saturating_sub(SKIPPED_SENT_MAX);
        self.skipped.truncate(SKIPPED_SENT_MAX);
        self
    }

    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if self.made.is_empty() && self.reaffirmed.is_empty() {
            let nothing = match (self.is_fresh(), self.is_part) {
                (true, false) => "Nothing had to be regenerated: no frame is stale.",
                (true, true) => "Nothing had to be regenerated in what was asked for.",
                (false, _) => "Nothing could be regenerated.",
            };
            parts.push(nothing.to_owned());
        }
        if !self.made.is_empty() {
            let made = counted(self.made.len(), "frame was", "frames were");
            parts.push(format!("{made} regenerated:{}", lines(&self.made)));
        }
        if !self.reaffirmed.is_empty() {
            let held = counted(self.reaffirmed.len(), "marked frame holds", "marked frames hold");
            parts.push(format!("{held}, made from the same as before:{}", lines(&self.reaffirmed)));
        }
        if !self.is_fresh() {
            let count = self.skipped.len() + self.skipped_left_out;
            let mut stale = counted(count, "frame stays stale:", "frames stay stale:");
            for skipped in self.skipped.iter().take(SKIPPED_NAMED_MAX) {
                let SkippedFrame { path, frame_type, agent, reason, .. } = skipped;
                let helps = helps(skipped.remedy);
                let _ = write!(stale, "\n  {path} {frame_type} by {agent}: {reason}; {helps}");
            }
            let more = count.saturating_sub(SKIPPED_NAMED_MAX);
            if more > 0 {
                let _ = write!(stale, "\n  and {more} more");
            }
            parts.push(stale);
        }
        parts.join("\n")
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn lines(frames: &[RegeneratedFrame]) -> String {
    let mut text = String::new();
    for RegeneratedFrame { path, frame } in frames {
        let _ = write!(text, "\n  {path}: {frame}");
    }
    text
}

/// Returns the reason that a stale frame was not regenerated, in words that follow the reason for its staleness.
fn helps(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Put => "only a new text makes it fresh",
        Remedy::Generate => "only a model can write it again",
        Remedy::Regenerate => "it is regenerated once that is fresh",
        Remedy::RegenerateEverything => "it is regenerated when everything is checked",
    }
}

impl Regeneration<'_> {
    /// Returns the path, and the directories above it that are included.
    fn paths(&self) -> Vec<TreePath> {
        let upwards = std::iter::successors(Some(self.path.clone()), TreePath::parent);
        upwards.take(self.ancestors.saturating_add(1)).collect()
    }

    /// True if there may be stale frames that the answer does not name.
    fn is_part(&self) -> bool {
        let RegenerateFrames { frame_type, changes_only, .. } = self.request;
        let is_whole = self.subtree && self.path.is_root() && self.frame.is_none();
        !is_whole || frame_type.is_some() || *changes_only
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
            && self.request.frame_type.as_ref().is_none_or(|only| *only == head.frame_type)
    }
}

impl Context {
    /// Regenerates the frames whose basis changed.
    pub(crate) fn regenerate<'a>(
        &'a self,
        by: &'a AgentId,
        scope: &'a Regeneration<'_>,
        said: &'a Metadata,
    ) -> BoxFuture<'a, Result<Regenerated, Error>> {
        Box::pin(async move {
            let said = said.clone().with("regenerated_by", by.as_str());
            let name: LeaseName = format!("context-{}-regenerate", self.project)
                .parse()
                .expect("hex digits and dashes are a name");
            // One regeneration per project, so that two processes do not make the same frames.
            let patience = scope.request.wait.map_or(Patience::FailFast, Patience::Wait);
            let lease = self.ports.leases.acquire(&name, Mode::Exclusive, patience).await?;
            let mut waiting = self.noted(scope).await?;
            let mut report = Regenerated { is_part: scope.is_part(), ..Regenerated::default() };
            let mut damaged = None;
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
            if !scope.request.changes_only {
                let stale = self.stale_heads(self.heads_of(scope).await?).await?;
                report.skipped = stale.into_iter().map(SkippedFrame::from).collect();
            }
            Ok(report)
        })
    }

    /// Returns the heads of a scope, sorted by path and type.
    async fn heads_of(
        &self,
        scope: &Regeneration<'_>,
    ) -> Result<Vec<(TreePath, FrameHead)>, Error> {
        let mut found = Vec::new();
        if scope.subtree {
            found.extend(self.heads_within(&scope.path).await?);
        } else {
            for path in scope.paths().into_iter().rev() {
                let heads = self.heads(&path).await?;
                found.extend(heads.into_iter().map(|head| (path.clone(), head)));
            }
        }
        found.retain(|(_, head)| scope.asks_for(head));
        Ok(found)
    }

    /// Returns the directories to examine by depth, each with its note.
    async fn noted(
        &self,
        scope: &Regeneration<'_>,
    ) -> Result<BTreeMap<(usize, TreePath), Option<TableEntry>>, Error> {
        let mut found = BTreeMap::new();
        let mut everything = scope.request.everything;
        let root = self.keys.at(RowKind::Touched, &TreePath::root());
        if let Some(row) = self.row(&root).await? {
            // After too many changes there are no single notes, only this one at the root.
            everything |= row.value == TOUCHED_EVERYWHERE;
        }
        let mut rows = Vec::new();
        for path in scope.paths() {
            rows.extend(self.row(&self.keys.at(RowKind::Touched, &path)).await?);
        }
        if scope.subtree {
            rows.extend(self.rows(&self.keys.below(RowKind::Touched, &scope.path)).await?);
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
        scope: &Regeneration<'_>,
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
        list.push(RegeneratedFrame { path: path.clone(), frame: appended.frame });
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

//! Coverage of a tree by frames, the stale ones among them, and the report about it as text and as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use piton_store::bounds::TABLE_GET_MAX;
use schemars::JsonSchema;
use serde::Serialize;

use crate::bounds::LEFT_BEHIND_SHOWN;
use crate::frame::{Basis, BasisKind, Frame, FrameHead, FrameId, Freshness, Judge};
use crate::history::{RootEntry, RootRef};
use crate::tree::{TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// Coverage of a tree by frames of one agent and type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    pub agent: AgentId,
    pub frame_type: FrameType,
    /// Number of nodes of the tree that have such a head.
    pub nodes: u64,
    /// Number of these heads that are stale.
    pub stale: u64,
}

piton_core::closed_set! {
    /// What makes a stale frame fresh again.
    pub enum Remedy {
        /// Somebody writes it again.
        Put => "put",
        /// A model is asked again.
        Generate => "generate",
        /// It is made again from the frames of its directory, which is noted as changed.
        Regenerate => "regenerate",
        /// The same, where nothing is noted because another version of its policy came with the program.
        RegenerateEverything => "regenerate_everything",
    }
}

/// A head that is stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaleFrame {
    pub path: TreePath,
    pub frame_type: FrameType,
    pub agent: AgentId,
    pub frame: FrameId,
    pub kind: BasisKind,
    /// The way to make it fresh again, if none of its inputs is stale.
    pub remedy: Remedy,
    pub reason: String,
}

/// Coverage and freshness of a project's frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextReport {
    /// The tree that was judged against.
    pub root: RootEntry,
    /// Number of nodes of the tree.
    pub nodes: u64,
    /// Number of nodes that have at least one head.
    pub nodes_with_frames: u64,
    /// By agent and type.
    pub coverage: Vec<Coverage>,
    /// Heads that are stale, sorted by path and type.
    pub stale: Vec<StaleFrame>,
    /// Number of heads at paths that are not in the tree.
    pub left_behind: u64,
    /// The first of these paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_behind_at: Vec<TreePath>,
    /// Reason that the files could not be compared with the last scan, if that failed. In that case no frame counts as
    /// fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

/// Coverage of a tree with frames of one type and agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TypeStatus {
    pub frame_type: FrameType,
    pub agent: AgentId,
    /// Number of nodes with a fresh head.
    pub fresh: u64,
    /// Number of nodes with a stale head.
    pub stale: u64,
    /// Number of nodes with no head.
    pub missing: u64,
}

/// The status of a project's context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextStatus {
    /// The project directory.
    pub project: String,
    /// Frames by type and agent.
    pub types: Vec<TypeStatus>,
    /// The tree, its coverage, and the stale frames with reasons.
    #[serde(flatten)]
    pub report: ContextReport,
}

impl Context {
    /// Returns the status: the current tree, its frames by type and agent, and the stale ones.
    pub async fn status(&self) -> Result<ContextStatus, Error> {
        let report = self.report(&RootRef::Current).await?;
        let line = |line: &Coverage| TypeStatus {
            frame_type: line.frame_type.clone(),
            agent: line.agent.clone(),
            fresh: if report.unchecked.is_some() { 0 } else { line.nodes - line.stale },
            stale: line.stale,
            missing: report.nodes - line.nodes,
        };
        let types = report.coverage.iter().map(line).collect();
        let project = self.location.directory().display().to_string();
        Ok(ContextStatus { project, types, report })
    }

    /// Reports coverage and stale heads, judged against a recorded tree.
    pub async fn report(&self, tree: &RootRef) -> Result<ContextReport, Error> {
        match tree {
            RootRef::Current => self.checked(None).await.report_on(tree).await,
            // A past tree cannot have changed, so the files need no check.
            past => self.report_on(past).await,
        }
    }

    /// Reports on a tree as it was recorded. Reads each head and its frame once.
    async fn report_on(&self, tree: &RootRef) -> Result<ContextReport, Error> {
        let root = self.root(tree).await?;
        let mut judge = Judge::of_many(self, root.root);
        judge.read_marks().await?;
        let mut coverage: BTreeMap<(AgentId, FrameType), (u64, u64)> = BTreeMap::new();
        let (mut stale, mut left_behind, mut left_behind_at) = (Vec::new(), 0, Vec::new());
        let (mut with_frames, mut last) = (0, None);
        let mut heads = self.heads_within(&TreePath::root()).await?;
        // Entries come before their directory, so that a synthesis finds its inputs already judged.
        heads.reverse();
        let mut frames = Vec::new();
        for (place, (path, head)) in heads.iter().enumerate() {
            if place % TABLE_GET_MAX == 0 {
                let end = heads.len().min(place + TABLE_GET_MAX);
                frames = self.frames_at(&heads[place..end]).await?;
            }
            let frame = &frames[place % TABLE_GET_MAX];
            if judge.id_at(path).await?.is_none() {
                // The frames of a renamed path were copied to the new one and are counted there.
                let moved = self.moved_to(root.root, path).await?;
                if moved.is_none() {
                    left_behind += 1;
                    left_behind_at.push(path.clone());
                }
                continue;
            }
            with_frames += u64::from(last != Some(path));
            let counts =
                coverage.entry((head.agent_id.clone(), head.frame_type.clone())).or_default();
            counts.0 += 1;
            if let Some(found) = self.stale_head(&mut judge, root.root, frame).await? {
                counts.1 += 1;
                stale.push(found);
            }
            last = Some(path);
        }
        stale.reverse();
        left_behind_at.reverse();
        left_behind_at.dedup();
        left_behind_at.truncate(LEFT_BEHIND_SHOWN);
        let totals = root.totals;
        let line =
            |((agent, frame_type), (nodes, stale))| Coverage { agent, frame_type, nodes, stale };
        Ok(ContextReport {
            nodes: totals.files + totals.directories + totals.symlinks,
            nodes_with_frames: with_frames,
            coverage: coverage.into_iter().map(line).collect(),
            stale,
            left_behind,
            left_behind_at,
            unchecked: self.unchecked().filter(|_| *tree == RootRef::Current).map(str::to_owned),
            root,
        })
    }

    /// Returns the stale ones among some heads of the current tree. Both are sorted by path and type.
    pub(crate) async fn stale_heads(
        &self,
        heads: Vec<(TreePath, FrameHead)>,
    ) -> Result<Vec<StaleFrame>, Error> {
        let root = self.current().await?.root;
        let mut judge = Judge::of_many(self, root);
        judge.read_marks().await?;
        let mut stale = Vec::new();
        // Entries come before their directory, as in a report.
        for heads in heads.rchunks(TABLE_GET_MAX) {
            for frame in self.frames_at(heads).await?.iter().rev() {
                // The frames of a path that is gone do not belong to the tree.
                if judge.id_at(&frame.path).await?.is_some() {
                    stale.extend(self.stale_head(&mut judge, root, frame).await?);
                }
            }
        }
        stale.reverse();
        Ok(stale)
    }

    /// Returns the reason that a head is stale and the remedy, if it is stale.
    async fn stale_head(
        &self,
        judge: &mut Judge<'_>,
        root: TreeNodeId,
        frame: &Frame,
    ) -> Result<Option<StaleFrame>, Error> {
        let Freshness::Stale { mut reason } = judge.judge(frame).await? else { return Ok(None) };
        let kind = frame.basis.kind();
        let remedy = match &frame.basis {
            Basis::Synthesis { policy, .. } => {
                match self.makeable(root, &frame.path, &frame.basis, policy).await? {
                    // A text that can no longer be synthesised can still be written.
                    Err(why) => {
                        reason = why;
                        Remedy::Put
                    }
                    Ok(version) if version != policy.version => Remedy::RegenerateEverything,
                    Ok(_) => Remedy::Regenerate,
                }
            }
            Basis::Generated { .. } => Remedy::Generate,
            Basis::Written { .. } => Remedy::Put,
        };
        Ok(Some(StaleFrame {
            path: frame.path.clone(),
            frame_type: frame.frame_type.clone(),
            agent: frame.agent_id.clone(),
            frame: frame.id,
            kind,
            remedy,
            reason,
        }))
    }
}

impl ContextReport {
    /// Formats the report as plain text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let root = self.root.root.digest().hex();
        let partial = if self.root.partial { ", partial" } else { "" };
        let _ = writeln!(
            text,
            "tree {} {}{partial}: {} nodes",
            self.root.sequence,
            &root[..12],
            self.nodes
        );
        let _ = writeln!(text, "{} have frames", share(self.nodes_with_frames, self.nodes));
        for line in &self.coverage {
            let nodes = share(line.nodes, self.nodes);
            let _ = writeln!(
                text,
                "  {} by {}: {nodes}, {} stale",
                line.frame_type, line.agent, line.stale
            );
        }
        if self.left_behind > 0 {
            let _ = writeln!(text, "{} heads are at paths that are gone", self.left_behind);
        }
        if let Some(reason) = &self.unchecked {
            let _ = writeln!(text, "freshness was not checked: {reason}");
        }
        for stale in &self.stale {
            let _ = writeln!(text, "stale: {} {}: {}", stale.path, stale.frame_type, stale.reason);
        }
        text
    }

    /// Formats the report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("## Context\n\n");
        let root = self.root.root.digest().hex();
        let covered = share(self.nodes_with_frames, self.nodes);
        let _ = writeln!(
            text,
            "Tree {} `{}`: {covered} nodes have frames.\n",
            self.root.sequence,
            &root[..12]
        );
        text.push_str("| type | agent | nodes | stale |\n|---|---|---|---|\n");
        for line in &self.coverage {
            let nodes = share(line.nodes, self.nodes);
            let _ = writeln!(
                text,
                "| {} | {} | {nodes} | {} |",
                line.frame_type, line.agent, line.stale
            );
        }
        if let Some(reason) = &self.unchecked {
            let _ = writeln!(text, "\nFreshness was not checked: {reason}.");
        }
        if !self.stale.is_empty() {
            text.push_str("\n| stale | type | why |\n|---|---|---|\n");
            for stale in &self.stale {
                let _ =
                    writeln!(text, "| {} | {} | {} |", stale.path, stale.frame_type, stale.reason);
            }
        }
        text
    }
}

/// Formats a share, for example `3 of 12 (25 %)`.
fn share(part: u64, whole: u64) -> String {
    let percent = (part * 100).checked_div(whole).unwrap_or(0); // tidy: number of percents
    format!("{part} of {whole} ({percent} %)")
}

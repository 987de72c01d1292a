//! The graph of a run as people look at it.
//!
//! A run that was never forked is one column. Where it was forked, each branch is drawn below the step that it left,
//! the one that leads to the preferred tip last.

use std::collections::HashMap;

use piton_core::NodeId;
use piton_runtime::reply::{RunTree, TreeNode};
use piton_workflow::NodeKind;

use crate::style::{State, styled};

/// A node with the strokes that stand before it.
struct Line<'a> {
    strokes: String,
    node: &'a TreeNode,
}

/// The lines of a tree.
pub(crate) fn lines(tree: &RunTree) -> Vec<String> {
    let steps: Vec<&TreeNode> =
        tree.nodes.iter().filter(|node| node.kind == NodeKind::Step).collect();
    let bookmarks = count_bookmarks(tree);
    let drawn = draw(&steps);
    let title =
        |line: &Line<'_>| format!("{}{} {}", line.strokes, mark(line.node), name(line.node));
    let width = drawn.iter().map(|line| length(&title(line))).max().unwrap_or(0);
    drawn
        .iter()
        .map(|line| {
            let title = title(line);
            let gap = " ".repeat(width - length(&title) + 2);
            let said = said(line.node, bookmarks.get(&line.node.node_id).copied().unwrap_or(0));
            format!("{title}{gap}{said}").trim_end().to_owned()
        })
        .collect()
}

fn length(text: &str) -> usize {
    text.chars().count() // tidy: chars: shown to a person
}

fn count_bookmarks(tree: &RunTree) -> HashMap<NodeId, usize> {
    let mut bookmarks = HashMap::new();
    let of = tree.nodes.iter().filter(|node| node.kind == NodeKind::Checkpoint);
    for parent in of.filter_map(|node| node.parent_id) {
        *bookmarks.entry(parent).or_insert(0) += 1;
    }
    bookmarks
}

/// The nodes in the order in which they are drawn. A run has thousands of steps, so nothing recurses.
fn draw<'a>(steps: &[&'a TreeNode]) -> Vec<Line<'a>> {
    let mut children: HashMap<Option<NodeId>, Vec<&TreeNode>> = HashMap::new();
    for node in steps {
        children.entry(node.parent_id).or_default().push(node);
    }
    for siblings in children.values_mut() {
        siblings.sort_by_key(|node| (node.is_on_path, node.created));
    }
    let of = |parent: Option<NodeId>| children.get(&parent).map_or(&[][..], Vec::as_slice);
    // What is still to be drawn, the next last: the strokes of a node and of what follows it.
    let mut waiting: Vec<(String, String, &TreeNode)> =
        of(None).iter().rev().map(|node| (String::new(), String::new(), *node)).collect();
    let mut lines = Vec::new();
    while let Some((strokes, below, node)) = waiting.pop() {
        lines.push(Line { strokes, node });
        match of(Some(node.node_id)) {
            [only] => waiting.push((below.clone(), below, only)),
            several => {
                for (place, child) in several.iter().enumerate().rev() {
                    let (corner, side) = if place + 1 == several.len() {
                        ("└─", "  ")
                    } else {
                        ("├─", "│ ")
                    };
                    waiting.push((format!("{below}{corner}"), format!("{below}{side}"), child));
                }
            }
        }
    }
    lines
}

fn mark(node: &TreeNode) -> &'static str {
    match (node.is_preferred_tip, node.is_tip) {
        (true, _) => "◉",
        (false, true) => "○",
        (false, false) => "●",
    }
}

fn name(node: &TreeNode) -> String {
    match (node.step, &node.title) {
        (Some(step), Some(title)) => format!("{step} {title}"),
        (None, Some(title)) => title.clone(),
        _ => "done".to_owned(),
    }
}

/// What there is to say about a node.
fn said(node: &TreeNode, bookmarks: usize) -> String {
    let mut parts = Vec::new();
    parts.extend(node.headline.clone());
    let is_end = node.title.is_none();
    if node.blocked > 0 {
        let often = match node.blocked {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            count => format!("{count} times"),
        };
        parts.push(styled(State::Attention, format_args!("✗ blocked {often}")).to_string());
    }
    if node.open_gaps > 0 {
        parts.push(styled(State::Attention, count(node.open_gaps, "gap")).to_string());
    }
    if bookmarks > 0 {
        parts.push(count(bookmarks, "bookmark"));
    }
    if node.is_preferred_tip {
        let here = if is_end { "← preferred tip" } else { "pending  ← preferred tip" };
        parts.push(styled(State::Good, here).to_string());
    } else if node.is_tip && !node.is_on_path {
        parts.push(styled(State::Faint, "(left)").to_string());
    }
    parts.join("  ")
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

//! The graph of a run, drawn for people.
//!
//! A run that was never forked is one column. Where it was forked, each branch is drawn below the step that it left,
//! with the branch to the preferred tip last. A branch begins with the notes with which that step was left for it.

use std::collections::{HashMap, HashSet};

use piton_core::NodeId;
use piton_runtime::bounds::ID_ENDING_SHOWN;
use piton_runtime::reply::TreeNode;
use piton_runtime::workflow::NodeKind;

use crate::messages::count;
use crate::style::{Tone, styled};

/// A node, or the notes that lead to one, with the strokes before it.
struct TreeLine<'a> {
    strokes: String,
    shows: Shows<'a>,
}

enum Shows<'a> {
    Node(&'a TreeNode),
    /// The notes that lead to a branch.
    Branch(&'a str),
}

/// Draws a tree as lines. With `with_ids`, each line begins with the end of its node's id.
pub(crate) fn lines(nodes: &[TreeNode], with_ids: bool) -> Vec<String> {
    let steps: Vec<&TreeNode> = nodes.iter().filter(|node| node.kind == NodeKind::Step).collect();
    let bookmarks = bookmarks_by_step(nodes);
    // A branch headline sits on the first node of a branch, so its parent is where the run was forked.
    let forked: HashSet<NodeId> = steps
        .iter()
        .filter(|node| node.branch_headline.is_some())
        .filter_map(|node| node.parent_id)
        .collect();
    let drawn = draw(&steps);
    let title = |line: &TreeLine<'_>| match line.shows {
        Shows::Node(node) => format!("{}{} {}", line.strokes, mark(node), name(node)),
        Shows::Branch(_) => line.strokes.clone(),
    };
    // The text of all lines begins in one column, right of the widest title.
    let width = drawn.iter().map(|line| length(&title(line))).max().unwrap_or(0);
    drawn
        .iter()
        .map(|line| {
            let title = title(line);
            let gap = " ".repeat(width - length(&title) + 2);
            let (id, said) = match line.shows {
                Shows::Node(node) => {
                    let bookmarks = bookmarks.get(&node.node_id).map_or(&[][..], Vec::as_slice);
                    // Where a run was forked, the notes are shown on each branch instead of on the step.
                    let is_forked = forked.contains(&node.node_id);
                    (
                        ending(&node.node_id.to_string()).to_owned(),
                        node_title(node, bookmarks, is_forked),
                    )
                }
                Shows::Branch(words) => (" ".repeat(ID_ENDING_SHOWN), words.to_owned()),
            };
            let id = if with_ids { format!("{id}  ") } else { String::new() };
            format!("{id}{title}{gap}{said}").trim_end().to_owned()
        })
        .collect()
}

/// Returns the end of an id, which is enough to name it.
pub(crate) fn ending(id: &str) -> &str {
    &id[id.len().saturating_sub(ID_ENDING_SHOWN)..]
}

fn length(text: &str) -> usize {
    text.chars().count() // tidy: chars: shown to a person
}

fn bookmarks_by_step(nodes: &[TreeNode]) -> HashMap<NodeId, Vec<&TreeNode>> {
    let mut bookmarks: HashMap<NodeId, Vec<&TreeNode>> = HashMap::new();
    for node in nodes.iter().filter(|node| node.kind == NodeKind::Checkpoint) {
        if let Some(parent) = node.parent_id {
            bookmarks.entry(parent).or_default().push(node);
        }
    }
    bookmarks
}

/// Orders the nodes for drawing. A run has thousands of steps, so this does not recurse.
fn draw<'a>(steps: &[&'a TreeNode]) -> Vec<TreeLine<'a>> {
    let mut children: HashMap<Option<NodeId>, Vec<&TreeNode>> = HashMap::new();
    for node in steps {
        children.entry(node.parent_id).or_default().push(node);
    }
    // The way to the preferred tip comes last and so continues the leftmost column at the bottom; older branches come
    // first.
    for siblings in children.values_mut() {
        siblings.sort_by_key(|node| (node.is_on_path, node.created));
    }
    let of = |parent: Option<NodeId>| children.get(&parent).map_or(&[][..], Vec::as_slice);
    // A stack of nodes to draw, the next one last: the strokes of the node, those of its descendants, and the node.
    let mut waiting: Vec<(String, String, &TreeNode)> =
        of(None).iter().rev().map(|node| (String::new(), String::new(), *node)).collect();
    let mut lines = Vec::new();
    while let Some((strokes, below, node)) = waiting.pop() {
        match &node.branch_headline {
            // The notes stand at the corner of the branch; the node follows below them.
            Some(notes) => {
                lines.push(TreeLine { strokes, shows: Shows::Branch(notes) });
                lines.push(TreeLine { strokes: below.clone(), shows: Shows::Node(node) });
            }
            None => lines.push(TreeLine { strokes, shows: Shows::Node(node) }),
        }
        match of(Some(node.node_id)) {
            // An only child continues its parent's column; only a fork indents.
            [only] => waiting.push((below.clone(), below, only)),
            several => {
                // In reverse, since the last one pushed is drawn first.
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

/// Describes a node. Its notes are left out if they are shown on its branches.
fn node_title(node: &TreeNode, bookmarks: &[&TreeNode], is_forked: bool) -> String {
    let mut parts = Vec::new();
    parts.extend(node.headline.clone().filter(|_| !is_forked));
    let is_end = node.title.is_none();
    if node.blocked > 0 {
        let often = match node.blocked {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            count => format!("{count} times"),
        };
        parts.push(styled(Tone::Attention, format_args!("✗ blocked {often}")).to_string());
    }
    if node.open_gaps > 0 {
        parts.push(styled(Tone::Attention, count(node.open_gaps, "gap")).to_string());
    }
    if !bookmarks.is_empty() {
        let headlines = bookmarks.iter().filter_map(|bookmark| bookmark.headline.as_deref());
        let headlines = headlines.collect::<Vec<_>>().join("; ");
        let colon = if headlines.is_empty() { "" } else { ": " };
        parts.push(format!("{}{colon}{headlines}", count(bookmarks.len(), "bookmark")));
    }
    if node.is_preferred_tip {
        let here = if is_end { "← preferred tip" } else { "pending  ← preferred tip" };
        parts.push(styled(Tone::Good, here).to_string());
    } else if node.is_tip && !node.is_on_path {
        parts.push(styled(Tone::Faint, "(left)").to_string());
    }
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use piton_core::EventIndex;

    use super::*;

    /// Builds a node from its number, its parent's number, its step, and its place on or off the preferred path.
    fn node(id: u8, parent: Option<u8>, step: usize, title: &str, is_on_path: bool) -> TreeNode {
        let id_of = |id: u8| format!("node_{id:026}").parse().unwrap();
        TreeNode {
            node_id: id_of(id),
            parent_id: parent.map(id_of),
            kind: NodeKind::Step,
            cause: None,
            step: Some(step),
            title: Some(title.to_owned()),
            headline: None,
            branch_headline: None,
            blocked: 0,
            open_gaps: 0,
            is_tip: false,
            is_preferred_tip: false,
            is_on_path,
            created: EventIndex::new(u64::from(id)).unwrap(),
        }
    }

    fn plain(nodes: &[TreeNode]) -> String {
        let lines = lines(nodes, false).join("\n");
        anstream::adapter::strip_str(&crate::style::printable(&lines)).to_string()
    }

    #[test]
    fn branches_blocks_bookmarks_and_the_preferred_tip_are_seen() {
        let said = |node: TreeNode, headline: &str| TreeNode {
            headline: Some(headline.to_owned()),
            ..node
        };
        let nodes = [
            said(node(1, None, 1, "Reproduce", true), "cargo test login_flaky fails 3 of 50"),
            TreeNode { blocked: 1, ..node(2, Some(1), 2, "Isolate", true) },
            said(node(3, Some(2), 3, "Hypotheses", false), "three, clock first"),
            TreeNode {
                is_tip: true,
                ..said(node(4, Some(3), 4, "Experiment", false), "clock ruled out")
            },
            said(node(5, Some(2), 3, "Hypotheses", true), "shared port first"),
            TreeNode { kind: NodeKind::Checkpoint, ..node(6, Some(5), 3, "Hypotheses", false) },
            TreeNode { open_gaps: 2, ..node(7, Some(5), 4, "Experiment", true) },
            TreeNode { is_tip: true, is_preferred_tip: true, ..node(8, Some(7), 5, "Fix", true) },
        ];
        insta::assert_snapshot!(plain(&nodes), @r"
        ● 1 Reproduce     cargo test login_flaky fails 3 of 50
        ● 2 Isolate       ✗ blocked once
        ├─● 3 Hypotheses  three, clock first
        │ ○ 4 Experiment  clock ruled out  (left)
        └─● 3 Hypotheses  shared port first  1 bookmark
          ● 4 Experiment  2 gaps
          ◉ 5 Fix         pending  ← preferred tip
        ");
    }

    #[test]
    fn each_branch_begins_with_the_notes_that_led_to_it() {
        let led = |node: TreeNode, notes: &str| TreeNode {
            branch_headline: Some(notes.to_owned()),
            ..node
        };
        let nodes = [
            TreeNode {
                headline: Some("the port is shared".to_owned()),
                ..node(1, None, 1, "Reproduce", true)
            },
            led(node(2, Some(1), 2, "Isolate", false), "the clock is wrong"),
            TreeNode { is_tip: true, ..node(3, Some(2), 3, "Fix", false) },
            led(
                TreeNode {
                    is_tip: true,
                    is_preferred_tip: true,
                    ..node(4, Some(1), 2, "Isolate", true)
                },
                "the port is shared",
            ),
        ];
        insta::assert_snapshot!(plain(&nodes), @r"
        ● 1 Reproduce
        ├─             the clock is wrong
        │ ● 2 Isolate
        │ ○ 3 Fix      (left)
        └─             the port is shared
          ◉ 2 Isolate  pending  ← preferred tip
        ");
    }

    #[test]
    fn a_long_run_is_drawn_without_running_out_of_stack() {
        let chain: Vec<TreeNode> =
            (0..=255u8).map(|id| node(id, id.checked_sub(1), 1, "Again", true)).collect();
        assert_eq!(lines(&chain, false).len(), 256);
    }
}

//! Formats changes as lines of JSON. Pure.

use serde::Serialize;

use crate::{
    history::Recorded,
    tree::{TreeChange, TreeNodeId},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WatchLine<'a> {
    sequence: u64,
    root: TreeNodeId,
    #[serde(flatten)]
    change: &'a TreeChange,
}

/// Returns one line for each path that changed.
pub fn json_lines(recorded: &Recorded) -> String {
    let mut text = String::new();
    for change in &recorded.changes {
        let line = WatchLine { sequence: recorded.root.sequence, root: recorded.root.root, change };
        text.push_str(&serde_json::to_string(&line).expect("it has texts and numbers only"));
        text.push('\n');
    }
    text
}

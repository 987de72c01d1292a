//! Comparison of two backpacks, each at a commit.

use piton_backpack::ChangeKind;
use piton_core::Envelope;

use crate::backpack::inspect::{
    BackpackMoment, Backpacks, Branch, ChangeShown, CommitLine, DiffSide,
};
use crate::provenance::compared::{
    Ancestor, Became, BranchSide, CommitTaken, Comparison, KeyWritten, WrittenKind, WrittenThings,
};
use crate::provenance::reference::{ThingKind, ThingReference};

/// Compares two backpacks.
pub(super) async fn compare(
    backpacks: &Backpacks,
    left: &ThingReference,
    right: &ThingReference,
) -> Result<Comparison, Envelope> {
    let place =
        |thing: &ThingReference| BackpackMoment { name: thing.name.clone(), at: thing.at.clone() };
    let related = backpacks.related(&place(left), &place(right)).await?;
    let ancestor = related.ancestor.as_ref().map(|ancestor| Ancestor {
        name: named(ancestor),
        step: None,
        written: WrittenThings::default(),
    });
    let mut notes = Vec::new();
    // Without a common commit there are no branches, only two states.
    if ancestor.is_none() {
        notes.push(
            "They have no commit in common: the second is told against the first.".to_owned(),
        );
    }
    Ok(Comparison {
        kind: ThingKind::Backpack,
        ancestor,
        left: side(related.left),
        right: side(related.right),
        outputs: Vec::new(),
        context: Vec::new(),
        notes,
    })
}

fn named(side: &DiffSide) -> String {
    match &side.commit {
        Some(commit) => format!("{}@{commit}", side.backpack),
        None => format!("{} before its first commit", side.backpack),
    }
}

fn side(branch: Branch) -> BranchSide {
    let Branch { side, commits, commits_left_out, changes, left_out } = branch;
    let backpack = side.backpack.to_string();
    let keys = changes.into_iter().map(|change| key(&backpack, change)).collect();
    let written = WrittenThings { keys, keys_left_out: left_out, ..WrittenThings::default() };
    let commits = commits.into_iter().map(taken).collect();
    BranchSide { commits, commits_left_out, ..BranchSide::of(named(&side), written) }
}

fn taken(line: CommitLine) -> CommitTaken {
    CommitTaken {
        commit: line.short,
        at: line.timestamp_ms,
        by: line.by.id.to_string(),
        action: line.action.to_string(),
        key: line.key.to_string(),
        summary: line.summary,
    }
}

/// Converts the change of a key into the form shared by all comparisons.
pub(super) fn key(backpack: &str, change: ChangeShown) -> KeyWritten {
    let became = Became {
        kind: match change.kind {
            ChangeKind::Added => WrittenKind::Added,
            ChangeKind::Modified => WrittenKind::Modified,
            ChangeKind::Deleted => WrittenKind::Deleted,
        },
        by: change.by.map(|by| by.id.to_string()),
        before: change.before,
        after: change.after,
        diff: change.diff,
        left_out: change.left_out_lines,
    };
    KeyWritten { backpack: backpack.to_owned(), key: change.key.to_string(), became }
}

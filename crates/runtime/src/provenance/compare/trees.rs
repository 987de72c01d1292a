//! Comparison of two recorded trees of a project. Trees form a single line, so the older one is the common ancestor.

use piton_context::history::{Differences, RootEntry, RootRef};
use piton_context::tree::{ChangeKind, NodeKind, TreeChange};
use piton_core::{Code, Envelope};

use crate::bounds::{CHANGES_SHOWN_MAX, DIGEST_DIGITS_SHOWN};
use crate::context::ProjectContext;
use crate::provenance::compared::{
    Ancestor, Became, BranchSide, Comparison, FileWritten, WrittenKind, WrittenThings,
};
use crate::provenance::reference::{ThingKind, ThingReference};

/// Compares two recorded trees.
pub(super) async fn compare(
    frames: Option<&ProjectContext>,
    left: &ThingReference,
    right: &ThingReference,
) -> Result<Comparison, Envelope> {
    let frames = frames.ok_or_else(|| {
        Envelope::new(Code::ContextNotScanned, "There is no project here that was scanned.")
            .with_suggestion(
                "Go to the directory of a project, and scan it with `piton context scan`.",
            )
    })?;
    let (left, right): (RootRef, RootRef) = (left.name.parse()?, right.name.parse()?);
    let context = &frames.context;
    let (of_left, of_right) = (context.root(&left).await?, context.root(&right).await?);
    // The diff always runs from the older to the newer tree. All changes therefore belong to the side of the newer one.
    let is_forward = of_left.sequence <= of_right.sequence;
    let (old, new) = if is_forward { (&left, &right) } else { (&right, &left) };
    let older = if is_forward { &of_left } else { &of_right };
    let differences = context.differences(old, new).await?;
    let ancestor =
        Some(Ancestor { name: named(older), step: None, written: WrittenThings::default() });
    let since = written(frames, differences).await?;
    let (by_left, by_right) = if is_forward {
        (WrittenThings::default(), since)
    } else {
        (since, WrittenThings::default())
    };
    Ok(Comparison {
        kind: ThingKind::Tree,
        ancestor,
        left: BranchSide::of(named(&of_left), by_left),
        right: BranchSide::of(named(&of_right), by_right),
        outputs: Vec::new(),
        context: Vec::new(),
        notes: vec!["A tree keeps digests of files, not contents.".to_owned()],
    })
}

/// Returns the files and frames that the newer of two trees adds or changes.
async fn written(
    frames: &ProjectContext,
    differences: Differences,
) -> Result<WrittenThings, Envelope> {
    let is_file = |change: &TreeChange| change.kind() != NodeKind::Directory;
    let mut changes: Vec<TreeChange> = differences.changes.into_iter().filter(is_file).collect();
    // Cut before digests are loaded: each file costs a read.
    let files_left_out = changes.len().saturating_sub(CHANGES_SHOWN_MAX);
    changes.truncate(CHANGES_SHOWN_MAX);
    let changes = frames.with_contents(changes).await?;
    let files = changes.iter().flat_map(files).collect();
    let (frames, frames_left_out) = frames.made_between(&differences.frames).await?;
    Ok(WrittenThings { files, files_left_out, frames, frames_left_out, ..WrittenThings::default() })
}

fn named(entry: &RootEntry) -> String {
    let root = entry.root.to_string();
    let digits = root.strip_prefix("sha256:").unwrap_or(&root);
    digits.get(..DIGEST_DIGITS_SHOWN).unwrap_or(digits).to_owned()
}

/// Converts a change into files. A rename yields two.
fn files(change: &TreeChange) -> Vec<FileWritten> {
    let file = |path: String, kind, before, after| {
        let became = Became { kind, by: None, before, after, diff: Vec::new(), left_out: 0 };
        FileWritten { path, became }
    };
    let old = change.old.as_ref().and_then(|side| side.content);
    let new = change.new.as_ref().and_then(|side| side.content);
    let path = change.path.to_string();
    match change.change {
        ChangeKind::Added => vec![file(path, WrittenKind::Added, None, new)],
        ChangeKind::Changed => vec![file(path, WrittenKind::Modified, old, new)],
        ChangeKind::Removed => vec![file(path, WrittenKind::Deleted, old, None)],
        ChangeKind::Renamed => {
            let from = change.renamed_from.as_ref().map(ToString::to_string).unwrap_or_default();
            let gone = file(from, WrittenKind::Deleted, old, None);
            vec![gone, file(path, WrittenKind::Added, None, new)]
        }
    }
}

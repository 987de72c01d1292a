//! Two recorded trees of a project. They lie in one line: the older is where both come from.

use piton_context::history::{RootEntry, RootRef};
use piton_context::tree::{Change, ChangeKind};
use piton_core::{Code, Envelope};

use crate::bounds::CHANGES_SHOWN_MAX;
use crate::frames::{Frames, FramesTold};
use crate::lineage::compared::{Ancestor, Compared, Side};
use crate::lineage::thing::{ThingKind, ThingReference};
use crate::lineage::written::{Became, FileWritten, Written, WrittenKind};

/// What differs between two recorded trees.
pub(super) async fn compare(
    frames: Option<&Frames>,
    left: &ThingReference,
    right: &ThingReference,
) -> Result<Compared, Envelope> {
    let frames = frames.ok_or_else(|| {
        Envelope::new(Code::ContextNotScanned, "There is no project here that was scanned.")
            .with_suggestion(
                "Go to the directory of a project, and scan it with `piton context scan`.",
            )
    })?;
    let tree =
        |thing: &ThingReference| thing.name.parse::<RootRef>().map_err(|error| error.envelope());
    let (left, right) = (tree(left)?, tree(right)?);
    let (of_left, of_right) = (frames.recorded(&left).await?, frames.recorded(&right).await?);
    let is_forward = of_left.sequence <= of_right.sequence;
    let (old, new) = if is_forward { (&left, &right) } else { (&right, &left) };
    let older = if is_forward { &of_left } else { &of_right };
    let differences = frames.diff(old, new).await?;
    let changes = differences.changes;
    let made = frames.made_between(&differences.frames).await?;
    let ancestor = Some(Ancestor { name: named(older), step: None, written: Written::default() });
    let side =
        |entry: &RootEntry, (changes, (frames, frames_left_out)): (&[Change], FramesTold)| Side {
            name: named(entry),
            run_id: None,
            node_id: None,
            steps: Vec::new(),
            commits: Vec::new(),
            commits_left_out: 0,
            written: Written {
                files: changes.iter().take(CHANGES_SHOWN_MAX).flat_map(files).collect(),
                files_left_out: changes.len().saturating_sub(CHANGES_SHOWN_MAX),
                frames,
                frames_left_out,
                ..Written::default()
            },
        };
    let (of_older, of_newer) = ((&[][..], FramesTold::default()), (changes.as_slice(), made));
    let (by_left, by_right) = if is_forward { (of_older, of_newer) } else { (of_newer, of_older) };
    Ok(Compared {
        kind: ThingKind::Tree,
        ancestor,
        left: side(&of_left, by_left),
        right: side(&of_right, by_right),
        outputs: Vec::new(),
        context: Vec::new(),
        notes: vec!["A tree keeps digests of files, not contents.".to_owned()],
    })
}

fn named(entry: &RootEntry) -> String {
    let root = entry.root.to_string();
    let digits = root.strip_prefix("sha256:").unwrap_or(&root);
    digits.get(..12).unwrap_or(digits).to_owned()
}

/// A path that differs; of a rename, both.
fn files(change: &Change) -> Vec<FileWritten> {
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

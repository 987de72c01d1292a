//! Comparison of two overlays: the changes of each to the Workspace below it.

use piton_core::Envelope;

use super::pair::no_workspace;
use crate::provenance::compared::{Ancestor, BranchSide, Comparison, WrittenThings};
use crate::provenance::reference::{ThingKind, ThingReference};
use crate::workspaces::{FileWorld, OverlayBranch};

/// Compares two overlays.
pub(super) async fn compare(
    files: Option<&FileWorld>,
    left: &ThingReference,
    right: &ThingReference,
) -> Result<Comparison, Envelope> {
    let files = files.ok_or_else(no_workspace)?;
    let left = files.branch(&left.name).await?;
    let right = files.branch(&right.name).await?;
    let mut notes = Vec::new();
    let ancestor = if left.over == right.over {
        let name = left.over.clone();
        Some(Ancestor { name, step: None, written: WrittenThings::default() })
    } else {
        notes.push(format!(
            "They lie over different Workspaces: {} is told against {}, {} against {}.",
            left.overlay, left.over, right.overlay, right.over
        ));
        None
    };
    Ok(Comparison {
        kind: ThingKind::Overlay,
        ancestor,
        left: side(left),
        right: side(right),
        outputs: Vec::new(),
        context: Vec::new(),
        notes,
    })
}

fn side(branch: OverlayBranch) -> BranchSide {
    let OverlayBranch { overlay, files, left_out, .. } = branch;
    BranchSide::of(
        overlay,
        WrittenThings { files, files_left_out: left_out, ..WrittenThings::default() },
    )
}

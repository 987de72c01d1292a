//! The keys, files and frames that steps of runs wrote. They are found by the run and node that every write records.

use std::collections::BTreeSet;

use piton_core::{Envelope, NodeId, RunId};

use super::backpacks::key;
use super::pair::Worlds;
use crate::bounds::CHANGES_SHOWN_MAX;
use crate::provenance::written::WrittenThings;

/// Some nodes of a run.
pub(super) struct Nodes {
    pub(super) run: RunId,
    pub(super) nodes: BTreeSet<NodeId>,
}

/// Sets of nodes of one run, each with the writes found there.
type NodeWrites<'a> = Vec<(&'a Nodes, &'a mut WrittenThings)>;

/// Returns the writes at each of several sets of nodes. Adds a note about anything that could not be examined.
pub(super) async fn written<const N: usize>(
    worlds: &Worlds<'_>,
    sets: [&Nodes; N],
    notes: &mut Vec<String>,
) -> Result<[WrittenThings; N], Envelope> {
    let mut written: [WrittenThings; N] = std::array::from_fn(|_| WrittenThings::default());
    // Both sides usually belong to one run. Its writes are searched once and then divided among the sets.
    let runs: BTreeSet<RunId> = sets.iter().map(|set| set.run).collect();
    for run in runs {
        let of_run = sets.iter().copied().zip(&mut written).filter(|(set, _)| set.run == run);
        let mut told: NodeWrites<'_> = of_run.collect();
        keys(worlds, run, &mut told, notes).await?;
        files(worlds, run, &mut told, notes).await?;
        // Damaged context of a project must not prevent the comparison of a run.
        if let Err(trouble) = frames(worlds, run, &mut told, notes).await {
            notes.push(format!("The frames cannot be looked at. {}", trouble.message));
        }
    }
    Ok(written)
}

async fn keys(
    worlds: &Worlds<'_>,
    run: RunId,
    told: &mut NodeWrites<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Envelope> {
    let packed = worlds.backpacks.written_in(run).await?;
    note(notes, packed.unreadable, "backpacks cannot be read.");
    note(notes, packed.not_reached, "backpacks were not read, those that are longest unused.");
    for (set, written) in told {
        // The net change per side: what a key held before its first write there and after its last.
        let keys = packed.net(&|node| set.nodes.contains(node));
        written.keys_left_out = keys.len().saturating_sub(CHANGES_SHOWN_MAX);
        let keys = keys.into_iter().take(CHANGES_SHOWN_MAX);
        written.keys = keys.map(|(backpack, change)| key(backpack.as_str(), change)).collect();
    }
    Ok(())
}

async fn files(
    worlds: &Worlds<'_>,
    run: RunId,
    told: &mut NodeWrites<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Envelope> {
    let Some(files) = worlds.files else { return Ok(()) };
    let (recorded, left_out) = files.written_in(run).await?;
    note(notes, left_out, "later changes of files were not looked at.");
    for (set, written) in told {
        let changed = files.net(&recorded, &|node| set.nodes.contains(node)).await;
        written.files_left_out = changed.len().saturating_sub(CHANGES_SHOWN_MAX);
        written.files = changed.into_iter().take(CHANGES_SHOWN_MAX).collect();
    }
    Ok(())
}

async fn frames(
    worlds: &Worlds<'_>,
    run: RunId,
    told: &mut NodeWrites<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Envelope> {
    let Some(frames) = worlds.frames else { return Ok(()) };
    let made = frames.made_in(run).await?;
    note(notes, made.left_out, "more frames of the run were not looked at.");
    for (set, written) in told {
        let made = frames.made_at(&made, &|node| set.nodes.contains(node)).await?;
        (written.frames, written.frames_left_out) = made;
    }
    Ok(())
}

fn note(notes: &mut Vec<String>, count: usize, words: &str) {
    if count > 0 {
        notes.push(format!("{count} {words}"));
    }
}

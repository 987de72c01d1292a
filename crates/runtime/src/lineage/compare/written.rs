//! The keys and files that steps of runs wrote, found by what every write keeps: the run and the node.

use std::collections::BTreeSet;

use piton_core::{Envelope, NodeId, RunId};

use super::backpacks::key;
use super::pair::Worlds;
use crate::bounds::CHANGES_SHOWN_MAX;
use crate::lineage::compared::Written;

/// Some nodes of a run.
pub(super) struct Nodes {
    pub(super) run: RunId,
    pub(super) nodes: BTreeSet<NodeId>,
}

/// What was written at each of several sets of nodes. What could not be looked at is noted.
pub(super) async fn written<const N: usize>(
    worlds: &Worlds<'_>,
    sets: [&Nodes; N],
    notes: &mut Vec<String>,
) -> Result<[Written; N], Envelope> {
    let mut told: [Written; N] = std::array::from_fn(|_| Written::default());
    let runs: BTreeSet<RunId> = sets.iter().map(|set| set.run).collect();
    for run in runs {
        let packed = worlds.backpacks.written_in(run).await?;
        if packed.not_looked_at > 0 {
            let count = packed.not_looked_at;
            notes.push(format!("{count} backpacks were not looked at: older, or not readable."));
        }
        let recorded = match worlds.files {
            Some(files) => files.written_in(run).await?,
            None => Vec::new(),
        };
        for (set, told) in sets.iter().zip(&mut told).filter(|(set, _)| set.run == run) {
            let is_here = |node: &NodeId| set.nodes.contains(node);
            let keys = packed.net(&is_here);
            told.keys_left_out = keys.len().saturating_sub(CHANGES_SHOWN_MAX);
            let keys = keys.into_iter().take(CHANGES_SHOWN_MAX);
            told.keys = keys.map(|(backpack, change)| key(backpack.as_str(), change)).collect();
            if let Some(files) = worlds.files {
                let changed = files.net(&recorded, &is_here).await;
                told.files_left_out = changed.len().saturating_sub(CHANGES_SHOWN_MAX);
                told.files = changed.into_iter().take(CHANGES_SHOWN_MAX).collect();
            }
        }
    }
    Ok(told)
}

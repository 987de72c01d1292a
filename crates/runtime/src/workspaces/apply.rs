//! Decisions about an overlay: applying its changes, dropping them, or forking them; all of them, or those at some paths.
//!
//! *Invariants*: nothing is applied or dropped that differs from what was reviewed. What changed below since is replaced
//! only if the reviewer saw it and said so.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::{Code, Digest, Envelope, shell_word};
use piton_store::port::BoxFuture;
use piton_workspaces::config::{OpenedOverlay, WorkspaceConfig};
use piton_workspaces::overlay::{Applied, ApplyRequest, LowerEntry, OverlayDifference};
use piton_workspaces::path::{LogicalPath, MountPath};
use piton_workspaces::store::StoreFault;
use piton_workspaces::{Error, Files};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file_world::{FileWorld, actor};
use super::review::{marks, overlay_error, path_in};
use crate::bounds::SEEN_CHANGES_MAX;
use crate::provenance::ForkedOverlay;

/// The result of applying an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppliedOverlay {
    pub overlay: LogicalPath,
    /// The Workspace below.
    pub over: LogicalPath,
    #[serde(flatten)]
    pub applied: Applied,
}

/// The result of dropping an overlay, which then shows the state below again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DroppedOverlay {
    pub overlay: LogicalPath,
    /// The Workspace below.
    pub over: LogicalPath,
    /// Number of changes that were dropped.
    pub changes: usize,
    /// Chosen paths that still differ: they were written after they were seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LogicalPath>,
}

/// A decision to apply changes of an overlay.
#[derive(Clone, Debug, Default)]
pub struct OverlayReview {
    /// The changes as they were reviewed.
    pub reviewed: Vec<OverlayDifference>,
    /// The paths that are applied, each with everything inside. None of them means all.
    pub paths: Vec<String>,
    /// Replaces what changed below since, as it was when it was reviewed.
    pub replaces_changed: bool,
    /// Leaves what changed below since in the overlay, and applies the rest.
    pub leaves_conflicts: bool,
}

/// A change of an overlay as somebody saw it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeenChange {
    /// The path, as the list of changes has it.
    pub path: MountPath,
    /// The mark of what was seen.
    pub seen: Digest,
    /// Replaces what is below, although it changed since the overlay changed it.
    #[serde(default)]
    pub replaces_below: bool,
}

/// Applies changes of an overlay that somebody saw.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplySeen {
    /// The prefix of the overlay.
    pub overlay: String,
    pub changes: Vec<SeenChange>,
    /// Leaves what changed below since in the overlay, and applies the rest. Otherwise nothing is applied then.
    #[serde(default)]
    pub leaves_conflicts: bool,
}

/// Drops changes of an overlay that somebody saw.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DropSeen {
    /// The prefix of the overlay.
    pub overlay: String,
    pub changes: Vec<SeenChange>,
}

/// Suggestion for a fork without a usable name.
const ANOTHER: &str = "Name another overlay: --into /NAME.";

impl FileWorld {
    /// Applies the changes that `person` reviewed to the Workspace below. If something below changed since it was
    /// copied up, nothing is applied, unless the person wants it replaced, or wants such changes to stay in the
    /// overlay. Anything written after the review stays there as well.
    pub fn apply<'a>(
        &'a self,
        prefix: &'a str,
        person: &'a str,
        review: &'a OverlayReview,
    ) -> BoxFuture<'a, Result<AppliedOverlay, Envelope>> {
        Box::pin(async move {
            let overlay = self.overlay(prefix)?;
            // The operator sees the lower Store read-write, whatever scope agents have there. Protected names stay
            // protected.
            let operator = overlay.store.operator(&overlay.over)?;
            let files = Files::new(Arc::new(operator));
            let files = files.recorded(self.ledgers.clone(), actor(person, None));
            let request = ApplyRequest {
                over: overlay.over.clone(),
                overlay: Some(overlay.prefix.clone()),
                paths: paths_in(overlay, &review.paths)?,
                confirmed: if review.replaces_changed {
                    confirmed(&review.reviewed)
                } else {
                    Vec::new()
                },
                reviewed: Some(review.reviewed.clone()),
                leaves_conflicts: review.leaves_conflicts,
            };
            // An error here means that nothing was applied. A failure after the first change is part of the answer, in
            // `stopped`.
            let applied = overlay.store.apply(&files, &request).await;
            // If this fails, the next process to open the records settles them. The caller must still learn what was
            // applied.
            let flushed = self.ledgers.flush().await;
            let mut applied = applied.map_err(|error| match &error {
            Error::OverlayConflict { paths, changes } => {
                let overlay = shell_word(overlay.prefix.as_str());
                // If every change conflicts, `--leave-conflicts` would apply nothing, so it is not suggested.
                let next = if paths.len() == *changes {
                    format!("Bring them in by hand, then drop the overlay with `piton workspace drop {overlay}`.")
                } else {
                    format!("Apply the rest, and leave these in the overlay, with `piton workspace apply {overlay} --leave-conflicts`; then bring these in by hand.")
                };
                let compare = format!("Compare both sides with `piton workspace diff {overlay}`.");
                error.envelope().with_suggestion(format!("{compare} {next}"))
            }
            _ => error.into(),
        })?;
            applied.stopped = applied.stopped.or(flushed.err());
            let (overlay, over) = (overlay.prefix.clone(), overlay.over.clone());
            Ok(AppliedOverlay { overlay, over, applied })
        })
    }

    /// Applies the changes of an overlay that somebody saw, as they were seen. Others stay in the overlay.
    pub async fn apply_seen(
        &self,
        request: &ApplySeen,
        person: &str,
    ) -> Result<AppliedOverlay, Envelope> {
        let overlay = self.overlay(&request.overlay)?;
        let mut reviewed = self.seen_differences(overlay, &request.changes).await?;
        // Only what was agreed to is replaced below. The rest of what changed there is refused, or left.
        let replaced: Vec<&MountPath> = request
            .changes
            .iter()
            .filter_map(|change| change.replaces_below.then_some(&change.path))
            .collect();
        for one in reviewed.iter_mut().filter(|one| !replaced.contains(&&one.path)) {
            one.below = None;
        }
        let paths = request.changes.iter().map(|change| change.path.to_string()).collect();
        let leaves_conflicts = request.leaves_conflicts;
        let review = OverlayReview { reviewed, paths, replaces_changed: true, leaves_conflicts };
        self.apply(&request.overlay, person, &review).await
    }

    /// Discards the changes of an overlay that somebody saw, as they were seen. Others stay.
    pub async fn drop_seen(&self, request: &DropSeen) -> Result<DroppedOverlay, Envelope> {
        let overlay = self.overlay(&request.overlay)?;
        let reviewed = self.seen_differences(overlay, &request.changes).await?;
        let paths: Vec<MountPath> =
            request.changes.iter().map(|change| change.path.clone()).collect();
        drop_part(overlay, &paths, Some(&reviewed)).await
    }

    /// Discards the changes of an overlay at these paths, or all of them.
    pub async fn drop_overlay(
        &self,
        prefix: &str,
        paths: &[String],
        reviewed: Option<&[OverlayDifference]>,
    ) -> Result<DroppedOverlay, Envelope> {
        let overlay = self.overlay(prefix)?;
        if !paths.is_empty() {
            return drop_part(overlay, &paths_in(overlay, paths)?, reviewed).await;
        }
        let changes = overlay.store.diff().await.map_err(overlay_error(overlay))?.len();
        overlay.store.drop_all().await.map_err(overlay_error(overlay))?;
        let (overlay, over) = (overlay.prefix.clone(), overlay.over.clone());
        Ok(DroppedOverlay { overlay, over, changes, left: Vec::new() })
    }

    /// Returns the differences that are still as somebody saw them.
    async fn seen_differences(
        &self,
        overlay: &OpenedOverlay,
        changes: &[SeenChange],
    ) -> Result<Vec<OverlayDifference>, Envelope> {
        if changes.is_empty() {
            return Err(Envelope::new(Code::WorkspaceBadArgument, "No change was chosen.")
                .with_suggestion("Choose the changes, and repeat the request."));
        }
        if changes.len() > SEEN_CHANGES_MAX {
            let message = format!("More than {SEEN_CHANGES_MAX} changes were chosen at once.");
            return Err(Envelope::new(Code::WorkspaceBadArgument, message)
                .with_suggestion("Choose fewer, and the rest afterwards."));
        }
        let mut differences = self.differences(overlay, &[]).await?;
        let now = marks(&differences);
        let seen: BTreeMap<&MountPath, Digest> =
            changes.iter().map(|change| (&change.path, change.seen)).collect();
        differences.retain(|one| seen.get(&one.path) == now.get(&one.path));
        Ok(differences)
    }

    /// Makes the overlay at `into` show what the one at `prefix` shows. It must be empty and lie over the same
    /// Workspace.
    pub async fn fork_overlay(
        &self,
        prefix: &str,
        into: Option<&str>,
    ) -> Result<ForkedOverlay, Envelope> {
        let refused = |message: String, suggestion: &str| {
            Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(suggestion)
        };
        let from = self.overlay(prefix)?;
        let into = into.ok_or_else(|| {
            let message = format!("It is not said what the fork of {} is called.", from.prefix);
            refused(message, ANOTHER)
        })?;
        let to = self.overlay(into)?;
        if to.prefix == from.prefix {
            let message = format!("{} cannot be forked into itself.", from.prefix);
            return Err(refused(message, ANOTHER));
        }
        if to.over != from.over {
            let message = format!(
                "{} lies over {} and {} over {}: the changes of one mean nothing in the other.",
                from.prefix, from.over, to.prefix, to.over
            );
            return Err(refused(message, "Fork it into an overlay over the same Workspace."));
        }
        // The fork must outlive this process, so neither side may be in memory.
        let is_kept = |overlay: &OpenedOverlay| {
            let own =
                |config: &WorkspaceConfig| config.prefix.parse().as_ref() == Ok(&overlay.prefix);
            self.declared.iter().any(|(config, _)| own(config) && config.memory.is_none())
        };
        if !is_kept(from) || !is_kept(to) {
            let message = "An overlay in memory ends with its process.".to_owned();
            return Err(refused(message, "Fork one that is kept into one that is: `virtual`."));
        }
        // The Store checks that the target is empty, and refuses it otherwise.
        let copied = from.store.fork_into(&to.store).await;
        copied.map_err(|fault| match fault {
            StoreFault::NotEmpty => refused(
                format!("{} has changes of its own; nothing was copied.", to.prefix),
                &format!(
                    "Drop them with `piton workspace drop {}`, or name another overlay.",
                    shell_word(to.prefix.as_str())
                ),
            ),
            other => overlay_error(to)(other).into(),
        })?;
        Ok(ForkedOverlay {
            overlay: to.prefix.to_string(),
            of: from.prefix.to_string(),
            over: from.over.to_string(),
            changes: to.store.diff().await.map_err(overlay_error(to))?.len(),
        })
    }
}

/// Discards part of the changes of an overlay.
async fn drop_part(
    overlay: &OpenedOverlay,
    paths: &[MountPath],
    reviewed: Option<&[OverlayDifference]>,
) -> Result<DroppedOverlay, Envelope> {
    let dropped =
        overlay.store.drop_paths(paths, reviewed).await.map_err(overlay_error(overlay))?;
    Ok(DroppedOverlay {
        overlay: overlay.prefix.clone(),
        over: overlay.over.clone(),
        changes: dropped.changes,
        left: dropped.left.iter().map(|path| overlay.prefix.join(path)).collect(),
    })
}

fn paths_in(overlay: &OpenedOverlay, paths: &[String]) -> Result<Vec<MountPath>, Envelope> {
    paths.iter().map(|path| path_in(overlay, path)).collect()
}

/// Returns what is below as a reviewer saw it, where it changed.
fn confirmed(reviewed: &[OverlayDifference]) -> Vec<(MountPath, LowerEntry)> {
    reviewed.iter().filter_map(|one| Some((one.path.clone(), one.below?))).collect()
}

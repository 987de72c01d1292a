//! What an overlay changed; applying it to what lies below, or dropping it.

use std::sync::Arc;

use piton_core::{Code, Envelope};
use piton_workspaces::config::OpenedOverlay;
use piton_workspaces::overlay::{Difference, DifferenceKind};
use piton_workspaces::store::Fault;
use piton_workspaces::{Error, Files};

use super::history::shown;
use super::lines::compare;
use super::reply::{AppliedOverlay, ChangeShown, DroppedOverlay, OverlayDiff};
use super::resolving::parsed;
use super::world::{FileWorld, actor};

impl FileWorld {
    /// What an overlay changed, line by line, with who changed it last.
    pub async fn diff(&self, prefix: &str) -> Result<OverlayDiff, Envelope> {
        let overlay = self.overlay(prefix)?;
        let differences = overlay.store.diff().await.map_err(told(overlay))?;
        let mut changes = Vec::with_capacity(differences.len());
        for one in &differences {
            changes.push(self.change_shown(overlay, one).await?);
        }
        Ok(OverlayDiff {
            overlay: overlay.prefix.to_string(),
            over: overlay.over.to_string(),
            changes,
        })
    }

    /// Makes what lies below as the overlay shows it, as `person`, and empties the overlay. If something below
    /// changed since it was copied up, nothing is applied.
    pub async fn apply(&self, prefix: &str, person: &str) -> Result<AppliedOverlay, Envelope> {
        let overlay = self.overlay(prefix)?;
        let operator = overlay.store.operator(&overlay.over).map_err(|error| error.envelope())?;
        let files = Files::new(Arc::new(operator));
        let files = files.recorded(self.ledgers.clone(), actor(person, None));
        let applied = overlay.store.apply(&files, &overlay.over).await;
        self.flush().await?;
        let applied = applied.map_err(|error| match error {
            conflict @ Error::OverlayConflict { .. } => conflict.envelope().with_suggestion(format!(
                "Look at them with `piton workspace diff {0}`; then drop the overlay with `piton workspace drop {0}`, or bring the changes in by hand.",
                overlay.prefix
            )),
            other => other.envelope(),
        })?;
        Ok(AppliedOverlay {
            overlay: overlay.prefix.to_string(),
            over: overlay.over.to_string(),
            paths: applied.paths.iter().map(ToString::to_string).collect(),
        })
    }

    /// Forgets what an overlay changed.
    pub async fn drop_overlay(&self, prefix: &str) -> Result<DroppedOverlay, Envelope> {
        let overlay = self.overlay(prefix)?;
        let changes = overlay.store.diff().await.map_err(told(overlay))?.len();
        overlay.store.drop_all().await.map_err(told(overlay))?;
        Ok(DroppedOverlay {
            overlay: overlay.prefix.to_string(),
            over: overlay.over.to_string(),
            changes,
        })
    }

    /// The overlay at a prefix; the only one if none is named.
    fn overlay(&self, prefix: &str) -> Result<&OpenedOverlay, Envelope> {
        if prefix.is_empty()
            && let [only] = self.overlays.as_slice()
        {
            return Ok(only);
        }
        let names: Vec<String> = self.overlays.iter().map(|one| one.prefix.to_string()).collect();
        let suggestion = match names.as_slice() {
            [] => "There is none: a Workspace with `over` is one.".to_owned(),
            names => format!("Name one of {}.", names.join(", ")),
        };
        if prefix.is_empty() {
            let message = "It is not said which overlay is meant.";
            return Err(
                Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(suggestion)
            );
        }
        let path = parsed(prefix)?;
        self.overlays.iter().find(|one| one.prefix == path).ok_or_else(|| {
            let message = format!("{path} is no overlay.");
            Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(suggestion)
        })
    }

    async fn change_shown(
        &self,
        overlay: &OpenedOverlay,
        one: &Difference,
    ) -> Result<ChangeShown, Envelope> {
        let path = overlay.prefix.join(&one.path);
        let blame = self.ledgers.blame(&self.workspaces, &path).await;
        let by = blame.ok().and_then(|blame| blame.records.into_iter().next_back()).map(shown);
        let mut change = ChangeShown {
            path: one.path.to_string(),
            kind: one.kind,
            added: 0,
            removed: 0,
            by,
            diff: None,
        };
        if one.kind == DifferenceKind::Directory {
            return Ok(change);
        }
        let (below, above) = overlay.store.contents(one).await.map_err(told(overlay))?;
        if below.is_some() || above.is_some() {
            let compared = compare(&change.path, below.as_deref(), above.as_deref());
            (change.added, change.removed) = (compared.added, compared.removed);
            change.diff = Some(compared.diff);
        }
        Ok(change)
    }
}

fn told(overlay: &OpenedOverlay) -> impl Fn(Fault) -> Envelope {
    let path = overlay.prefix.clone();
    move |fault| Error::File { path: path.clone(), fault }.envelope()
}

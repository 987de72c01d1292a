//! Dispatch of a fork by the kind of thing.

use piton_core::{Code, Envelope};

use super::backpack;
use crate::provenance::compare::{Worlds, no_workspace};
use crate::provenance::forked::ForkedThing;
use crate::provenance::thing::{ThingKind, ThingReference};
use crate::workflow::Runtime;

impl Runtime {
    /// Forks a thing. `into` names the result where one is created.
    pub async fn fork(
        &self,
        thing: &ThingReference,
        into: Option<&str>,
        worlds: &Worlds<'_>,
    ) -> Result<ForkedThing, Envelope> {
        let kind = self.kind_of(thing, worlds).await?;
        match kind {
            ThingKind::Run if into.is_some() => Err(Envelope::new(
                Code::ValidationError,
                "A branch of a run has no name: what is handed in at its node makes it.",
            )
            .with_suggestion("Leave --into out.")),
            ThingKind::Run => self.fork_run(&thing.node()).await.map(ForkedThing::Run),
            ThingKind::Backpack => backpack::fork(worlds.backpacks, thing, into).await,
            ThingKind::Overlay => {
                let files = worlds.files.ok_or_else(no_workspace)?;
                files.fork_overlay(&thing.name, into).await.map(ForkedThing::Overlay)
            }
            ThingKind::Tree => Err(Envelope::new(
                Code::ValidationError,
                "A recorded tree is what the project directory was: there is nothing to go on with.",
            )
            .with_suggestion("Fork a run, a backpack or an overlay.")),
        }
    }
}

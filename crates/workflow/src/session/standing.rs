//! What a call of another tool stands on: the pending step that its token names.
//!
//! *Invariants*: nothing is remembered between calls. The log is looked at each time, so that an advance by another
//! process counts at once.

use piton_core::Provenance;

use super::error::{Error, Refusal};
use super::find::node_of;
use super::place::Place;
use super::reader::Reader;
use crate::label::{Label, label};

/// The pending step that a token names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The step.
    pub provenance: Provenance,
    /// The run as people call it.
    pub label: Label,
    /// Whether the run is at that step: its node is the preferred tip. It is not after an advance, whoever made it.
    pub is_at_tip: bool,
}

impl Reader {
    /// The pending step that a token of any kind names. Nothing is written.
    pub async fn standing(&self, token: &str) -> Result<Standing, Error> {
        let address = self.payload(token).await?.address();
        let warm = self.current(address.session).await.map_err(Error::of_token)?;
        let (place, is_at_tip) = {
            let warm = warm.lock();
            let (run, node) = node_of(&warm.state, address)?;
            let is_at_tip = run.graph.preferred_tip().is_some_and(|tip| tip.id == node.id);
            (Place::now(&warm.state, address)?, is_at_tip)
        };
        let scene = self.scene(place).await?;
        let pending = scene.pending().ok_or(Refusal::NoPendingStep)?;
        let provenance = Provenance {
            session: address.session,
            run: address.run,
            node: address.node,
            step: pending.step_id.as_str().to_owned(),
        };
        Ok(Standing { provenance, label: label(address.run), is_at_tip })
    }
}

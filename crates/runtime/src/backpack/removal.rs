//! Removing a backpack.

use piton_backpack::BackpackId;
use piton_core::Envelope;
use piton_store::Error;
use piton_store::port::Patience;

use crate::bounds::STATE_TURN_MOMENT;
#[cfg(feature = "flow")]
use crate::search::forget_backpack;
use crate::workflow::Runtime;

impl Runtime {
    /// Removes a backpack with its whole history, once nobody writes to it. One that is not there is no error. Content
    /// that only it referred to is removed by the next cleaning.
    pub async fn remove_backpack(&self, id: &BackpackId) -> Result<(), Envelope> {
        let Some(ports) = &self.backpacks else { return Ok(()) };
        // A stream that does not exist would be leased as a new, empty one, so it must be found first.
        match ports.journal.age(id.stream()).await {
            Err(Error::NotFound { .. }) => return Ok(()),
            found => found?,
        };
        #[cfg(feature = "flow")]
        forget_backpack(&*self.ports.index, id).await?;
        let lease =
            ports.journal.lease_with(id.stream(), Patience::Wait(STATE_TURN_MOMENT)).await?;
        ports.journal.delete(lease).await?;
        // Somebody may have indexed it once more before it was gone. Whoever indexes it later notices that it is gone.
        #[cfg(feature = "flow")]
        let _ = forget_backpack(&*self.ports.index, id).await;
        Ok(())
    }
}

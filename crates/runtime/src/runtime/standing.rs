//! What a call of a tool stands on that may belong to a step of a run.

use piton_core::Envelope;

use super::state::Runtime;
use crate::connection::Standing;

impl Runtime {
    /// What a call stands on: `run` is the token of the pending step that it belongs to, if it names one.
    pub async fn standing(&self, run: Option<&str>) -> Result<Standing, Envelope> {
        let Some(token) = run else { return Ok(Standing::default()) };
        let standing = self.sessions.reader().standing(token).await;
        let standing = standing.map_err(|error| error.envelope())?;
        Ok(Standing { provenance: Some(standing.provenance) })
    }
}

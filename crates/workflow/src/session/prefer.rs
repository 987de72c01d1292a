//! Changes the preferences of a run from its preferred tip on.

use piton_core::ChangeId;

use super::error::{Error, Refusal};
use super::reader::preferred_tip;
use super::reply_basis::PREFERENCES_DEFAULT;
use super::request::Prefer;
use super::sessions::Sessions;
use crate::event::{EventBody, NodeScope, Preferences, PreferencesChanged};

impl Sessions {
    /// Changes preferences and returns those in force. A change without effect is not recorded.
    pub async fn prefer(&self, request: Prefer) -> Result<Preferences, Error> {
        let Prefer { session, run, source, changes } = request;
        let (lease, cached) = self.locked(session).await?;
        let (draft, effective) = {
            let mut cached = cached.lock();
            let (state, tip) = preferred_tip(&cached.state, run)?;
            let before = state.preferences.effective(tip).unwrap_or(PREFERENCES_DEFAULT);
            if before.after(&changes) == before && !changes.is_empty() {
                return Ok(before);
            }
            // An empty change gets past the check above, so that it is refused here rather than ignored.
            let change = ChangeId::mint(&*self.entropy);
            let changed = PreferencesChanged::new(change, source, before, changes)
                .map_err(|error| Refusal::Preferences { reason: error.to_string() })?;
            let effective = changed.effective();
            let mut draft = self.draft(session, &cached);
            let at = NodeScope { run, node: tip };
            draft.push(EventBody::PreferencesChanged(at, changed));
            self.check(&draft, &mut cached)?;
            (draft, effective)
        };
        self.append(&lease, Some(&cached), draft).await?;
        Ok(effective)
    }
}

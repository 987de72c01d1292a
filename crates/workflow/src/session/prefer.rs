//! Changes the preferences of a run from its preferred tip on.

use piton_core::ChangeId;

use super::error::{Error, Refusal};
use super::plan_draft::PlanDraft;
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
            let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
            let tip = state.graph.preferred_tip().ok_or(Refusal::UnknownRun)?.id;
            let before = state.preferences.effective(tip).unwrap_or(PREFERENCES_DEFAULT);
            if before.after(&changes) == before && !changes.is_empty() {
                return Ok(before);
            }
            // An empty change gets past the check above, so that it is refused here rather than ignored.
            let change = ChangeId::mint(&*self.entropy);
            let changed = PreferencesChanged::new(change, source, before, changes)
                .map_err(|error| Refusal::Preferences { reason: error.to_string() })?;
            let effective = changed.effective();
            let next = cached.state.next();
            let mut draft = PlanDraft::new(session, next, &*self.clock, &*self.entropy);
            let at = NodeScope { run, node: tip };
            draft.push(EventBody::PreferencesChanged(at, changed));
            draft
                .check(&mut cached.rules)
                .inspect_err(|_| self.reader().cache().forget(session))?;
            (draft, effective)
        };
        self.append(session, &lease, Some(&cached), draft).await?;
        Ok(effective)
    }
}

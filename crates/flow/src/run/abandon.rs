//! Taking back what a node that did not finish has changed.
//!
//! History never changes, so the backpack adds commits that put keys back. The commits in between stay, marked as
//! abandoned, and the record of the run says which they are.

use piton_backpack::Filter;

use super::record::{Abandoned, RunRecord, runner};
use crate::error::Error;
use crate::state::State;

/// Brings the state back to where the last record left it; says which commits were abandoned, if there are any.
pub(super) async fn abandon(state: &State) -> Result<Option<Abandoned>, Error> {
    let Some(noted) = RunRecord::commit(state).await? else { return Ok(None) };
    let after = state.history(&Filter { from: Some(noted), ..Filter::default() }).await?;
    let (Some(first), Some(last)) = (after.get(1), after.last()) else { return Ok(None) };
    let abandoned = Abandoned { first: first.id(), last: last.id() };
    state.abandon_since(noted, runner()).await?;
    Ok(Some(abandoned))
}

//! Reads a session for people: whole if it is sound, else as far as it is valid.
//!
//! *Invariants*: nothing is written. The folded state is shared with everything else that this process reads, so that
//! looking at a large run again costs one metadata lookup.
//!
//! *Limitations*: what was read before is not checked again; `verify` does that.

use piton_core::{RunId, SessionId};
use piton_store::StreamId;
use piton_store::port::Cursor;

use super::error::{Error, Refusal};
use super::loader::{SessionLoader, SharedSession};
use super::reader::Reader;
use crate::bounds::SHAPE_ROUNDS_MAX;
use crate::event::{LogRules, SessionEvent};
use crate::projection::{NodeSteps, RunShape, RunSummary, SessionState};

/// A session that was read to be shown.
#[derive(Debug)]
pub struct InspectedSession(Inspected);

#[derive(Debug)]
enum Inspected {
    Current(SharedSession),
    Salvaged { state: Box<SessionState>, damage: Error },
}

impl InspectedSession {
    /// Calls `look` with the state. A lock is held meanwhile, so `look` must be short.
    pub fn read<T>(&self, look: impl FnOnce(&SessionState) -> T) -> T {
        match &self.0 {
            Inspected::Current(shared) => look(&shared.lock().state),
            Inspected::Salvaged { state, .. } => look(state),
        }
    }

    /// Returns the end of the events that the state was folded from; `None` if the session is damaged.
    pub fn cursor(&self) -> Option<Cursor> {
        match &self.0 {
            Inspected::Current(shared) => Some(shared.lock().cursor),
            Inspected::Salvaged { .. } => None,
        }
    }

    /// Returns the reason why the state is only the valid beginning of the session.
    pub const fn damage(&self) -> Option<&Error> {
        match &self.0 {
            Inspected::Current(_) => None,
            Inspected::Salvaged { damage, .. } => Some(damage),
        }
    }
}

impl Reader {
    /// Returns the part that loads and keeps content.
    pub fn loader(&self) -> &SessionLoader {
        &self.loader
    }

    /// Returns the end of the events of a session that this process keeps folded, as far as it has read them.
    pub fn cursor_of(&self, session: SessionId) -> Option<Cursor> {
        self.loader.cursor_of(session)
    }

    /// Reads a session to show it. Of a damaged one, the valid beginning is read.
    pub async fn inspect(&self, session: SessionId) -> Result<InspectedSession, Error> {
        let damage = match self.current(session).await {
            Ok(shared) => return Ok(InspectedSession(Inspected::Current(shared))),
            Err(error) => error,
        };
        // Other failures, such as a medium that does not answer, say nothing about the session.
        if damage.health().is_none() && !matches!(damage, Error::Log(_)) {
            return Err(damage);
        }
        let salvaged = self.journal().load_validated_prefix(&StreamId::from(session)).await?;
        let state = Box::new(folded_while_valid(&salvaged.events));
        if state.runs().is_empty() {
            return Err(damage);
        }
        Ok(InspectedSession(Inspected::Salvaged { state, damage }))
    }

    /// Summarizes a run at its preferred tip. Returns `None` for a run without a node.
    pub async fn summary_of(
        &self,
        inspected: &InspectedSession,
        run: RunId,
    ) -> Result<Option<RunSummary>, Error> {
        let mut summary = None;
        for _ in 0..SHAPE_ROUNDS_MAX {
            let tip_of = |state: &SessionState| {
                let run = state.run(run)?;
                Some((run.graph.preferred_tip()?.snapshot, run.started.workflow_hash))
            };
            let Some((snapshot, hash)) = inspected.read(tip_of) else { return Ok(None) };
            let tip = self.loader.tip(snapshot).await?;
            let pinned = self.loader.workflow(hash).await?;
            let (made, tip_now) = inspected
                .read(|state| {
                    let made = RunSummary::of(state, state.run(run)?, &tip, &pinned.workflow);
                    Some((made, tip_of(state)))
                })
                .unzip();
            summary = made.flatten();
            // As below: the run may have moved while its tip was read.
            if tip_now.flatten() == Some((snapshot, hash)) {
                break;
            }
        }
        Ok(summary)
    }

    /// Returns the shape of a run. Snapshots are read only for nodes that events do not place.
    pub async fn run_shape(
        &self,
        inspected: &InspectedSession,
        run: RunId,
    ) -> Result<RunShape, Error> {
        let hash = inspected.read(|state| Some(state.run(run)?.started.workflow_hash));
        let pinned = self.loader.workflow(hash.ok_or(Refusal::UnknownRun)?).await?;
        let workflow = &pinned.workflow;
        let mut shape = RunShape::default();
        for _ in 0..SHAPE_ROUNDS_MAX {
            let read = |state: &SessionState| {
                let run = state.run(run)?;
                Some((NodeSteps::of(run, workflow), run.graph.node_count()))
            };
            let (mut steps, nodes) = inspected.read(read).ok_or(Refusal::UnknownRun)?;
            let mut unplaced = 0;
            for (node, snapshot) in steps.unread().to_vec() {
                match self.loader.tip(snapshot).await {
                    Ok(tip) => steps.add(node, &tip),
                    // A lost snapshot must not hide the other nodes.
                    Err(_) => unplaced += 1,
                }
            }
            let draw = |state: &SessionState| {
                let run = state.run(run)?;
                Some((RunShape::of(state, run, &steps, workflow), run.graph.node_count()))
            };
            let (drawn, nodes_now) = inspected.read(draw).ok_or(Refusal::UnknownRun)?;
            shape = RunShape { unplaced, ..drawn };
            // The lock was released in between, and an agent of this process may have gone on. Its new nodes have no
            // steps yet, so they are read again, unless it is that fast each time.
            if nodes_now == nodes {
                break;
            }
        }
        Ok(shape)
    }
}

/// Folds events up to the first one that contradicts those before it.
fn folded_while_valid(events: &[SessionEvent]) -> SessionState {
    let (mut rules, mut state) = (LogRules::new(), SessionState::default());
    for event in events {
        if rules.apply(event).is_err() {
            break;
        }
        state.apply(event);
    }
    state
}

//! A run for a page: all of its nodes, as far as its session is valid.

use piton_core::{Code, Envelope, SessionId};
use piton_workflow::maintenance::{RetentionMark, control};
use piton_workflow::session::{self, InspectedSession};

use super::artifacts::content_lost;
use super::runtime::Runtime;
use crate::reply::ShapedRun;
use crate::request::RunAddress;

impl Runtime {
    /// Returns a run with all of its nodes. Of a damaged session, the valid beginning is shown.
    pub async fn run_shape(&self, at: RunAddress) -> Result<ShapedRun, Envelope> {
        let RunAddress { session, run } = at;
        let reader = self.sessions.reader();
        let inspected = self.inspect(session).await?;
        let shape = reader.run_shape(&inspected, run).await;
        let shape = shape.map_err(|error| lost(session, &error))?;
        // The graph is worth showing even if the content at its tip is lost; such nodes count as unplaced.
        let summary = reader.summary_of(&inspected, run).await.unwrap_or_default();
        let kept = control(&*self.ports.table, session).await? == RetentionMark::Keep;
        let (cursor, damage) = (inspected.cursor(), damage(session, &inspected));
        Ok(ShapedRun { session_id: session, run_id: run, summary, kept, shape, cursor, damage })
    }

    /// Reads a session to show it.
    pub(super) async fn inspect(&self, session: SessionId) -> Result<InspectedSession, Envelope> {
        let inspected = self.sessions.reader().inspect(session).await;
        inspected.map_err(|error| match error {
            // A session that is not there is not damaged, and the store knows what helps with one that is.
            session::Error::Store(error) => error.envelope(),
            error => lost(session, &error),
        })
    }
}

/// Returns the damage of a session, with what to do.
pub(super) fn damage(session: SessionId, inspected: &InspectedSession) -> Option<Envelope> {
    inspected.damage().map(|error| lost(session, error))
}

pub(super) fn lost(session: SessionId, error: &session::Error) -> Envelope {
    content_lost(session, error.envelope())
}

pub(super) fn no_run(RunAddress { session, run }: RunAddress) -> Envelope {
    let message = format!("There is no run {run} in the session {session}.");
    Envelope::new(Code::SessionNotFound, message)
        .with_suggestion("`piton session list` lists the runs.")
}

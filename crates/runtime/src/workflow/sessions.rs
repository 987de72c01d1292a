//! Lists, shows, draws, keeps and deletes sessions.

use std::cmp::Reverse;

use piton_core::{Code, Envelope, SessionId};
use piton_store::StreamId;
use piton_store::port::{Cursor, Follow};
use piton_workflow::maintenance::{RetentionMark, control, set_control};
use piton_workflow::run_index::remove_from_index;

use super::loaded_session::LoadedSession;
use super::reference::{Meant, Reach};
use super::run_tree::{draw, show};
use super::runs::unreadable;
use super::runtime::Runtime;
use crate::provenance::{NodeReference, Placed};
use crate::reply::{
    Deleted, KeptSession, RunTree, SessionList, SessionShown, SetAsideShown, ShapedRun,
    TroubledSession,
};
use crate::request::SessionReference;

impl Runtime {
    /// Lists every run of every session, newest event first.
    pub async fn list_sessions(&self) -> Result<SessionList, Envelope> {
        let listing = self.recall.list().await?;
        let mut runs: Vec<_> = listing.runs.iter().map(|run| (**run).clone()).collect();
        runs.sort_by_key(|run| (Reverse(run.active_at), run.session_id, run.run_id));
        let troubled = listing.troubled.iter().map(|one| TroubledSession {
            session_id: one.stream.to_string(),
            labels: one.labels().collect(),
            trouble: unreadable(one),
        });
        Ok(SessionList { runs, troubled: troubled.collect() })
    }

    /// Returns a session with its runs and their steps, or with the one run that is named.
    pub async fn show_session(
        &self,
        reference: &SessionReference,
    ) -> Result<SessionShown, Envelope> {
        let Meant { session, run } = self.meant(reference, Reach::Use).await?;
        let reading = LoadedSession::of(&self.ports, session).await?;
        let states = reading.state.runs().iter();
        let mut runs = Vec::new();
        for state in states.filter(|state| run.is_none_or(|run| state.id == run)) {
            runs.extend(show(&reading, state, None).await?);
        }
        let kept = self.is_kept(session).await?;
        Ok(SessionShown { session_id: session, kept, runs })
    }

    /// Returns a run with the steps on the way to one of its nodes.
    pub async fn show_node(&self, reference: &NodeReference) -> Result<SessionShown, Envelope> {
        if reference.node.is_none() {
            return self.show_session(&reference.run).await;
        }
        let Placed { session, reading, run, node } = self.placed(reference).await?;
        let runs = show(&reading, &run, Some(node)).await?.into_iter().collect();
        let kept = self.is_kept(session).await?;
        Ok(SessionShown { session_id: session, kept, runs })
    }

    /// Returns a text that stays the same for as long as nothing about a session changes. A damaged one has none.
    pub async fn session_version(&self, session: SessionId) -> Result<Option<String>, Envelope> {
        // The control records alone tell where the stream ends; of a session that was read before, those behind it.
        let (stream, known) = (StreamId::from(session), self.sessions.reader().cursor_of(session));
        let cursor = match self.ports.journal.pins(&stream, known.as_ref()).await {
            Ok(pins) => pins.cursor,
            Err(piton_store::Error::NotHealthy { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(Some(version(&cursor, self.is_kept(session).await?)))
    }

    /// True if nothing about a session changed since [`session_version`](Self::session_version). Costs one metadata
    /// lookup, and one in the table.
    pub async fn is_session_at(&self, session: SessionId, version: &str) -> Result<bool, Envelope> {
        let Some(cursor) = version.strip_suffix(mark(self.is_kept(session).await?)) else {
            return Ok(false);
        };
        // A text that is no cursor was made by another version, or by nobody.
        let Ok(cursor) = cursor.parse() else { return Ok(false) };
        // What is wrong with a session is for the reply to say.
        let followed = self.ports.journal.follow(&StreamId::from(session), &cursor).await;
        Ok(matches!(followed, Ok(Follow::Unchanged)))
    }

    async fn is_kept(&self, session: SessionId) -> Result<bool, Envelope> {
        Ok(control(&*self.ports.table, session).await? == RetentionMark::Keep)
    }

    /// Returns the graph of a run: the one that is named, or the newest of a session.
    pub async fn run_tree(&self, reference: &SessionReference) -> Result<RunTree, Envelope> {
        let Meant { session, run } = self.meant(reference, Reach::Use).await?;
        let reading = LoadedSession::of(&self.ports, session).await?;
        let mut states = reading.state.runs().iter().rev();
        let state = states.find(|state| run.is_none_or(|run| state.id == run));
        let state = state.ok_or_else(|| no_run(session))?;
        let summary = reading.summary(state).await?.ok_or_else(|| no_run(session))?;
        let steps = reading.steps(state, state.graph.nodes()).await?;
        Ok(RunTree { summary, nodes: draw(state, &steps) })
    }

    /// Sets whether a session survives its retention time.
    pub async fn keep_session(
        &self,
        reference: &SessionReference,
        keep: bool,
    ) -> Result<KeptSession, Envelope> {
        let Meant { session, .. } = self.meant(reference, Reach::Use).await?;
        let stream = StreamId::from(session);
        // Fails for a session that does not exist, so that no mark is left behind for it.
        self.ports.journal.age(&stream).await?;
        let control = if keep { RetentionMark::Keep } else { RetentionMark::Expire };
        set_control(&*self.ports.table, session, control).await?;
        Ok(KeptSession { session_id: session, kept: keep })
    }

    /// Deletes a session. Content that only it referred to is removed by the next cleaning.
    pub async fn delete_session(&self, reference: &SessionReference) -> Result<Deleted, Envelope> {
        let Meant { session, .. } = self.meant(reference, Reach::TakeAway).await?;
        let stream = StreamId::from(session);
        let journal = &self.ports.journal;
        // A session that does not exist would be leased as a new, empty one, so it must be found first.
        journal.age(&stream).await?;
        let lease = journal.lease(&stream).await?;
        // Collected before the delete, which removes these files as well.
        let set_aside = self.set_aside_of(session).await?;
        // What can be found of it goes first: if that fails, nothing was deleted. Somebody may index it once more
        // before it is gone, so it is removed again after that; whoever indexes it later notices that it is gone.
        remove_from_index(&*self.ports.index, [stream.clone()]).await?;
        journal.delete(lease).await?;
        let _ = remove_from_index(&*self.ports.index, [stream]).await;
        // The mark goes last: a crash before this leaves only a mark without a session.
        set_control(&*self.ports.table, session, RetentionMark::Expire).await?;
        Ok(Deleted { session_id: session, set_aside })
    }

    /// Returns what repairs took out of a session. It is deleted along with the session.
    pub async fn deleted_along(
        &self,
        reference: &SessionReference,
    ) -> Result<Vec<SetAsideShown>, Envelope> {
        let Meant { session, .. } = self.meant(reference, Reach::TakeAway).await?;
        self.set_aside_of(session).await
    }

    async fn set_aside_of(&self, session: SessionId) -> Result<Vec<SetAsideShown>, Envelope> {
        let stream = StreamId::from(session);
        let kept = self.ports.journal.set_aside(Some(&stream)).await?;
        Ok(kept.into_iter().map(SetAsideShown::from).collect())
    }
}

/// Returns the version of a session that ends at `cursor`.
fn version(cursor: &Cursor, is_kept: bool) -> String {
    format!("{cursor}{}", mark(is_kept))
}

/// Returns a mark for whether a session survives its retention time.
const fn mark(is_kept: bool) -> &'static str {
    if is_kept { "+kept" } else { "+expires" }
}

impl ShapedRun {
    /// Returns the version of the session that it was read from. A damaged one has none.
    pub fn version(&self) -> Option<String> {
        self.cursor.as_ref().map(|cursor| version(cursor, self.kept))
    }
}

fn no_run(session: SessionId) -> Envelope {
    Envelope::new(Code::SessionNotFound, format!("The session {session} has no run."))
}

//! A run for a page: all of its nodes, as far as its session is valid.
//!
//! A process that has not read a long session yet takes its shape from the projection cache, where another process left
//! it. If something was appended since, the shape is behind: whoever asked for what is there at once gets it all the
//! same, and everybody else waits until the events are read.
//!
//! *Limitations*: damage to events that were read before is found when they are read again, as in the list of runs.

use piton_core::{Code, Envelope, RunId, SessionId};
use piton_store::StreamId;
use piton_store::port::{CacheKey, Cursor, Follow};
use piton_workflow::maintenance::{RetentionMark, control};
use piton_workflow::projection::{RunShape, RunSummary, SHAPE_VERSION};
use piton_workflow::session::{self, InspectedSession};
use serde::{Deserialize, Serialize};

use super::artifacts::content_lost;
use super::runtime::Runtime;
use crate::bounds::SHAPE_CACHED_NODES_MIN;
use crate::reply::ShapedRun;
use crate::request::{Freshness, RunAddress};

/// A shape as the projection cache keeps it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CachedShape {
    /// The end of the events that it was made from.
    cursor: Cursor,
    run_id: RunId,
    summary: Option<RunSummary>,
    shape: RunShape,
}

impl Runtime {
    /// Returns a run with all of its nodes. Of a damaged session, the valid beginning is shown.
    pub async fn run_shape(
        &self,
        at: RunAddress,
        freshness: Freshness,
    ) -> Result<ShapedRun, Envelope> {
        let RunAddress { session, run } = at;
        let kept = control(&*self.ports.table, session).await? == RetentionMark::Keep;
        let reader = self.sessions.reader();
        let is_known = reader.loader().has_read(session);
        if !is_known
            && let Some((cached, is_behind)) = self.cached_shape(at).await
            && (!is_behind || freshness == Freshness::Indexed)
        {
            let CachedShape { cursor, summary, shape, .. } = cached;
            return Ok(ShapedRun {
                session_id: session,
                run_id: run,
                summary,
                kept,
                shape,
                cursor: Some(cursor),
                is_behind,
                damage: None,
            });
        }
        let inspected = self.inspect(session).await?;
        let shape = reader.run_shape(&inspected, run).await;
        let shape = shape.map_err(|error| lost(session, &error))?;
        // The graph is worth showing even if the content at its tip is lost; such nodes count as unplaced.
        let summary = reader.summary_of(&inspected, run).await.unwrap_or_default();
        let shaped = ShapedRun {
            session_id: session,
            run_id: run,
            summary,
            kept,
            shape,
            cursor: inspected.cursor(),
            is_behind: false,
            damage: damage(session, &inspected),
        };
        // Written once for each process that reads the session, not whenever it grows.
        if !is_known && shaped.shape.nodes.id.len() >= SHAPE_CACHED_NODES_MIN {
            self.cache_shape(&shaped).await;
        }
        Ok(shaped)
    }

    /// Returns the shape that the projection cache has, and whether the session has grown since.
    async fn cached_shape(&self, at: RunAddress) -> Option<(CachedShape, bool)> {
        let stream = StreamId::from(at.session);
        let bytes = self.ports.cache.get(&cache_key(&stream)).await.ok()??;
        // An entry that is damaged, or about another run of the session, is a miss.
        let cached: CachedShape = serde_json::from_slice(&bytes).ok()?;
        let is_meant = |cached: &CachedShape| cached.run_id == at.run;
        let cached = Some(cached).filter(is_meant)?;
        match self.ports.journal.follow(&stream, &cached.cursor).await {
            Ok(Follow::Unchanged) => Some((cached, false)),
            Ok(Follow::Appended { .. }) => Some((cached, true)),
            // Whatever it was made from is gone, or cannot be read now.
            Ok(Follow::Replaced) | Err(_) => None,
        }
    }

    /// Leaves a shape for other processes. It can always be made again, so a failure is none.
    async fn cache_shape(&self, shaped: &ShapedRun) {
        // Of a damaged session, or one with lost content, nothing is kept: a repair would not be noticed.
        let is_whole = shaped.shape.unplaced == 0 && shaped.damage.is_none();
        let Some(cursor) = shaped.cursor.filter(|_| is_whole) else { return };
        let cached = CachedShape {
            cursor,
            run_id: shaped.run_id,
            summary: shaped.summary.clone(),
            shape: shaped.shape.clone(),
        };
        if let Ok(bytes) = serde_json::to_vec(&cached) {
            let key = cache_key(&StreamId::from(shaped.session_id));
            let _ = self.ports.cache.put(&key, bytes).await;
        }
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

fn cache_key(stream: &StreamId) -> CacheKey {
    let projection = "shape".parse().expect("letters are a name");
    CacheKey { stream: stream.clone(), projection, version: SHAPE_VERSION }
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

//! The events of a session as they are recorded, page by page.
//!
//! *Invariants*: every valid event is on some page, of a damaged session too. What repairs took out is listed beside
//! them.
//!
//! *Limitations*: each page reads the whole session.

use piton_core::{Envelope, NodeId, SessionId};
use piton_store::StreamId;
use piton_workflow::event::EventScope;
use piton_workflow::{EventBody, SessionEvent};

use super::artifacts::content_lost;
use super::runtime::Runtime;
use crate::bounds::EVENTS_PAGE_MAX;
use crate::reply::{EventPage, ReplyRoom};
use crate::request::EventQuery;

impl Runtime {
    /// Returns some events of a session as they are recorded. Of a damaged session, the valid events are shown.
    pub async fn event_page(
        &self,
        session: SessionId,
        query: EventQuery,
    ) -> Result<EventPage, Envelope> {
        let (events, damage) = self.valid_events(session).await?;
        let total = events.len() as u64;
        let limit = query.limit.clamp(1, EVENTS_PAGE_MAX);
        let is_about = |event: &SessionEvent| {
            event.index().get() >= query.from && query.node.is_none_or(|node| is_about(event, node))
        };
        let mut wanted = events.into_iter().filter(is_about).peekable();
        let (mut room, mut page) = (ReplyRoom::new(), Vec::new());
        // The first event is always shown, however large: otherwise a reader would not get past it.
        while page.len() < limit
            && let Some(event) = wanted.next_if(|event| room.fits(event) || page.is_empty())
        {
            page.push(event);
        }
        let stream = StreamId::from(session);
        let set_aside = self.ports.journal.set_aside(Some(&stream)).await?;
        Ok(EventPage {
            session_id: session,
            next: wanted.peek().map(SessionEvent::index),
            events: page,
            total,
            node_id: query.node,
            damage,
            set_aside: set_aside.into_iter().map(Into::into).collect(),
        })
    }

    /// Returns the events of a session; of a damaged one, those before the damage, and what it is.
    pub(crate) async fn valid_events(
        &self,
        session: SessionId,
    ) -> Result<(Vec<SessionEvent>, Option<Envelope>), Envelope> {
        let stream = StreamId::from(session);
        match self.ports.journal.load(&stream).await {
            Ok(loaded) => Ok((loaded.events, None)),
            Err(error @ piton_store::Error::NotHealthy { .. }) => {
                let salvaged = self.ports.journal.load_validated_prefix(&stream).await?;
                Ok((salvaged.events, Some(content_lost(session, error.envelope()))))
            }
            Err(error) => Err(error.envelope()),
        }
    }
}

/// True if an event is about a node: recorded on it, or the edge that leads to it.
fn is_about(event: &SessionEvent, node: NodeId) -> bool {
    let scope = event.body().scope();
    let is_on = |scope: EventScope| scope.node_id == Some(node);
    let is_edge = || match event.body() {
        EventBody::EdgeCreated(_, edge) => edge.to() == node,
        _ => false,
    };
    scope.is_some_and(is_on) || is_edge()
}

//! A project that is recorded while it is edited.

use std::time::Duration;

use piton_context::history::Recorded;
use piton_context::watch::Follower;
use piton_core::Envelope;
use piton_store::port::Patience;

use super::agent_context::AgentContext;
use super::project::Frames;
use super::reply::Regenerated;
use super::request::RegenerateFrames;
use crate::bounds::REGENERATION_PATIENCE;

/// A project that is recorded while it is edited.
#[derive(Debug)]
pub struct Following {
    follower: Follower,
    regenerating: Option<(AgentContext, RegenerateFrames)>,
}

/// The result of a wait.
#[derive(Debug, Default)]
pub struct Followed {
    /// The tree that was recorded, if something changed.
    pub recorded: Option<Recorded>,
    /// The frames that were regenerated because of it.
    pub regenerated: Option<Result<Regenerated, Envelope>>,
}

impl Frames {
    /// Starts following the project, and records its current state.
    pub async fn follow(&self) -> Result<(Following, Recorded), Envelope> {
        let started = Follower::start(self.context.clone(), self.scanner()).await;
        let (follower, recorded) = started.map_err(|error| error.envelope())?;
        Ok((Following { follower, regenerating: None }, recorded))
    }
}

impl Following {
    /// Also regenerates frames after each change, as an agent whose role allows it.
    pub fn regenerating(
        self,
        acting: AgentContext,
        request: RegenerateFrames,
    ) -> Result<Self, Envelope> {
        let may = acting.agent().check(piton_context::agent::Right::Synthesize);
        may.map_err(|error| error.envelope())?;
        Ok(Self { regenerating: Some((acting, request)), ..self })
    }

    /// Waits at most `patience` for a change, records it, and regenerates frames if that was requested. A failure
    /// leaves everything in place for the next wait. Blocks.
    pub async fn step(&mut self, patience: Duration) -> Result<Followed, Envelope> {
        let recorded = self.follower.step(patience).await.map_err(|error| error.envelope())?;
        let mut followed = Followed { recorded, regenerated: None };
        if followed.recorded.is_some() {
            followed.regenerated = self.regenerate().await;
        }
        Ok(followed)
    }

    /// Regenerates frames, if that was requested.
    pub async fn regenerate(&self) -> Option<Result<Regenerated, Envelope>> {
        let (acting, request) = self.regenerating.as_ref()?;
        Some(acting.regenerate_changed(request, Patience::Wait(REGENERATION_PATIENCE)).await)
    }
}

//! Replay of a run from one of its nodes.
//!
//! *Invariants*: the original run is only read, without a lease: it may be in progress, and it stays as it is. The
//! replay is kept in a fork, which names its origin.

use piton_backpack::flow::run::{before_node, before_pending_node, check_start};
use piton_backpack::flow::{FlowState, LoadedFlow, RunOptions, Runner};
use piton_backpack::journal::{JournaledBackpack, Mode, read, read_at};
use piton_backpack::{Backpack, BackpackId};
use piton_core::Envelope;

use super::kept;
use super::reply::FlowReplayed;
use super::request::{FlowNotice, ReplayFlow};
use super::use_cases::{Flows, holder, pack};
use crate::backpack::inspect::{BackpackReference, Backpacks, PointReference, Reveal};

impl Flows {
    /// Replays a run from one of its nodes and compares the results of both.
    pub async fn replay(
        &self,
        request: ReplayFlow<'_>,
        listener: &(dyn Fn(FlowNotice<'_>) + Sync),
    ) -> Result<FlowReplayed, Envelope> {
        let ports = &self.ports.journal;
        let id = &request.backpack;
        let (original, _) = read(&*ports.journal, &*ports.blobs, id, ports.ports.clone()).await?;
        let loaded = self.flow_of(&request, &original)?;
        let flow = &loaded.flow;
        // Everything that can be refused is refused before the fork is made.
        check_start(flow, request.from)?;
        request.initial.check()?;
        self.check_tools(flow).await?;
        // The node may have been next when the run stopped. Then it has no commit, but the state before it is still
        // known.
        let before = before_node(&original, request.from).or_else(|error| {
            let pending = before_pending_node(&original, flow, request.from);
            pending.ok_or_else(|| error.envelope().with_name("BACKPACK", id))
        })?;
        let state = read_at(&original, before, &*ports.blobs).await?;
        let fork = request.into.clone();
        let fork = fork.unwrap_or_else(|| BackpackId::mint(&*ports.ports.entropy));
        let forked =
            JournaledBackpack::fork_from(&state, &fork, holder(), Mode::Durable, ports.clone());
        let backpack = forked.await?.backpack;
        pack(&backpack, &request.initial).await?;
        let state = FlowState::journaled(backpack.clone())?;
        let options = RunOptions {
            steps_max: request.steps_max,
            cancel: request.cancel,
            ..RunOptions::default()
        };
        let runner = self.runner();
        let going = async |runner: &Runner| runner.replay(flow, &state, options).await;
        let kept_in = (&fork, &backpack);
        let ran = self.follow(runner, kept_in, &loaded.warnings, going, listener).await?;
        // The comparison reads both from storage, after the replay has been closed.
        let (old, new) = (BackpackReference(id.to_string()), BackpackReference(fork.to_string()));
        let newest = PointReference::Newest;
        let outcome = Backpacks::new(ports.clone())
            .diff((&old, &newest), (&new, &newest), Reveal::Nothing)
            .await?;
        Ok(FlowReplayed { ran, of: id.clone(), from: request.from.to_owned(), outcome })
    }

    /// Returns the flow to run: the given one or else the one the run kept, with the parameters replaced.
    fn flow_of(
        &self,
        request: &ReplayFlow<'_>,
        original: &Backpack,
    ) -> Result<LoadedFlow, Envelope> {
        let description = match request.text {
            // Loading the text as given reports problems with their position in the file.
            Some(text) => self.load(text)?.flow.to_json(),
            None => kept::description(original)?,
        };
        // Replaced parameters may break the flow, so it is checked once more.
        let described = kept::with_params(description, &request.params)
            .map_err(|error| error.with_name("BACKPACK", &request.backpack))?;
        self.load(&described.to_string())
    }
}

//! Forks: continuing from an earlier state of something, beside its later history.
//!
//! *Invariants*: forking a run, or the run of a flow, writes nothing: the reply names the call to make or the command
//! to type. A fork of a backpack or of an overlay is created at once, and its origin stays as it is.

use piton_backpack::BackpackId;
use piton_backpack::flow::RunRecord;
use piton_backpack::flow::run::{RUNNER, before_node};
use piton_backpack::journal::{Holder, JournaledBackpack, Mode};
use piton_core::{Code, Envelope, shell_word};
use piton_workflow::label::label;

use piton_store::port::BoxFuture;

use super::compare::{Worlds, no_workspace};
use super::reference::{NodeReference, Placed, ThingKind, ThingReference};
use super::reply::{Forked, ForkedBackpack, ForkedFlow, ForkedThing};
use crate::backpack::inspect::Backpacks;
use crate::backpack::short;
use crate::workflow::Runtime;
use crate::workflow::artifacts::content_lost;

impl Runtime {
    /// Returns the call that continues from a node. Nothing is written: an output submitted there creates the branch.
    pub async fn fork_run(&self, reference: &NodeReference) -> Result<Forked, Envelope> {
        let Placed { session, reading, run, node } = self.placed(reference).await?;
        let name = self.name_of(session, run.id).await?;
        let found = run.graph.node(node).expect("it was found in the graph");
        let steps = reading.steps(&run, [found].into_iter()).await?;
        // A node without a pending step is the end of a run, where no output can be submitted.
        let Some(step) = steps.get(&found.snapshot) else {
            let message =
                "The run is complete there: no step is pending that a branch could begin with.";
            return Err(Envelope::new(Code::ValidationError, message)
                .with_suggestion("Name an earlier step: `piton session tree RUN` draws them.")
                .with_name("RUN", name));
        };
        let taken_up = self.sessions.reader().take_up_at(session, run.id, Some(node)).await;
        let taken_up = taken_up.map_err(|error| content_lost(session, error.envelope()))?;
        Ok(Forked {
            session_id: session,
            run_id: run.id,
            label: label(run.id).to_string(),
            name,
            node_id: node,
            step: step.step_id.as_str().to_owned(),
            title: step.title.as_str().to_owned(),
            was_left: !found.is_tip(),
            branch_tip: run
                .graph
                .newest_tip_below(found)
                .map(|tip| tip.id)
                .filter(|tip| *tip != node),
            next_call: taken_up.next_call,
        })
    }

    /// Forks a thing. `into` names the result where one is created.
    pub fn fork<'a>(
        &'a self,
        thing: &'a ThingReference,
        into: Option<&'a str>,
        worlds: &'a Worlds<'_>,
    ) -> BoxFuture<'a, Result<ForkedThing, Envelope>> {
        Box::pin(async move {
            let kind = self.kind_of(thing, worlds).await?;
            match kind {
            ThingKind::Run if into.is_some() => Err(Envelope::new(
                Code::ValidationError,
                "A branch of a run has no name: what is submitted at its node makes it.",
            )
            .with_suggestion("Leave --into out.")),
            ThingKind::Run => self.fork_run(&thing.node()).await.map(ForkedThing::Run),
            ThingKind::Backpack => fork_backpack(worlds.backpacks, thing, into).await,
            ThingKind::Overlay => {
                let files = worlds.files.ok_or_else(no_workspace)?;
                files.fork_overlay(&thing.name, into).await.map(ForkedThing::Overlay)
            }
            ThingKind::Tree => Err(Envelope::new(
                Code::ValidationError,
                "A recorded tree is what the project directory was: there is nothing to continue.",
            )
            .with_suggestion("Fork a run, a backpack or an overlay.")),
        }
        })
    }
}

/// Forks a backpack. At a node of the flow that ran on it, nothing is created yet: a replay creates the fork.
async fn fork_backpack(
    backpacks: &Backpacks,
    thing: &ThingReference,
    into: Option<&str>,
) -> Result<ForkedThing, Envelope> {
    let into = into.map(parsed).transpose()?;
    let whole = backpacks.commit_point(&ThingReference { at: None, ..thing.clone() }).await?;
    let record = RunRecord::of(&whole.backpack)?;
    // The point may name a node of a flow. If there is no such node, it is resolved as a commit below.
    if let (Some(node), Some(_)) = (&thing.at, record)
        && let Ok(before) = before_node(&whole.backpack, node)
    {
        let backpack = whole.backpack.id().clone();
        let named = into.as_ref().map(|into| format!(" --into {into}")).unwrap_or_default();
        let from = shell_word(node);
        let command = format!("piton flow replay {backpack} --from {from}{named}");
        let (node, commit) = (node.clone(), short(before));
        return Ok(ForkedThing::Flow(ForkedFlow { backpack, node, commit, into, command }));
    }
    let spot = backpacks.commit_point(thing).await?;
    let state = backpacks.state_of(&spot).await?;
    let ports = backpacks.ports().clone();
    let id = into.unwrap_or_else(|| BackpackId::mint(&*ports.ports.entropy));
    let holder = Holder::new("piton fork").expect("two words are a name");
    let made = JournaledBackpack::fork_from(&state, &id, holder, Mode::Durable, ports).await?;
    made.backpack.close().await?;
    let items = state.debug().items();
    Ok(ForkedThing::Backpack(ForkedBackpack {
        backpack: id,
        of: spot.backpack.id().clone(),
        commit: spot.commit.map(short),
        keys: items.iter().filter(|item| item.source().id.as_str() != RUNNER).count(),
    }))
}

fn parsed(name: &str) -> Result<BackpackId, Envelope> {
    name.parse().map_err(|error| {
        Envelope::new(Code::ValidationError, format!("`{name}` is no name of a backpack: {error}."))
            .with_suggestion("Take letters, digits, `-` and `_`.")
    })
}

//! Replay of a run from one of its nodes.
//!
//! *Invariants*: the original run is only read, without a lease: it may be in progress, and it stays as it is. The
//! replay is kept in a fork, which names its origin.

use piton_backpack::flow::run::{before_node, before_pending_node, check_start};
use piton_backpack::flow::{FlowState, LoadedFlow, RunRecord, Runner};
use piton_backpack::journal::{JournaledBackpack, Mode, read, read_at};
use piton_backpack::{Backpack, BackpackId};
use piton_core::{Code, Envelope, truncate};
use serde_json::Value;

use super::flows::{Flows, holder, pack};
use super::request::{FlowNotice, FlowReplayed, NodeParam, ReplayFlow};
use crate::backpack::inspect::{BackpackReference, Backpacks, PointReference, Reveal};
use crate::bounds::PATH_QUOTED_BYTES_MAX;

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
        let going = async |runner: &Runner, state: &FlowState| {
            runner.replay(flow, state, request.options).await
        };
        let ran = self.follow(&backpack, &loaded.warnings, going, listener).await?;
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
            None => description(original)?,
        };
        // Replaced parameters may break the flow, so it is checked once more.
        let described = with_params(description, &request.params)
            .map_err(|error| error.with_name("BACKPACK", &request.backpack))?;
        self.load(&described.to_string())
    }
}

/// Returns the description of the flow of the last run on a backpack.
pub(super) fn description(backpack: &Backpack) -> Result<Value, Envelope> {
    let Some(record) = RunRecord::of(backpack)? else {
        let message = format!("No flow has run on the backpack `{}`.", backpack.id());
        return Err(Envelope::new(Code::FlowNotResumable, message)
            .with_suggestion("Start one with `piton flow run FILE`."));
    };
    record.description(backpack)?.ok_or_else(|| {
        let message = format!("The run on `{}` did not keep its flow.", backpack.id());
        Envelope::new(Code::FlowNotResumable, message)
            .with_suggestion(
                "Name the file that it was started with: `piton flow resume BACKPACK --flow FILE`.",
            )
            .with_name("BACKPACK", backpack.id())
    })
}

/// Returns the flow if it is the one that the last run on a backpack began with, and refuses it otherwise.
pub(super) fn same(loaded: LoadedFlow, backpack: &Backpack) -> Result<LoadedFlow, Envelope> {
    if RunRecord::of(backpack)?.is_none_or(|record| record.flow == loaded.flow.digest()) {
        return Ok(loaded);
    }
    let message =
        format!("The flow is not the one that the run on `{}` began with.", backpack.id());
    let both = "Continue with the flow that the run kept: `piton flow resume BACKPACK`. Or run it again with yours, from \
                a node that it reached: `piton flow replay BACKPACK --from NODE --flow FILE`.";
    let envelope = Envelope::new(Code::FlowNotResumable, message).with_suggestion(both);
    Err(envelope.with_name("BACKPACK", backpack.id()))
}

/// Returns the description with the given node parameters replaced.
pub(super) fn with_params(mut flow: Value, params: &[NodeParam]) -> Result<Value, Envelope> {
    for NodeParam { node, name, value } in params {
        // A node is named by its path: zero or more subflows, then the node itself.
        let mut names = node.split('/');
        let last = names.next_back().unwrap_or_default();
        let mut within = Some(&mut flow);
        for name in names {
            within = within.and_then(|flow| entry(flow, "subflows", name));
        }
        let found = within.and_then(|flow| entry(flow, "nodes", last));
        // A path that leads nowhere is refused. Ignoring it would replay the flow unchanged.
        let found = found.and_then(Value::as_object_mut).ok_or_else(|| no_node(node))?;
        let params = found.entry("params").or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Some(params) = params.as_object_mut() {
            params.insert(name.clone(), value.clone());
        }
    }
    Ok(flow)
}

/// Returns the entry with an id in one of a flow's lists.
fn entry<'a>(flow: &'a mut Value, list: &str, id: &str) -> Option<&'a mut Value> {
    let entries = flow.get_mut(list)?.as_array_mut()?;
    entries.iter_mut().find(|entry| entry.get("id").and_then(Value::as_str) == Some(id))
}

fn no_node(node: &str) -> Envelope {
    let shown = truncate(node, PATH_QUOTED_BYTES_MAX);
    Envelope::new(Code::FlowInvalid, format!("The flow has no node `{shown}` with parameters."))
        .with_suggestion("Name it as `piton backpack log BACKPACK` does: NODE.PARAMETER=VALUE.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NodeParam, with_params};

    #[test]
    fn a_parameter_is_replaced_where_its_node_stands() {
        let flow = json!({
            "nodes": [{ "id": "a", "type": "chat", "params": { "prompt": "old", "model": "m" } },
                      { "id": "b", "type": "chat" }],
            "subflows": [{ "id": "inner", "nodes": [{ "id": "a", "type": "chat" }] }],
        });
        let param = |node: &str| NodeParam {
            node: node.to_owned(),
            name: "prompt".to_owned(),
            value: json!("new"),
        };
        let changed = with_params(flow.clone(), &[param("a"), param("b"), param("inner/a")]);
        assert_eq!(
            changed.unwrap(),
            json!({
                "nodes": [
                    { "id": "a", "type": "chat", "params": { "prompt": "new", "model": "m" } },
                    { "id": "b", "type": "chat", "params": { "prompt": "new" } }],
                "subflows": [{ "id": "inner", "nodes": [
                    { "id": "a", "type": "chat", "params": { "prompt": "new" } }] }],
            })
        );
        for unknown in ["c", "inner", "inner/b", "other/a"] {
            let refused = with_params(flow.clone(), &[param(unknown)]).unwrap_err();
            assert!(refused.message.contains(unknown), "{}", refused.message);
        }
    }
}

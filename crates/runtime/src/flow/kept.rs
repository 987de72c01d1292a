//! The flow that a run keeps in its backpack.

use piton_backpack::Backpack;
use piton_backpack::flow::{LoadedFlow, RunRecord};
use piton_core::{Code, Envelope, truncate};
use serde_json::Value;

use super::request::NodeParam;
use crate::bounds::PATH_QUOTED_BYTES_MAX;

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

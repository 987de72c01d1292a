//! Checking values against the contract of a node.

use serde_json::Value;

use super::flow_run::PreparedNode;
use crate::flow::error::Error;
use crate::flow::event::{EventKind, cut};
use crate::flow::flow_state::FlowState;
use crate::flow::graph::{Contract, Edge};
use crate::flow::node::{NodeError, Phase};
use crate::{Key, PackOptions};

/// Checks every declared key as the node itself sees it, and collects all violations. The reads leave no commits.
pub(super) async fn check(
    ready: &PreparedNode,
    phase: Phase,
    contract: &Contract,
) -> Result<(), Error> {
    let (mut violations, mut missing, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (key, schema) in &contract.schemas {
        match ready.scope.peek::<Value>(key) {
            Ok(Some(value)) => {
                let found = schema.violations(&value);
                if !found.is_empty() {
                    wrong.push(key.clone());
                }
                violations.extend(found.into_iter().map(|words| format!("`{key}`: {words}")));
            }
            Ok(None) => {
                violations.push(format!("`{key}` is not there"));
                missing.push(key.clone());
            }
            Err(error) => violations.push(error.to_string()),
        }
    }
    if violations.is_empty() {
        return Ok(());
    }
    let error = Error::Contract { node: ready.id.clone(), phase, violations, missing, wrong };
    let (message, code) = (cut(&error.to_string()), Some(error.code()));
    ready.tap.tell(EventKind::Error { phase, attempt: None, code, message });
    Err(error)
}

/// Copies the values that the edge maps.
pub(super) async fn apply_mappings(
    state: &FlowState,
    edge: &Edge,
    from: &PreparedNode,
) -> Result<(), Error> {
    for (source, target) in &edge.mappings {
        copy(state, from, source, target).await.map_err(|error| {
            let message = cut(error.message());
            let (phase, code) = (Phase::Mapping, error.code());
            from.tap.tell(EventKind::Error { phase, attempt: None, code, message });
            Error::Node { node: from.id.clone(), phase, error }
        })?;
    }
    Ok(())
}

async fn copy(
    state: &FlowState,
    from: &PreparedNode,
    source: &Key,
    target: &Key,
) -> Result<(), NodeError> {
    let Some(item) = from.scope.item(source)? else {
        from.tap.warn(&format!("there is nothing under `{source}` to hand on as `{target}`"));
        return Ok(());
    };
    let value: Value = item.value()?;
    // The node need not be allowed to read the item that it replaces, so this look bypasses its scope.
    if let Some(there) = state.backpack().debug().item(target.as_str())? {
        // The same node may have copied here before, in a loop or before the run was resumed.
        let same_node = there.source().id == from.scope.identity().id;
        if !same_node && there.value::<Value>()? != value {
            let by = &there.source().id;
            return Err(NodeError::new(format!(
                "`{source}` cannot be handed on as `{target}`, which holds another value, packed by `{by}`"
            )));
        }
    }
    // The labels travel with the value, so that a copy is as protected as its source.
    let labels = item.labels();
    let options = PackOptions {
        tags: Some(labels.tags.clone()),
        access: Some(labels.access.clone().unwrap_or_default()),
    };
    // In a lenient backpack a refusal is reported as an event, and the next node finds nothing there.
    let _ = from.scope.saved(from.scope.pack_with(target, &value, &options)?).await?;
    Ok(())
}

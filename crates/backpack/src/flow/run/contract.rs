//! Checking values against the contract of a node.

use serde_json::Value;

use super::flow_run::PreparedNode;
use crate::flow::error::Error;
use crate::flow::event::{EventKind, cut};
use crate::flow::graph::Contract;
use crate::flow::node::Phase;

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

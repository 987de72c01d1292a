//! The table of built-in types.

use super::{agent, chat, decision, tool_call};
use crate::flow::config::{Maker, Registry};
use crate::flow::graph::NodeBody;

/// Registers all types that come with Piton.
pub(crate) fn register(registry: &mut Registry) {
    const NEW: &str = "the names below differ, and the registry was empty";
    registry.add("flow", Maker::Flow).expect(NEW);
    let mut add = |name: &str, factory: fn(&crate::flow::config::BuildRequest<'_>) -> _| {
        registry.register(name, factory).expect(NEW);
    };
    add("chat", |request| chat::build(request, false).map(NodeBody::from));
    add("final_answer", |request| chat::build(request, true).map(NodeBody::from));
    add("chat_each", |request| chat::build_each(request).map(NodeBody::from));
    add("decision", |request| decision::build(request).map(NodeBody::from));
    add("tool_params", |request| tool_call::build_params(request).map(NodeBody::from));
    add("tool_call", |request| tool_call::build(request).map(NodeBody::from));
    add("agent", |request| agent::build(request).map(NodeBody::from));
}

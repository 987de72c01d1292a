//! The table of built-in types, and the part that they share: each packs one result under one key.

use serde_json::{Map, Value};

use super::{agent, chat, decision, tool_call};
use crate::flow::config::{BuildRequest, Maker, Registry};
use crate::flow::graph::NodeBody;
use crate::flow::node::{Action, BoxFuture, Exec, Node, NodeContext, NodeError, Shape};

/// Registers all types that come with Piton.
pub(crate) fn register(registry: &mut Registry) {
    const NEW: &str = "the names below differ, and the registry was empty";
    registry.add("flow", Maker::Flow).expect(NEW);
    let mut add = |name: &str, factory: fn(&BuildRequest<'_>) -> _| {
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

/// The work of a built-in node, without the packing of its result.
pub(super) trait NodeWork: Send + Sync {
    fn type_name(&self) -> &'static str;

    fn shape(&self) -> Shape {
        Shape::Single
    }

    fn calls_tools(&self) -> bool {
        false
    }

    /// Returns every action that [`next`](Self::next) may return.
    fn actions(&self) -> Vec<Action> {
        vec![Action::Default]
    }

    fn prep(&self, context: &NodeContext) -> impl Future<Output = Result<Value, NodeError>> + Send;

    fn exec(
        &self,
        prepared: &Value,
        exec: &Exec<'_>,
    ) -> impl Future<Output = Result<Value, NodeError>> + Send;

    fn fallback(&self, error: NodeError) -> Result<Value, NodeError> {
        Err(error)
    }

    /// Returns the action that follows a result.
    fn next(&self, _result: &Value) -> Action {
        Action::Default
    }
}

/// A built-in node: does its work and packs the result.
pub(super) struct BuiltinNode<W> {
    pub(super) work: W,
    /// The key for the result.
    pub(super) output: String,
    /// The parameters that the node was built from; none if it is part of another one.
    pub(super) params: Map<String, Value>,
}

impl<W: NodeWork> Node for BuiltinNode<W> {
    fn type_name(&self) -> &str {
        self.work.type_name()
    }

    fn params(&self) -> Map<String, Value> {
        self.params.clone()
    }

    fn shape(&self) -> Shape {
        self.work.shape()
    }

    fn calls_tools(&self) -> bool {
        self.work.calls_tools()
    }

    fn actions(&self) -> Option<Vec<Action>> {
        Some(self.work.actions())
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(self.work.prep(context))
    }

    fn exec<'a>(
        &'a self,
        prepared: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(self.work.exec(prepared, exec))
    }

    fn fallback<'a>(
        &'a self,
        _: &'a Value,
        error: NodeError,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(self.work.fallback(error)))
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(async move {
            context.pack(&self.output, &result).await?;
            Ok(self.work.next(&result))
        })
    }
}

//! A node whose phases are closures.

use std::sync::Arc;

use piton_backpack::flow::{Action, BoxFuture, Exec, Node, NodeContext, NodeError, Shape};
use serde_json::{Map, Value};

type Prep =
    dyn for<'a> Fn(&'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> + Send + Sync;
type Work = dyn for<'a> Fn(&'a Value, &'a Exec<'_>) -> BoxFuture<'a, Result<Value, NodeError>>
    + Send
    + Sync;
type Fallback = dyn Fn(NodeError) -> Result<Value, NodeError> + Send + Sync;
type Post = dyn for<'a> Fn(&'a NodeContext, Value) -> BoxFuture<'a, Result<Action, NodeError>>
    + Send
    + Sync;

/// A node for one test.
#[derive(Clone, Default)]
pub(crate) struct Probe {
    name: Option<&'static str>,
    segment: Option<&'static str>,
    shape: Option<Shape>,
    params: Map<String, Value>,
    prep: Option<Arc<Prep>>,
    exec: Option<Arc<Work>>,
    fallback: Option<Arc<Fallback>>,
    post: Option<Arc<Post>>,
}

impl Probe {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    pub(crate) fn segment(mut self, segment: &'static str) -> Self {
        self.segment = Some(segment);
        self
    }

    pub(crate) fn shape(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }

    pub(crate) fn with_params(mut self, params: Map<String, Value>) -> Self {
        self.params = params;
        self
    }

    pub(crate) fn prep<F>(mut self, prep: F) -> Self
    where
        F: for<'a> Fn(&'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>>
            + Send
            + Sync
            + 'static,
    {
        self.prep = Some(Arc::new(prep));
        self
    }

    pub(crate) fn exec<F>(mut self, exec: F) -> Self
    where
        F: for<'a> Fn(&'a Value, &'a Exec<'_>) -> BoxFuture<'a, Result<Value, NodeError>>
            + Send
            + Sync
            + 'static,
    {
        self.exec = Some(Arc::new(exec));
        self
    }

    pub(crate) fn fallback<F>(mut self, fallback: F) -> Self
    where
        F: Fn(NodeError) -> Result<Value, NodeError> + Send + Sync + 'static,
    {
        self.fallback = Some(Arc::new(fallback));
        self
    }

    pub(crate) fn post<F>(mut self, post: F) -> Self
    where
        F: for<'a> Fn(&'a NodeContext, Value) -> BoxFuture<'a, Result<Action, NodeError>>
            + Send
            + Sync
            + 'static,
    {
        self.post = Some(Arc::new(post));
        self
    }

    /// A node that packs one value and goes on as usual.
    pub(crate) fn packing(key: &'static str, value: Value) -> Self {
        Self::new().post(move |context, _| {
            let value = value.clone();
            Box::pin(async move {
                context.pack(key, &value).await?;
                Ok(Action::Default)
            })
        })
    }

    /// A node that ends with an action.
    pub(crate) fn ending(action: Action) -> Self {
        Self::new().post(move |_, _| Box::pin(std::future::ready(Ok(action.clone()))))
    }

    /// A node that adds one to the number under a key.
    pub(crate) fn counting(key: &'static str) -> Self {
        Self::new().post(move |context, _| {
            Box::pin(async move {
                let count: u64 = context.unpack(key).await?.unwrap_or(0);
                context.pack(key, &(count + 1)).await?;
                Ok(Action::Default)
            })
        })
    }
}

impl Node for Probe {
    fn type_name(&self) -> &str {
        self.name.unwrap_or("probe")
    }

    fn segment(&self) -> Option<&str> {
        self.segment
    }

    fn shape(&self) -> Shape {
        self.shape.unwrap_or(Shape::Single)
    }

    fn params(&self) -> Map<String, Value> {
        self.params.clone()
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        match &self.prep {
            Some(prep) => prep(context),
            None => Box::pin(std::future::ready(Ok(Value::Null))),
        }
    }

    fn exec<'a>(
        &'a self,
        prepared: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        match &self.exec {
            Some(work) => work(prepared, exec),
            None => Box::pin(std::future::ready(Ok(Value::Null))),
        }
    }

    fn fallback<'a>(
        &'a self,
        _: &'a Value,
        error: NodeError,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        let outcome = match &self.fallback {
            Some(fallback) => fallback(error),
            None => Err(error),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        match &self.post {
            Some(post) => post(context, result),
            None => Box::pin(std::future::ready(Ok(Action::Default))),
        }
    }
}

//! From a call of the set to its operation.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::Connection;
use piton_runtime::files::FileWorld;

use crate::catalogue::Catalogue;
use crate::catalogue::files::given;
use crate::sets::{Call, Told, ToolSet};

/// Who acts where the client did not say what it is called.
const NAMELESS: &str = "agent";

pub(in crate::sets) struct Files {
    connection: Arc<Connection>,
    world: Arc<FileWorld>,
    catalogue: Catalogue,
}

impl Files {
    /// The set of a connection; nothing if its Workspaces allow no tool.
    pub(in crate::sets) fn new(connection: Arc<Connection>, world: Arc<FileWorld>) -> Option<Self> {
        let catalogue = given(&world);
        (!catalogue.tools.is_empty()).then_some(Self { connection, world, catalogue })
    }

    async fn make(&self, call: Call<'_>) -> Result<Told, Envelope> {
        let standing = self.connection.standing(call.run()).await?;
        let agent = self.connection.client();
        let agent = agent.as_deref().unwrap_or(NAMELESS);
        let tool = call.tool();
        let text = self.world.call(agent, &standing, tool, call.request()?).await?;
        Ok(Told::text(text))
    }
}

impl ToolSet for Files {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Told, Envelope>> {
        Box::pin(self.make(call))
    }
}

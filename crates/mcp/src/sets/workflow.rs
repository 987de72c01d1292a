//! The set `workflow`: each tool is one use case of a connection.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::Connection;

use super::call::Call;
use super::set::ToolSet;
use super::told::Told;
use crate::catalogue::Catalogue;
use crate::catalogue::workflow::{ToolName, catalogue};

pub(super) struct Workflow {
    connection: Arc<Connection>,
    catalogue: Arc<Catalogue>,
}

impl Workflow {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection, catalogue: catalogue() }
    }

    async fn make(&self, call: Call<'_>) -> Result<Told, Envelope> {
        let tool: ToolName = call.tool().parse().expect("its catalogue has these tools alone");
        let connection = &self.connection;
        Ok(match tool {
            ToolName::ListWorkflows => {
                let reply = connection.list_workflows(&call.request()?)?;
                Told::new(&reply, reply.text())
            }
            ToolName::InspectWorkflow => {
                let reply = connection.inspect_workflow(&call.request()?)?;
                Told::new(&reply, reply.text())
            }
            ToolName::StartWorkflow => {
                let reply = connection.start_workflow(call.request()?).await?;
                Told::new(&reply.body, reply.text()).beside(reply.beside.text())
            }
            ToolName::ContinueWorkflow => {
                let reply = connection.continue_workflow(call.request()?).await?;
                Told::new(&reply.body, reply.text()).beside(reply.beside.text())
            }
            ToolName::CheckpointWorkflow => {
                let reply = connection.checkpoint_workflow(call.request()?).await?;
                Told::new(&reply.body, reply.text()).beside(reply.beside.text())
            }
            ToolName::ResumeSession => {
                let reply = connection.resume_session(&call.request()?).await?;
                Told::new(&reply, reply.text())
            }
        })
    }
}

impl ToolSet for Workflow {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Told, Envelope>> {
        Box::pin(self.make(call))
    }
}

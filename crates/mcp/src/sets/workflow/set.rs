//! Maps the calls of the set to their use cases.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::Connection;
use piton_runtime::reply::RunAnswer;
use piton_runtime::request::ContinueWorkflow;

use super::ask::ask;
use crate::catalogue::Catalogue;
use crate::catalogue::workflow::{WorkflowTool, catalogue};
use crate::sets::{CheckedCall, Person, ToolReply, ToolSet};

pub(in crate::sets) struct WorkflowTools {
    connection: Arc<Connection>,
    catalogue: Arc<Catalogue>,
}

impl WorkflowTools {
    pub(in crate::sets) fn new(connection: Arc<Connection>) -> Self {
        Self { connection, catalogue: catalogue() }
    }

    /// Handles the answer of a person to a question that starting a run raised. Starting again would create another
    /// run.
    async fn ask_person(&self, state: String, person: &dyn Person) -> Result<RunAnswer, Envelope> {
        let state = ContinueWorkflow { state_token: Some(state), ..ContinueWorkflow::default() };
        let mut reply = self.connection.continue_workflow(state.clone()).await?;
        if ask(&self.connection, person, &mut reply).await {
            let person = reply.beside.person.take();
            reply = self.connection.continue_workflow(state).await?;
            reply.beside.person = person;
        }
        Ok(reply)
    }

    async fn make(&self, call: CheckedCall<'_>) -> Result<ToolReply, Envelope> {
        let tool: WorkflowTool = call.tool().parse().expect("its catalogue has these tools alone");
        let connection = &self.connection;
        Ok(match tool {
            WorkflowTool::ListWorkflows => {
                let reply = connection.list_workflows(&call.request()?)?;
                ToolReply::new(&reply, reply.text())
            }
            WorkflowTool::InspectWorkflow => {
                let reply = connection.inspect_workflow(&call.request()?)?;
                ToolReply::new(&reply, reply.text())
            }
            WorkflowTool::StartWorkflow => {
                let person = call.person();
                if let Some(state) = person.answered() {
                    return Ok(told_run(&self.ask_person(state.to_owned(), person).await?));
                }
                let mut reply = connection.start_workflow(call.request()?).await?;
                ask(connection, person, &mut reply).await;
                told_run(&reply)
            }
            WorkflowTool::ContinueWorkflow => {
                let person = call.person();
                let mut reply = connection.continue_workflow(call.request()?).await?;
                ask(connection, person, &mut reply).await;
                told_run(&reply)
            }
            WorkflowTool::CheckpointWorkflow => {
                let reply = connection.checkpoint_workflow(call.request()?).await?;
                let run = &reply.body.run;
                ToolReply::new(&reply.body, reply.text())
                    .with_note(reply.beside.text())
                    .of_run(run.session_id, &run.label)
            }
            WorkflowTool::GetArtifact => {
                let reply = connection.get_artifact(&call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
            WorkflowTool::ResumeSession => {
                let reply = connection.resume_session(&call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
        })
    }
}

fn told_run(reply: &RunAnswer) -> ToolReply {
    let run = &reply.body.run;
    ToolReply::new(&reply.body, reply.text())
        .with_note(reply.beside.text())
        .of_run(run.session_id, &run.label)
        .blocked(reply.body.blockers.is_some())
}

impl ToolSet for WorkflowTools {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>> {
        Box::pin(self.make(call))
    }

    fn moves_runs(&self) -> bool {
        true
    }
}

//! From a call of the set to its use case.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::Connection;
use piton_runtime::reply::RunAnswer;
use piton_runtime::request::ContinueWorkflow;

use super::ask::ask;
use crate::catalogue::Catalogue;
use crate::catalogue::workflow::{ToolName, catalogue};
use crate::sets::{Call, Person, Told, ToolSet};

pub(in crate::sets) struct Workflow {
    connection: Arc<Connection>,
    catalogue: Arc<Catalogue>,
}

impl Workflow {
    pub(in crate::sets) fn new(connection: Arc<Connection>) -> Self {
        Self { connection, catalogue: catalogue() }
    }

    /// Takes the answer of a person to a question that came of starting a run. To start again would be another run.
    async fn heard(&self, state: String, person: &dyn Person) -> Result<RunAnswer, Envelope> {
        let state = ContinueWorkflow { state_token: Some(state), ..ContinueWorkflow::default() };
        let mut reply = self.connection.continue_workflow(state.clone()).await?;
        if ask(&self.connection, person, &mut reply).await {
            let person = reply.beside.person.take();
            reply = self.connection.continue_workflow(state).await?;
            reply.beside.person = person;
        }
        Ok(reply)
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
                let person = call.person();
                if let Some(state) = person.answered() {
                    return Ok(told_run(&self.heard(state.to_owned(), person).await?));
                }
                let mut reply = connection.start_workflow(call.request()?).await?;
                ask(connection, person, &mut reply).await;
                told_run(&reply)
            }
            ToolName::ContinueWorkflow => {
                let person = call.person();
                let mut reply = connection.continue_workflow(call.request()?).await?;
                ask(connection, person, &mut reply).await;
                told_run(&reply)
            }
            ToolName::CheckpointWorkflow => {
                let reply = connection.checkpoint_workflow(call.request()?).await?;
                let run = &reply.body.run;
                Told::new(&reply.body, reply.text())
                    .beside(reply.beside.text())
                    .of_run(run.session_id, &run.label)
            }
            ToolName::GetArtifact => {
                let reply = connection.get_artifact(&call.request()?).await?;
                Told::new(&reply, reply.text())
            }
            ToolName::ResumeSession => {
                let reply = connection.resume_session(&call.request()?).await?;
                Told::new(&reply, reply.text())
            }
        })
    }
}

fn told_run(reply: &RunAnswer) -> Told {
    let run = &reply.body.run;
    Told::new(&reply.body, reply.text())
        .beside(reply.beside.text())
        .of_run(run.session_id, &run.label)
        .blocked(reply.body.blockers.is_some())
}

impl ToolSet for Workflow {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Told, Envelope>> {
        Box::pin(self.make(call))
    }

    fn moves_runs(&self) -> bool {
        true
    }
}

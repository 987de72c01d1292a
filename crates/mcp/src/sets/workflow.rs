//! The set `workflow`: each tool is one use case of a connection.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::Connection;
use piton_runtime::reply::{
    ArtifactPart, CheckpointBody, CheckpointReply, InspectedWorkflow, ListedWorkflows, Reply,
    ReplyNotice, ResumeCandidates,
};
use piton_runtime::request::Continue;

use super::ask_person::ask;
use super::tool_set::{ToolReply, ToolSet};
use crate::call::CheckedCall;
use crate::catalogue::{self, Catalogue, WorkflowTool};
use crate::person::Person;

pub(super) struct WorkflowTools {
    connection: Arc<Connection>,
    catalogue: Arc<Catalogue>,
}

impl WorkflowTools {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection, catalogue: catalogue::workflow() }
    }

    /// Handles the answer of a person to a question that starting a run raised. Starting again would create another
    /// run.
    async fn ask_again(&self, state: String, person: &dyn Person) -> Result<Reply, Envelope> {
        let state = Continue { state_token: Some(state), ..Continue::default() };
        let mut reply = self.connection.continue_workflow(state.clone()).await?;
        if ask(&self.connection, person, &mut reply).await {
            let asked = reply.notices.pop();
            reply = self.connection.continue_workflow(state).await?;
            reply.notices.extend(asked);
        }
        Ok(reply)
    }

    async fn make(&self, call: CheckedCall<'_>) -> Result<ToolReply, Envelope> {
        let tool: WorkflowTool = call.tool().parse().expect("its catalogue has these tools alone");
        let connection = &self.connection;
        Ok(match tool {
            WorkflowTool::ListWorkflows => {
                ToolReply::new(connection.list_workflows(&call.request()?)?, ListedWorkflows::text)
            }
            WorkflowTool::InspectWorkflow => ToolReply::new(
                connection.inspect_workflow(&call.request()?)?,
                InspectedWorkflow::text,
            ),
            WorkflowTool::StartWorkflow => {
                let person = call.person();
                if let Some(state) = person.answered() {
                    return Ok(run_reply(self.ask_again(state.to_owned(), person).await?));
                }
                let mut reply = connection.start_workflow(call.request()?).await?;
                ask(connection, person, &mut reply).await;
                run_reply(reply)
            }
            WorkflowTool::ContinueWorkflow => {
                let person = call.person();
                let mut reply = connection.continue_workflow(call.request()?).await?;
                ask(connection, person, &mut reply).await;
                run_reply(reply)
            }
            WorkflowTool::CheckpointWorkflow => {
                let CheckpointReply { body, notices } =
                    connection.checkpoint_workflow(call.request()?).await?;
                let (session, label) = (body.run.session_id, body.run.label);
                ToolReply::new(body, CheckpointBody::text)
                    .with_note(ReplyNotice::text_of(&notices))
                    .of_run(session, &label)
            }
            WorkflowTool::GetArtifact => {
                ToolReply::new(connection.get_artifact(&call.request()?).await?, ArtifactPart::text)
            }
            WorkflowTool::ResumeSession => ToolReply::new(
                connection.resume_session(&call.request()?).await?,
                ResumeCandidates::text,
            ),
        })
    }
}

fn run_reply(reply: Reply) -> ToolReply {
    let (text, body) = (reply.text(), reply.body);
    let (session, label) = (body.run.session_id, body.run.label);
    let is_blocked = body.blockers.is_some();
    ToolReply::new(body, |_| text)
        .with_note(ReplyNotice::text_of(&reply.notices))
        .of_run(session, &label)
        .blocked(is_blocked)
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

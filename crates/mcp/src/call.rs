//! From the name and the arguments of a call to a use case.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use piton_core::{Code, Envelope};
use piton_runtime::Connection;
use rmcp::model::CallToolResult;

use crate::answer::{Answer, failed};
use crate::arguments::parse;
use crate::catalogue::{Object, ToolName};

/// Makes a call. What goes wrong, a panic included, is an answer.
pub(crate) async fn call(
    connection: &Connection,
    tool: ToolName,
    schema: &Object,
    arguments: Object,
) -> CallToolResult {
    let work = AssertUnwindSafe(make(connection, tool, schema, arguments));
    let made = work.catch_unwind().await.unwrap_or_else(|_| Err(broken(tool)));
    made.unwrap_or_else(|envelope| failed(&envelope))
}

async fn make(
    connection: &Connection,
    tool: ToolName,
    schema: &Object,
    arguments: Object,
) -> Result<CallToolResult, Envelope> {
    let answer: Box<dyn Answer + Send> = match tool {
        ToolName::ListWorkflows => {
            Box::new(connection.list_workflows(&parse(tool, schema, arguments)?)?)
        }
        ToolName::InspectWorkflow => {
            Box::new(connection.inspect_workflow(&parse(tool, schema, arguments)?)?)
        }
        ToolName::StartWorkflow => {
            Box::new(connection.start_workflow(parse(tool, schema, arguments)?).await?)
        }
        ToolName::ContinueWorkflow => {
            Box::new(connection.continue_workflow(parse(tool, schema, arguments)?).await?)
        }
        ToolName::CheckpointWorkflow => {
            Box::new(connection.checkpoint_workflow(parse(tool, schema, arguments)?).await?)
        }
        ToolName::ResumeSession => {
            Box::new(connection.resume_session(&parse(tool, schema, arguments)?).await?)
        }
    };
    Ok(answer.answer())
}

/// A panic as an agent reads it. Its own words may quote anything, so they stay in the log.
fn broken(tool: ToolName) -> Envelope {
    Envelope::new(Code::InternalError, format!("{tool} ended early because of a fault in Piton."))
}

//! What tools say to the client and ask of it while they are at work, as revisions with a handshake do.

use rmcp::RoleServer;
use rmcp::model::{
    CreateMessageRequestParams, ElicitRequest, ErrorData, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion, SamplingMessage,
    ServerRequest,
};
use rmcp::service::{RequestContext, ServiceError};
use serde_json::Value;

type Context = RequestContext<RoleServer>;

/// Logs lines. From the revision without a handshake on, a request says whether it wants them.
pub(super) async fn log(context: &Context, lines: &[String]) -> Result<String, ErrorData> {
    let version = context.protocol_version().unwrap_or_default();
    let is_wanted = context.meta.log_level().is_some()
        || version.as_str() < ProtocolVersion::V_2026_07_28.as_str();
    for line in lines.iter().filter(|_| is_wanted) {
        let message =
            LoggingMessageNotificationParam::new(LoggingLevel::Info, Value::from(line.as_str()));
        context.peer.notify_logging_message(message).await.map_err(failed)?;
    }
    Ok("Logged.".to_owned())
}

/// Tells how far it is, of a hundred.
pub(super) async fn progress(context: &Context, steps: &[f64]) -> Result<String, ErrorData> {
    if let Some(token) = context.meta.get_progress_token() {
        for step in steps {
            let progress = ProgressNotificationParam::new(token.clone(), *step).with_total(100.0);
            context.peer.notify_progress(progress).await.map_err(failed)?;
        }
    }
    Ok("Done.".to_owned())
}

/// Asks the client's model.
pub(super) async fn sample(context: &Context, prompt: &Value) -> Result<String, ErrorData> {
    let prompt = SamplingMessage::user_text(prompt.as_str().unwrap_or_default());
    let params = CreateMessageRequestParams::new(vec![prompt], 100);
    let said = context.peer.create_message(params).await.map_err(failed)?;
    Ok(format!("LLM response: {}", serde_json::to_string(&said.message.content).unwrap()))
}

/// Asks the person.
pub(super) async fn elicit(context: &Context, params: Value) -> Result<String, ErrorData> {
    let request = ElicitRequest::new(serde_json::from_value(params).unwrap());
    // What the feature `elicitation` would bring besides this is not needed.
    let said = context.peer.send_request(ServerRequest::ElicitRequest(request)).await;
    Ok(format!("Elicitation completed: {}", serde_json::to_string(&said.map_err(failed)?).unwrap()))
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn failed(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

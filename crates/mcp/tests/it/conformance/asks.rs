//! What tools and prompts ask in rounds, as the revision without a handshake does: an answer that asks, and the same
//! call again with what was asked for.

use std::sync::LazyLock;

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ErrorData, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, RequestStateCodec,
};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::Value;

static CODEC: LazyLock<RequestStateCodec> = LazyLock::new(|| RequestStateCodec::new([7_u8; 32]));

/// The rounds of questions of a tool or prompt.
#[derive(Deserialize)]
pub(super) struct Asks {
    rounds: Vec<InputRequests>,
    /// Whether the client carries the number of the round, sealed.
    sealed: bool,
}

/// Result of an answer.
pub(super) enum Asked {
    More(InputRequiredResult),
    Enough(String),
}

impl Asks {
    /// Takes the answers to a round.
    pub(super) fn go_on(
        &self,
        answers: Option<&InputResponses>,
        state: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Asked, ErrorData> {
        let mut round: usize = match state {
            Some(sealed) => CODEC
                .open_json(sealed)
                .map_err(|_| ErrorData::invalid_params("The state was changed.", None))?,
            None => 0,
        };
        let requests = self.possible(round, &context.client_capabilities().unwrap_or_default())?;
        let is_whole = |answers: &&InputResponses| {
            requests.keys().all(|key| answers.get(key).is_some_and(Value::is_object))
        };
        let Some(answers) = answers.filter(is_whole) else { return Ok(self.more(round, requests)) };
        round += 1;
        if round < self.rounds.len() {
            let next = self.rounds[round].clone();
            return Ok(self.more(round, next));
        }
        let said = serde_json::to_string(answers).unwrap().replace('"', "'");
        Ok(Asked::Enough(format!("state-ok, Hello: {said}")))
    }

    fn more(&self, round: usize, requests: InputRequests) -> Asked {
        let state = self.sealed.then(|| CODEC.seal_json(&round).unwrap());
        Asked::More(InputRequiredResult::new(Some(requests), state))
    }

    /// What the client can be asked of a round; an error if that is nothing.
    fn possible(
        &self,
        round: usize,
        client: &ClientCapabilities,
    ) -> Result<InputRequests, ErrorData> {
        let mut lacking = ClientCapabilities::default();
        let mut requests = self.rounds[round].clone();
        requests.retain(|_, request| match request {
            InputRequest::CreateMessage(_) => {
                lacking.sampling = Some(serde_json::from_str("{}").unwrap());
                client.sampling.is_some()
            }
            InputRequest::Elicitation(_) => {
                lacking.elicitation = Some(serde_json::from_str("{}").unwrap());
                client.elicitation.is_some()
            }
            _ => {
                lacking.roots = Some(serde_json::from_str("{}").unwrap());
                client.roots.is_some()
            }
        });
        if requests.is_empty() {
            return Err(ErrorData::missing_required_client_capability(lacking));
        }
        Ok(requests)
    }
}

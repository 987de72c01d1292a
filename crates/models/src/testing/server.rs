//! The model server.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::formats::{self, answer_body, error_piece, framed, stream_type};
use super::http::{self, SeenRequest};
use super::reply::{LONG, ReplyContent, ScriptedReply, ServerFault};
use crate::provider::{BaseUrl, WireFormat};

#[derive(Default)]
struct ServerState {
    replies: VecDeque<ScriptedReply>,
    seen: Vec<SeenRequest>,
    key: Option<String>,
    models: Option<Vec<String>>,
}

/// A model server on a port of its own. It stops when it is dropped.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<Mutex<ServerState>>,
    task: JoinHandle<()>,
}

impl ModelServer {
    /// Starts a server that is ready for calls.
    pub async fn start() -> Self {
        let listener =
            TcpListener::bind("127.0.0.1:0").await.expect("this machine has a free port");
        let address = listener.local_addr().expect("it was just bound");
        let state = Arc::new(Mutex::new(ServerState::default()));
        let task = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, task }
    }

    /// Returns the base URL of a provider with this wire format.
    pub fn base_url(&self, wire: WireFormat) -> BaseUrl {
        let path = if wire == WireFormat::Ollama { "" } else { "v1" };
        BaseUrl::parse(&format!("http://{}/{path}", self.address)).expect("an address is one")
    }

    /// Adds a reply, which answers the next request after those added before.
    pub fn push_reply(&self, reply: ScriptedReply) -> &Self {
        lock(&self.state).replies.push_back(reply);
        self
    }

    /// Accepts only calls with this key from now on.
    pub fn with_key(&self, key: &str) -> &Self {
        lock(&self.state).key = Some(key.to_owned());
        self
    }

    /// Offers only these models from now on.
    pub fn with_models(&self, models: &[&str]) -> &Self {
        lock(&self.state).models = Some(models.iter().map(|model| (*model).to_owned()).collect());
        self
    }

    /// Returns the requests so far.
    pub fn seen(&self) -> Vec<SeenRequest> {
        lock(&self.state).seen.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(state: &Mutex<ServerState>) -> MutexGuard<'_, ServerState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, state: Arc<Mutex<ServerState>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let mut stream = BufReader::new(stream);
            if let Some(incoming) = http::read(&mut stream).await {
                let reply = decide(&state, &incoming);
                answer(&mut stream, &incoming, &reply).await;
            }
        });
    }
}

/// Records the request and decides on the reply.
fn decide(state: &Mutex<ServerState>, incoming: &SeenRequest) -> ScriptedReply {
    let mut state = lock(state);
    // Recorded first, so that tests also see requests that are refused.
    state.seen.push(incoming.clone());
    let bearer = incoming.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let given = incoming.header("x-api-key").or(bearer);
    if state.key.is_some() && state.key.as_deref() != given {
        let given = given.unwrap_or("none");
        return ScriptedReply::status(401, &format!("Incorrect API key provided: {given}"));
    }
    let model = incoming.body["model"].as_str().unwrap_or_default();
    if state.models.as_ref().is_some_and(|models| !models.iter().any(|known| known == model)) {
        return ScriptedReply::status(404, &format!("model '{model}' not found"));
    }
    state
        .replies
        .pop_front()
        .unwrap_or_else(|| ScriptedReply::status(500, "the server was told no more answers"))
}

async fn answer(stream: &mut BufReader<TcpStream>, incoming: &SeenRequest, reply: &ScriptedReply) {
    let wire = match incoming.path.as_str() {
        "/v1/chat/completions" => WireFormat::OpenAi,
        "/v1/messages" => WireFormat::Anthropic,
        "/api/chat" => WireFormat::Ollama,
        path => {
            let body =
                json!({ "error": { "message": format!("no such path: {path}") } }).to_string();
            return http::send(stream, 404, &[], &body, body.len()).await;
        }
    };
    if let ScriptedReply::Fault(ServerFault::Status(status, words, after)) = reply {
        let body = json!({ "error": { "message": words } }).to_string();
        let after: Vec<(&str, String)> =
            after.iter().map(|seconds| ("retry-after", seconds.to_string())).collect();
        return http::send(stream, *status, &after, &body, body.len()).await;
    }
    if let ScriptedReply::Fault(ServerFault::StatusBody(status, body)) = reply {
        let body = body.to_string();
        return http::send(stream, *status, &[], &body, body.len()).await;
    }
    if let ScriptedReply::Fault(ServerFault::EndlessStatus(status)) = reply {
        http::begin(stream, *status, "text/plain").await;
        return http::repeat(stream, std::slice::from_ref(&LONG)).await;
    }
    let model = incoming.body["model"].as_str().unwrap_or_default();
    let content = ReplyContent::new(model, reply);
    if incoming.body["stream"] == json!(true) {
        pieces(stream, wire, reply, &content).await;
    } else {
        whole(stream, wire, reply, &content).await;
    }
}

async fn whole(
    stream: &mut BufReader<TcpStream>,
    wire: WireFormat,
    reply: &ScriptedReply,
    content: &ReplyContent,
) {
    let body = match reply {
        ScriptedReply::Raw(body, _) => body.to_string(),
        _ => answer_body(wire, content).to_string(),
    };
    let ScriptedReply::Fault(fault) = reply else {
        return http::send(stream, 200, &[], &body, body.len()).await;
    };
    match fault {
        ServerFault::Hang | ServerFault::Stall => http::until_gone(stream).await,
        ServerFault::Cut => http::send(stream, 200, &[], &body[..body.len() / 2], body.len()).await,
        ServerFault::BadJson => http::send(stream, 200, &[], "{ \"half", 7).await,
        ServerFault::Drip => {
            http::begin(stream, 200, "application/json").await;
            http::drip(stream).await;
        }
        ServerFault::Endless | ServerFault::EndlessCall => {
            http::begin(stream, 200, "application/json").await;
            http::repeat(stream, &[body]).await;
        }
        ServerFault::ToldInStream(kind) => {
            let body = json!({ "error": { "type": kind, "message": "told at once" } }).to_string();
            http::send(stream, 529, &[], &body, body.len()).await;
        }
        ServerFault::NoAnswer
        | ServerFault::Status(..)
        | ServerFault::StatusBody(..)
        | ServerFault::EndlessStatus(_) => {
            http::send(stream, 200, &[], "{}", 2).await;
        }
    }
}

async fn pieces(
    stream: &mut BufReader<TcpStream>,
    wire: WireFormat,
    reply: &ScriptedReply,
    content: &ReplyContent,
) {
    let pieces: Vec<String> = match reply {
        ScriptedReply::Raw(_, pieces) => {
            let piece = |piece: &Value| match piece.as_str() {
                Some(text) if wire != WireFormat::Ollama => framed(wire, &text),
                _ => framed(wire, piece),
            };
            pieces.iter().map(piece).collect()
        }
        _ => formats::pieces(wire, content),
    };
    if matches!(reply, ScriptedReply::Fault(ServerFault::Hang)) {
        return http::until_gone(stream).await;
    }
    http::begin(stream, 200, stream_type(wire)).await;
    if matches!(reply, ScriptedReply::Fault(ServerFault::Endless | ServerFault::EndlessCall)) {
        // Send everything before the first long piece once, then repeat the long pieces.
        let (begun, rest) =
            pieces.split_at(pieces.iter().position(|piece| is_long(piece)).unwrap_or(0));
        let long: Vec<String> = rest.iter().filter(|piece| is_long(piece)).cloned().collect();
        http::piece(stream, &begun.concat()).await;
        return http::repeat(stream, &long).await;
    }
    // A fault comes after the first half of the pieces.
    let half = pieces.len() / 2;
    let shown =
        if matches!(reply, ScriptedReply::Fault(_)) { &pieces[..half] } else { &pieces[..] };
    for piece in shown {
        http::piece(stream, piece).await;
    }
    match reply {
        ScriptedReply::Fault(ServerFault::Stall) => http::until_gone(stream).await,
        ScriptedReply::Fault(ServerFault::Drip) => http::drip(stream).await,
        ScriptedReply::Fault(ServerFault::BadJson) => {
            http::piece(stream, &framed(wire, &"{ \"half")).await;
        }
        ScriptedReply::Fault(ServerFault::ToldInStream(kind)) => {
            http::piece(stream, &error_piece(wire, kind)).await;
        }
        _ => {}
    }
}

/// True if a piece carries at least half of the endless text.
fn is_long(piece: &str) -> bool {
    piece.len() >= LONG.len() / 2
}

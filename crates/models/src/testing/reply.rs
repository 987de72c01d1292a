//! Replies of the server.

use std::sync::LazyLock;

use serde_json::Value;

/// A piece of an endless answer: long enough that a few of them exceed all limits.
pub(super) static LONG: LazyLock<String> = LazyLock::new(|| "x".repeat(64 * 1024));

/// A reply of the server to one request.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// Answers with text.
    Text(String),
    /// Answers with text that reached the token limit.
    CutShort(String),
    /// Calls tools, each with a name and arguments.
    Calls(Vec<(String, Value)>),
    /// Sends this JSON, or these pieces in a stream, whatever the wire format says. A piece that is a text is sent
    /// verbatim if the format has events.
    Raw(Value, Vec<Value>),
    /// Fails.
    Fault(ServerFault),
}

/// Ways in which the server fails.
#[derive(Clone, Debug)]
pub enum ServerFault {
    /// Sends a status with a message, and optionally the number of seconds to wait.
    Status(u16, String, Option<u64>),
    /// Sends a status with this JSON.
    StatusBody(u16, Value),
    /// Hangs up in the middle of the answer.
    Cut,
    /// Accepts the request and never answers.
    Hang,
    /// Sends the first half of a stream and then nothing; of a whole answer, nothing at all.
    Stall,
    /// Sends something that is not JSON.
    BadJson,
    /// Sends JSON that is not an answer.
    NoAnswer,
    /// Answers with endless text.
    Endless,
    /// Calls a tool with endless arguments.
    EndlessCall,
    /// Answers with this status and an endless body.
    EndlessStatus(u16),
    /// Sends a few bytes now and then, never a whole piece, and hangs up after a second or so.
    Drip,
    /// Starts a stream, then reports a failure of this type; of a whole answer, sends a status 529.
    ToldInStream(String),
}

impl ScriptedReply {
    /// Creates an answer with text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Creates a call of one tool.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::Calls(vec![(name.to_owned(), arguments)])
    }

    /// Creates a failure with a status.
    pub fn status(status: u16, words: &str) -> Self {
        Self::Fault(ServerFault::Status(status, words.to_owned(), None))
    }
}

/// The content of a reply in any wire format. Faults have become bytes before.
pub(super) struct ReplyContent {
    pub(super) model: String,
    pub(super) words: Vec<String>,
    pub(super) calls: Vec<(String, Value)>,
    pub(super) cut_short: bool,
}

impl ReplyContent {
    pub(super) fn new(model: &str, reply: &ScriptedReply) -> Self {
        let (text, calls, cut_short) = match reply {
            ScriptedReply::Text(text) => (text.as_str(), Vec::new(), false),
            ScriptedReply::CutShort(text) => (text.as_str(), Vec::new(), true),
            ScriptedReply::Calls(calls) => ("", calls.clone(), false),
            ScriptedReply::Fault(ServerFault::Endless) => (LONG.as_str(), Vec::new(), false),
            ScriptedReply::Fault(ServerFault::EndlessCall) => {
                ("", vec![("f".to_owned(), LONG.as_str().into())], false)
            }
            ScriptedReply::Raw(..) => ("", Vec::new(), false),
            ScriptedReply::Fault(_) => ("cut in the middle", Vec::new(), false),
        };
        let words = text.split_inclusive(' ').map(ToOwned::to_owned).collect();
        Self { model: model.to_owned(), words, calls, cut_short }
    }

    pub(super) fn text(&self) -> String {
        self.words.concat()
    }

    /// Returns the applicable one of three names for a reason: done, out of tokens, tools called.
    pub(super) fn reason<'a>(&self, [done, length, tools]: [&'a str; 3]) -> &'a str {
        match (self.cut_short, self.calls.is_empty()) {
            (true, _) => length,
            (false, true) => done,
            (false, false) => tools,
        }
    }
}

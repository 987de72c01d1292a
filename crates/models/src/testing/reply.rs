//! What the server answers.

use std::sync::LazyLock;

use serde_json::Value;

/// What an answer without end is made of: long enough that few of them go beyond all bounds.
pub(super) static LONG: LazyLock<String> = LazyLock::new(|| "x".repeat(64 * 1024));

/// How the server answers one request.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// In words.
    Text(String),
    /// In words, because the limit of tokens is reached.
    CutShort(String),
    /// With calls of tools, each a name and its arguments.
    Calls(Vec<(String, Value)>),
    /// With this JSON, and in pieces with these, whatever the wire format says about them. A piece that is a text is
    /// sent as it is, if the format has events.
    Raw(Value, Vec<Value>),
    /// Not at all.
    Fault(ServerFault),
}

/// How the server fails.
#[derive(Clone, Debug)]
pub enum ServerFault {
    /// With a status, what it says about it, and perhaps how many seconds to wait.
    Status(u16, String, Option<u64>),
    /// It hangs up in the middle of the answer.
    Cut,
    /// It takes the request and never answers.
    Hang,
    /// It sends the first piece and then nothing; of a whole answer, nothing at all.
    Stall,
    /// It sends something that is not JSON.
    BadJson,
    /// It sends JSON that is no answer.
    NoAnswer,
    /// It answers in words without end.
    Endless,
    /// It calls a tool with arguments without end.
    EndlessCall,
    /// It answers with this status, and what it says about it has no end.
    EndlessStatus(u16),
    /// It sends a few bytes now and then, never a whole piece, and hangs up after a second or so.
    Drip,
    /// It begins to stream, then tells of a failure of this type; of a whole answer, a status 529.
    ToldInStream(String),
}

impl ScriptedReply {
    /// An answer in words.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// A call of one tool.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::Calls(vec![(name.to_owned(), arguments)])
    }

    /// A failure with a status.
    pub fn status(status: u16, words: &str) -> Self {
        Self::Fault(ServerFault::Status(status, words.to_owned(), None))
    }
}

/// What is put into one wire format: a fault has become bytes before.
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

    /// Which of three names for the reason applies: done, out of tokens, tools called.
    pub(super) fn reason<'a>(&self, [done, length, tools]: [&'a str; 3]) -> &'a str {
        match (self.cut_short, self.calls.is_empty()) {
            (true, _) => length,
            (false, true) => done,
            (false, false) => tools,
        }
    }
}

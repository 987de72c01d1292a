//! Calls, and what was answered to them first.

use piton_workflow::TokenString;
use piton_workflow::session::{
    Checkpoint, CheckpointBody, Continue, NextParams, Reply, ReplyBody, Start,
};

/// A call that changed something, by what makes it the same call again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    Start(String),
    HandIn(String),
    Bookmark(String),
}

/// What was sent, and what was answered first.
#[derive(Clone, Debug)]
pub(super) enum First {
    Start(Start, ReplyBody),
    HandIn(Continue, ReplyBody),
    Bookmark(Checkpoint, CheckpointBody),
}

/// A reply, and how often the keys had changed when its tokens were made.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) reply: Reply,
    pub(super) minted: u64,
}

/// What a long token says, without who signed it.
pub(super) fn payload(token: &str) -> String {
    token.parse::<TokenString>().expect("it is a token").payload().to_owned()
}

pub(super) fn without_tokens(body: &ReplyBody) -> ReplyBody {
    let mut body = body.clone();
    body.state_token.clear();
    body.ack_token = body.ack_token.map(|_| String::new());
    body.checkpoint_token = body.checkpoint_token.map(|_| String::new());
    for call in
        [&mut body.next_call, &mut body.checkpoint_call, &mut body.state_call].into_iter().flatten()
    {
        call.params = NextParams::default();
    }
    body
}

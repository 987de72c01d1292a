//! What a set of tools is to the server.

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::StepAccess;

use super::checked_call::CheckedCall;
use super::tool_reply::ToolReply;
use crate::catalogue::{Catalogue, ToolCard};

/// The tools of one set that one connection has.
pub trait ToolSet: Send + Sync {
    /// What its agent reads about it.
    fn catalogue(&self) -> &Catalogue;

    /// Other names that models write for fields of its tools, each with the field that it means.
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Makes a call of one of its tools. A call that is given up stops at its next wait.
    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>>;

    /// Those of its tools of which some use can succeed under one of what steps leave.
    fn tools_left(&self, _left: &[Option<StepAccess>]) -> Vec<&ToolCard> {
        self.catalogue().tools.iter().collect()
    }

    /// What an agent is told of what a step leaves it, if the set has something to say about that.
    fn map(&self, _access: Option<&StepAccess>) -> Option<String> {
        None
    }

    /// Whether its calls move runs from step to step, so that what steps leave may be something else after one.
    fn moves_runs(&self) -> bool {
        false
    }

    /// Finishes what can wait, now that the agent is gone.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

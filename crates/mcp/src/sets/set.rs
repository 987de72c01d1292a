//! The interface between a set of tools and the server.

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::StepAccess;

use super::checked_call::CheckedCall;
use super::tool_reply::ToolReply;
use crate::catalogue::{Catalogue, ToolCard};

/// The tools of one set that one connection has.
pub trait ToolSet: Send + Sync {
    /// Returns the catalogue that its agent reads.
    fn catalogue(&self) -> &Catalogue;

    /// Returns other names that models use for fields of its tools, each with the field that it means.
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Calls one of its tools. A cancelled call stops at its next await.
    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>>;

    /// Returns the tools that can succeed in some way with at least one of the given accesses.
    fn tools_left(&self, _left: &[Option<StepAccess>]) -> Vec<&ToolCard> {
        self.catalogue().tools.iter().collect()
    }

    /// Describes to an agent what a step leaves it, if the set has something to say about that.
    fn map(&self, _access: Option<&StepAccess>) -> Option<String> {
        None
    }

    /// True if its calls move runs from step to step, which may change the access that steps leave.
    fn moves_runs(&self) -> bool {
        false
    }

    /// Finishes deferred work, now that the agent is gone.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

//! A run that a scripted agent plays, for a person who has no agent at hand.
//!
//! *Invariants*: the console asks for it and has no way to play it. Whoever starts the console does, over MCP, as any
//! agent.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use piton_core::{Code, Envelope, RunId, SessionId};
use piton_runtime::reply::Deleted;
use schemars::JsonSchema;
use serde::Serialize;

use crate::console::Console;

/// The outcome of a call to a demo, while it is made.
pub type DemoFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Envelope>> + Send + 'a>>;

/// A scripted agent that plays runs, one at a time.
pub trait Demo: Send + Sync {
    /// Returns the id of the workflow that demo runs follow. A run is a demo if it follows this one.
    fn workflow_id(&self) -> &str;

    /// Returns the run that is being played.
    fn playing(&self) -> Option<DemoRun>;

    /// Starts a run, and plays it in the background. Refuses while another one is being played.
    fn play(&self) -> DemoFuture<'_, DemoRun>;

    /// Removes a demo run with everything that it left, and stops it first if it is being played. Refuses any other
    /// run.
    fn remove(&self, session: SessionId) -> DemoFuture<'_, Deleted>;
}

impl fmt::Debug for dyn Demo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Demo({})", self.workflow_id())
    }
}

/// A run that a scripted agent plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoRun {
    pub session_id: SessionId,
    pub run_id: RunId,
}

/// Demo runs, as a page sees them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemoStatus {
    /// The workflow that demo runs follow; absent if this console has no demo.
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow_id: Option<String>,
    /// The run that is being played.
    #[serde(skip_serializing_if = "Option::is_none")]
    playing: Option<DemoRun>,
}

impl Console {
    /// Returns the scripted agent.
    pub(crate) fn demo(&self) -> Result<&dyn Demo, Envelope> {
        self.demo.as_deref().ok_or_else(|| {
            Envelope::new(Code::ValidationError, "This console has no demo.")
                .with_suggestion("Run `piton demo` in a terminal.")
        })
    }

    pub(crate) fn demo_status(&self) -> DemoStatus {
        self.demo.as_deref().map_or_else(DemoStatus::default, |demo| DemoStatus {
            workflow_id: Some(demo.workflow_id().to_owned()),
            playing: demo.playing(),
        })
    }
}

//! Problems of a log in which each event is well-formed by itself.

use piton_core::{EventId, EventIndex, GapId, NodeId, OutputId, RunId};

use crate::observation::ChangeOrdinal;

/// An event that the log around it contradicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {index}: {problem}")]
pub struct LogFlaw {
    pub index: EventIndex,
    pub problem: LogProblem,
}

/// A problem of an event, given the log around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogProblem {
    /// The event belongs to another session than the first event.
    #[error("it belongs to another session")]
    ForeignSession,
    /// The index of the event is not the next one.
    #[error("it stands at place {expected}")]
    IndexOutOfOrder {
        /// The index that it should have.
        expected: EventIndex,
    },
    /// The log does not begin with its session, or the session begins again.
    #[error("a log begins with `session_created`, and has it once")]
    SessionCreated,
    #[error("an earlier event has the same id")]
    RepeatedEventId,
    #[error("an earlier event has the same dedupe key")]
    RepeatedFact,
    /// The event names a run that did not start.
    #[error("{run} did not start")]
    UnknownRun { run: RunId },
    /// The event names a node that was not created.
    #[error("{node} was not created before")]
    UnknownNode { node: NodeId },
    /// The event names a node of another run than its own.
    #[error("{node} belongs to another run")]
    NodeOfAnotherRun { node: NodeId },
    /// The node was created before, in this run or another one.
    #[error("{node} was created before")]
    RepeatedNode { node: NodeId },
    /// The run already has a root.
    #[error("{run} has a root already, so the node needs a parent")]
    SecondRoot { run: RunId },
    /// The node is pinned to another compiled workflow than its run.
    #[error("{run} is pinned to another workflow hash")]
    WorkflowHash { run: RunId },
    /// The edge does not lead from a node to a child of that node.
    #[error("the parent of {to} is not {from}")]
    NotTheParent { from: NodeId, to: NodeId },
    /// The edge of a bookmark leads to a node that is not one.
    #[error("{node} is not a checkpoint")]
    NotACheckpoint { node: NodeId },
    /// The cause of the edge is not another event of this log.
    #[error("the cause {event} is no other event of this session")]
    UnknownCause { event: EventId },
    /// The run advanced to a node that was not created.
    #[error("the run went on to {to}, which was not created")]
    AdvanceWithoutNode { to: NodeId },
    /// The run advanced to a node that no edge leads to.
    #[error("the run went on to {to}, and no edge leads there")]
    AdvanceWithoutEdge { to: NodeId },
    /// The output supersedes one that was not appended.
    #[error("{output} was not appended before")]
    UnknownOutput { output: OutputId },
    /// The output supersedes one of another node.
    #[error("{output} belongs to another node")]
    OutputOfAnotherNode { output: OutputId },
    /// The output supersedes one on another channel.
    #[error("{output} is on another channel")]
    OutputOnAnotherChannel { output: OutputId },
    /// The effective preferences are not the earlier ones with the change applied.
    #[error("the effective preferences are not the earlier ones after the delta")]
    EffectivePreferences,
    /// The gap resolves one that was not recorded.
    #[error("{gap} was not recorded before")]
    UnknownGap { gap: GapId },
    /// The dedupe key of an observation miscounts the changes before it.
    #[error("the observation is change {expected} of its key")]
    ObservationChange {
        /// The number of earlier observations of the same key.
        expected: ChangeOrdinal,
    },
}

//! What is wrong with a log of events that are each well formed.

use piton_core::{EventId, EventIndex, GapId, NodeId, OutputId, RunId};

use crate::observation::ChangeOrdinal;

/// An event that the log around it contradicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {index}: {problem}")]
pub struct LogFlaw {
    /// The event.
    pub index: EventIndex,
    /// What is wrong with it.
    pub problem: LogProblem,
}

/// What is wrong with an event, given the log around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogProblem {
    /// It belongs to another session than the first event.
    #[error("it belongs to another session")]
    ForeignSession,
    /// It does not stand at its place.
    #[error("it stands at place {expected}")]
    IndexOutOfOrder {
        /// The place at which it stands.
        expected: EventIndex,
    },
    /// A log does not begin with its session, or the session begins again.
    #[error("a log begins with `session_created`, and has it once")]
    SessionCreated,
    /// An earlier event has the same id.
    #[error("an earlier event has the same id")]
    RepeatedEventId,
    /// An earlier event has the same dedupe key.
    #[error("an earlier event has the same dedupe key")]
    RepeatedFact,
    /// It names a run that did not start.
    #[error("{run} did not start")]
    UnknownRun {
        /// The run.
        run: RunId,
    },
    /// It names a node that was not created.
    #[error("{node} was not created before")]
    UnknownNode {
        /// The node.
        node: NodeId,
    },
    /// It names a node of another run than its own.
    #[error("{node} belongs to another run")]
    NodeOfAnotherRun {
        /// The node.
        node: NodeId,
    },
    /// The node was created before, in this run or another one.
    #[error("{node} was created before")]
    RepeatedNode {
        /// The node.
        node: NodeId,
    },
    /// The run has a root already.
    #[error("{run} has a root already, so the node needs a parent")]
    SecondRoot {
        /// The run.
        run: RunId,
    },
    /// The node is pinned to another compiled workflow than its run.
    #[error("{run} is pinned to another workflow hash")]
    WorkflowHash {
        /// The run.
        run: RunId,
    },
    /// The edge joins nodes of which the second did not come out of the first.
    #[error("the parent of {to} is not {from}")]
    NotTheParent {
        /// Where the edge begins.
        from: NodeId,
        /// Where it ends.
        to: NodeId,
    },
    /// The edge of a bookmark ends at a node that is none.
    #[error("{node} is not a checkpoint")]
    NotACheckpoint {
        /// The node.
        node: NodeId,
    },
    /// The cause of the edge is no other event of this log.
    #[error("the cause {event} is no other event of this session")]
    UnknownCause {
        /// The event.
        event: EventId,
    },
    /// The run went on to a node that was not created.
    #[error("the run went on to {to}, which was not created")]
    AdvanceWithoutNode {
        /// The node.
        to: NodeId,
    },
    /// The run went on to a node without an edge that leads there.
    #[error("the run went on to {to}, and no edge leads there")]
    AdvanceWithoutEdge {
        /// The node.
        to: NodeId,
    },
    /// It supersedes an output that was not appended.
    #[error("{output} was not appended before")]
    UnknownOutput {
        /// The output.
        output: OutputId,
    },
    /// It supersedes an output of another node.
    #[error("{output} belongs to another node")]
    OutputOfAnotherNode {
        /// The output.
        output: OutputId,
    },
    /// It supersedes an output on another channel.
    #[error("{output} is on another channel")]
    OutputOnAnotherChannel {
        /// The output.
        output: OutputId,
    },
    /// The effective preferences are not those before with the change applied.
    #[error("the effective preferences are not the earlier ones after the delta")]
    EffectivePreferences,
    /// It resolves a gap that was not recorded.
    #[error("{gap} was not recorded before")]
    UnknownGap {
        /// The gap.
        gap: GapId,
    },
    /// The dedupe key of an observation miscounts the changes before it.
    #[error("the observation is change {expected} of its key")]
    ObservationChange {
        /// How many observations of the same key came before.
        expected: ChangeOrdinal,
    },
}

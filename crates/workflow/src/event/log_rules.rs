//! The rules that hold across the events of a log.
//!
//! *Invariants*: an event that is refused leaves the rules unchanged. Nodes come after their parents, and
//! edges after their nodes. Two things may be named before they appear in the log, as long as they come in
//! the same plan: the event that caused an edge, and the node and edge of an attempt that advanced. At the
//! end of a plan, [`LogRules::settled`] checks that they came.
//!
//! *Limitations*: the preferences that are in force before the first change on the way to a node are not in
//! the log, so that change is checked against itself only.

use piton_core::{
    DedupeKey, EventId, EventIndex, GapId, NodeId, OutputId, RunId, SessionId, WorkflowHash,
};

use super::advance::AdvanceOutcome;
use super::body::EventBody;
use super::envelope::{NodeScope, SessionEvent};
use super::gap::Resolution;
use super::graph::{EdgeCreated, EdgeKind, NodeCreated, NodeKind};
use super::observation::{ChangeOrdinal, ObservationKey};
use super::output::{NodeOutputAppended, OutputChannel};
use super::preferences::{Preferences, PreferencesChanged};
use crate::id_map::{IdMap, IdSet};

/// Checks a whole log.
pub fn validate(events: &[SessionEvent]) -> Result<(), LogFlaw> {
    let mut rules = LogRules::new();
    for event in events {
        rules.apply(event)?;
    }
    rules.settled()
}

/// The state that the next event of a log is checked against. It sees each event once, in order.
#[derive(Clone, Debug, Default)]
pub struct LogRules {
    session: Option<SessionId>,
    next: EventIndex,
    ids: IdSet<EventId>,
    facts: IdSet<DedupeKey>,
    runs: IdMap<RunId, RunRules>,
    nodes: IdMap<NodeId, NodeRules>,
    acked: IdSet<(NodeId, NodeId)>,
    outputs: IdMap<OutputId, (NodeId, OutputChannel)>,
    gaps: IdSet<GapId>,
    observed: IdMap<ObservationKey, u64>,
    owed: Vec<Debt>,
}

#[derive(Clone, Debug)]
struct RunRules {
    workflow_hash: WorkflowHash,
    has_root: bool,
}

#[derive(Clone, Debug)]
struct NodeRules {
    run: RunId,
    kind: NodeKind,
    parent: Option<NodeId>,
    preferences: Option<Preferences>,
}

/// A forward reference: something that an event named and that has yet to appear.
#[derive(Clone, Copy, Debug)]
struct Debt {
    index: EventIndex,
    what: Owed,
}

#[derive(Clone, Copy, Debug)]
enum Owed {
    Cause(EventId),
    Advance { from: NodeId, to: NodeId },
}

impl LogRules {
    /// Creates the rules of an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the index that the next event must have.
    pub const fn next(&self) -> EventIndex {
        self.next
    }

    /// Checks the next event and remembers it.
    pub fn apply(&mut self, event: &SessionEvent) -> Result<(), LogFlaw> {
        // All checks come before the first change, so a refused event leaves no trace in the rules.
        self.check(event).map_err(|problem| LogFlaw { index: event.index(), problem })?;
        self.record(event);
        Ok(())
    }

    /// Checks that everything appeared that was named before it was in the log.
    pub fn settled(&self) -> Result<(), LogFlaw> {
        let Some(debt) = self.owed.first() else {
            return Ok(());
        };
        let problem = match debt.what {
            Owed::Cause(event) => LogProblem::UnknownCause { event },
            // The advance is owed until its edge appears. If the node is there already, only the edge is
            // missing.
            Owed::Advance { to, .. } if self.nodes.contains_key(&to) => {
                LogProblem::AdvanceWithoutEdge { to }
            }
            Owed::Advance { to, .. } => LogProblem::AdvanceWithoutNode { to },
        };
        Err(LogFlaw { index: debt.index, problem })
    }

    fn check(&self, event: &SessionEvent) -> Result<(), LogProblem> {
        // The first event sets the session, so there is nothing to compare it with.
        if self.session.is_some_and(|session| session != event.session()) {
            return Err(LogProblem::ForeignSession);
        }
        // Indices have no gaps: the position of an event in the log is its index.
        if event.index() != self.next {
            return Err(LogProblem::IndexOutOfOrder { expected: self.next });
        }
        // Exactly the first event creates the session; the comparison refuses a log without it as well as a
        // second one.
        if matches!(event.body(), EventBody::SessionCreated) != self.session.is_none() {
            return Err(LogProblem::SessionCreated);
        }
        if self.ids.contains(&event.id()) {
            return Err(LogProblem::RepeatedEventId);
        }
        self.check_body(event.body())?;
        // `record` would settle this debt at once, since the event's own id is among the known ones by then.
        if let EventBody::EdgeCreated(_, edge) = event.body()
            && edge.cause().event_id == event.id()
        {
            return Err(LogProblem::UnknownCause { event: event.id() });
        }
        // Last: a repeated node, for example, also repeats its key, and the specific error says more.
        if self.facts.contains(event.dedupe_key()) {
            return Err(LogProblem::RepeatedFact);
        }
        Ok(())
    }

    fn check_body(&self, body: &EventBody) -> Result<(), LogProblem> {
        match body {
            // A run that starts twice repeats its dedupe key, which is checked for every event.
            EventBody::SessionCreated | EventBody::RunStarted(..) => Ok(()),
            EventBody::ObservationRecorded { scope, change, data } => {
                scope.map_or(Ok(()), |at| self.check_node(at))?;
                // The ordinal is only in the dedupe key. Without this check a repeated observation could pass
                // as a new one.
                let expected = ChangeOrdinal(self.observed.get(&data.key).copied().unwrap_or(0));
                if *change == expected {
                    Ok(())
                } else {
                    Err(LogProblem::ObservationChange { expected })
                }
            }
            EventBody::NodeCreated(at, node) => self.check_new_node(*at, node),
            EventBody::EdgeCreated(run, edge) => self.check_edge(*run, edge),
            EventBody::NodeOutputAppended(at, output) => {
                self.check_node(*at)?;
                self.check_superseded(at.node, output)
            }
            EventBody::PreferencesChanged(at, changed) => {
                self.check_node(*at)?;
                self.check_preferences(at.node, changed)
            }
            EventBody::GapRecorded(at, gap) => {
                self.check_node(*at)?;
                match gap.resolution {
                    // Only an earlier gap can be resolved, so a resolution never points forward.
                    Resolution::Resolves { resolves_gap_id: gap } if !self.gaps.contains(&gap) => {
                        Err(LogProblem::UnknownGap { gap })
                    }
                    Resolution::Resolves { .. } | Resolution::Unresolved {} => Ok(()),
                }
            }
            EventBody::AdvanceRecorded(at, _)
            | EventBody::CapabilityObserved(at, _)
            | EventBody::DivergenceRecorded(at, _)
            | EventBody::DecisionTraceAppended(at, _) => self.check_node(*at),
            EventBody::ContextSet(run, _) => self.run(*run).map(|_| ()),
        }
    }

    fn run(&self, run: RunId) -> Result<&RunRules, LogProblem> {
        self.runs.get(&run).ok_or(LogProblem::UnknownRun { run })
    }

    /// The node, which must be one of `run`.
    fn node_of(&self, run: RunId, node: NodeId) -> Result<&NodeRules, LogProblem> {
        let found = self.nodes.get(&node).ok_or(LogProblem::UnknownNode { node })?;
        if found.run == run { Ok(found) } else { Err(LogProblem::NodeOfAnotherRun { node }) }
    }

    fn check_node(&self, at: NodeScope) -> Result<(), LogProblem> {
        self.run(at.run)?;
        self.node_of(at.run, at.node).map(|_| ())
    }

    fn check_new_node(&self, at: NodeScope, node: &NodeCreated) -> Result<(), LogProblem> {
        let run = self.run(at.run)?;
        // Node ids are unique across the runs of a session.
        if self.nodes.contains_key(&at.node) {
            return Err(LogProblem::RepeatedNode { node: at.node });
        }
        // A node repeats the hash of its run and must not contradict it.
        if node.workflow_hash != run.workflow_hash {
            return Err(LogProblem::WorkflowHash { run: at.run });
        }
        // Parents must already exist, so a cycle cannot arise and walking up the parents always ends.
        match node.parent_node_id {
            Some(parent) => self.node_of(at.run, parent).map(|_| ()),
            None if run.has_root => Err(LogProblem::SecondRoot { run: at.run }),
            None => Ok(()),
        }
    }

    fn check_edge(&self, run: RunId, edge: &EdgeCreated) -> Result<(), LogProblem> {
        self.run(run)?;
        let (from, to) = (edge.from(), edge.to());
        self.node_of(run, from)?;
        let target = self.node_of(run, to)?;
        // An edge adds no topology of its own: it can only repeat what the node said about its parent.
        if target.parent != Some(from) {
            return Err(LogProblem::NotTheParent { from, to });
        }
        if edge.kind() == EdgeKind::Checkpoint && target.kind != NodeKind::Checkpoint {
            return Err(LogProblem::NotACheckpoint { node: to });
        }
        Ok(())
    }

    fn check_superseded(
        &self,
        node: NodeId,
        output: &NodeOutputAppended,
    ) -> Result<(), LogProblem> {
        let Some(earlier) = output.supersedes_output_id else {
            return Ok(());
        };
        // A correction stays within its node and channel, so that it cannot replace an output of another
        // kind.
        let problem = match self.outputs.get(&earlier) {
            None => LogProblem::UnknownOutput { output: earlier },
            Some((owner, _)) if *owner != node => {
                LogProblem::OutputOfAnotherNode { output: earlier }
            }
            Some((_, channel)) if *channel != output.channel() => {
                LogProblem::OutputOnAnotherChannel { output: earlier }
            }
            Some(_) => return Ok(()),
        };
        Err(problem)
    }

    fn check_preferences(
        &self,
        node: NodeId,
        changed: &PreferencesChanged,
    ) -> Result<(), LogProblem> {
        // Without an earlier change on the path there is nothing to compare with (see the limitations above).
        match self.preferences_of(node) {
            Some(previous) if previous.after(changed.delta()) != changed.effective() => {
                Err(LogProblem::EffectivePreferences)
            }
            _ => Ok(()),
        }
    }

    /// Returns the preferences of a node: its own latest, or else those of the nearest ancestor that has
    /// some.
    fn preferences_of(&self, node: NodeId) -> Option<Preferences> {
        let mut node = Some(node);
        while let Some(found) = node.and_then(|node| self.nodes.get(&node)) {
            if found.preferences.is_some() {
                return found.preferences;
            }
            node = found.parent;
        }
        None
    }

    fn record(&mut self, event: &SessionEvent) {
        self.session = Some(event.session());
        self.next = event.index().next();
        self.ids.insert(event.id());
        self.facts.insert(event.dedupe_key().clone());
        let owe = |what| Debt { index: event.index(), what };
        match event.body() {
            EventBody::ObservationRecorded { data, .. } => {
                *self.observed.entry(data.key).or_default() += 1;
            }
            EventBody::RunStarted(run, started) => {
                let workflow_hash = started.workflow_hash;
                self.runs.insert(*run, RunRules { workflow_hash, has_root: false });
            }
            EventBody::NodeCreated(at, node) => {
                let (kind, parent) = (node.node_kind, node.parent_node_id);
                let run = self.runs.get_mut(&at.run).expect("the check found it");
                run.has_root |= parent.is_none();
                self.nodes
                    .insert(at.node, NodeRules { run: at.run, kind, parent, preferences: None });
            }
            EventBody::EdgeCreated(_, edge) => {
                // Only such an edge settles an advance; a bookmark does not move the run.
                if edge.kind() == EdgeKind::AckedStep {
                    self.acked.insert((edge.from(), edge.to()));
                }
                // The `retain` below settles it at once if the cause is already in the log.
                self.owed.push(owe(Owed::Cause(edge.cause().event_id)));
            }
            EventBody::AdvanceRecorded(at, advance) => {
                if let AdvanceOutcome::Advanced { to_node_id: to } = advance.outcome {
                    self.owed.push(owe(Owed::Advance { from: at.node, to }));
                }
            }
            EventBody::NodeOutputAppended(at, output) => {
                self.outputs.insert(output.output_id, (at.node, output.channel()));
            }
            EventBody::PreferencesChanged(at, changed) => {
                let node = self.nodes.get_mut(&at.node).expect("the check found it");
                node.preferences = Some(changed.effective());
            }
            EventBody::GapRecorded(_, gap) => {
                self.gaps.insert(gap.gap_id);
            }
            EventBody::SessionCreated
            | EventBody::CapabilityObserved(..)
            | EventBody::DivergenceRecorded(..)
            | EventBody::DecisionTraceAppended(..)
            | EventBody::ContextSet(..) => {}
        }
        // Any event may settle a debt, including the one that was just recorded, so all of them are looked at
        // again. There are few: they last for one plan at most.
        let Self { owed, ids, acked, .. } = self;
        owed.retain(|debt| match debt.what {
            Owed::Cause(event) => !ids.contains(&event),
            Owed::Advance { from, to } => !acked.contains(&(from, to)),
        });
    }
}

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

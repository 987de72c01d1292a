//! The question that a run has for a person, for a front end that can put it to them.
//!
//! *Invariants*: a person is asked once for each attempt of the agent. Anything that they said since then, even a no,
//! is their answer, no matter how often the agent repeats its call.

use piton_core::{NodeId, RunId, SessionId, truncate};

use super::error::{Error, Refusal};
use super::reader::Reader;
use super::reply::RunLine;
use super::reply_basis::ReplyBasis;
use super::reply_builder::StepContext;
use super::settle::open_on;
use crate::bounds::QUESTION_EXCERPT_BYTES_MAX;
use crate::projection::RunState;
use crate::reason::UserOnlyDependency;
use crate::run::NextIntent;
use crate::token::NodeAddress;

/// A question of a run to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The run, at the step that it waits at.
    pub run: RunLine,
    /// The node that the run waits at. An answer counts there alone.
    pub node: NodeId,
    pub title: String,
    /// The dependency that only the person can supply.
    pub reason: UserOnlyDependency,
    /// The question as the workflow's author wrote it. Without one, the person is asked to confirm the step before it
    /// is done.
    pub words: Option<String>,
    /// The beginning of the prompt that the agent gets for the step.
    pub excerpt: String,
}

impl Reader {
    /// Returns the question that a run has for a person, or `None` if it has none or if they spoke since the agent's
    /// last attempt.
    pub async fn question(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<Question>, Error> {
        let cached = self.current(session).await?;
        let (basis, has_spoken) = {
            let cached = cached.lock();
            let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
            let node = state.graph.preferred_tip().ok_or(Refusal::UnknownRun)?.id;
            let basis = ReplyBasis::now(&cached.state, NodeAddress { session, run, node })?;
            (basis, has_spoken(state, node))
        };
        if has_spoken {
            return Ok(None);
        }
        let step_context = self.step_context(basis).await?;
        // The lock was released for the read above. The log only grows, so the run is still there.
        let cached = cached.lock();
        let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
        Ok(question_for(&step_context, state))
    }
}

/// True if a person said something at a node since the last attempt there.
fn has_spoken(run: &RunState, node: NodeId) -> bool {
    let last = run.advances.at_node(node).last();
    let decisions = run.decisions_on(node);
    decisions.last().is_some_and(|said| last.is_none_or(|attempt| said.index > attempt.index))
}

/// Returns the author's question once the agent was sent back for it, else the confirmation that the step waits for.
fn question_for(step_context: &StepContext, run: &RunState) -> Option<Question> {
    let pending = step_context.pending()?;
    let step = step_context.pinned.workflow.step(&pending.step_id)?;
    let node = step_context.basis.address.node;
    let needed = step
        .needs_user
        .as_ref()
        .filter(|need| open_on(run, node, need.reason).next().is_some())
        .map(|need| (need.reason, Some(need.question.clone())));
    let confirmed = || {
        let awaits = step_context.next_intent() == NextIntent::AwaitUserConfirmation;
        (awaits && step.needs_user.is_none()).then_some((UserOnlyDependency::Approval, None))
    };
    let (reason, words) = needed.or_else(confirmed)?;
    Some(Question {
        run: step_context.run_line(),
        node,
        title: pending.title.as_str().to_owned(),
        reason,
        words,
        excerpt: truncate(pending.prompt.as_str(), QUESTION_EXCERPT_BYTES_MAX).into_owned(),
    })
}

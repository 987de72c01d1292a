//! What a run asks a person, for a door that can put it to them.
//!
//! *Invariants*: a person is asked once for each attempt of the agent. What they said since then, be it no, is
//! their answer, however often the agent repeats its call.

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

/// What a run asks a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The run, at the step that it waits at.
    pub run: RunLine,
    /// Where it waits. An answer counts there alone.
    pub node: NodeId,
    /// The title of the step.
    pub title: String,
    /// What only they can supply.
    pub reason: UserOnlyDependency,
    /// What the author of the workflow asks them; without it, they are to confirm the step before it is done.
    pub words: Option<String>,
    /// The beginning of what the step tells the agent.
    pub excerpt: String,
}

impl Reader {
    /// What a run waits for a person for; nothing if it does not, or if they spoke since the agent's last attempt.
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
        let cached = cached.lock();
        let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
        Ok(question_for(&step_context, state))
    }
}

/// Whether a person said something at a node since the last attempt there.
fn has_spoken(run: &RunState, node: NodeId) -> bool {
    let last = run.advances.at_node(node).last();
    let decisions = run.decisions_on(node);
    decisions.last().is_some_and(|said| last.is_none_or(|attempt| said.index > attempt.index))
}

/// What the author asks for once the agent was sent back for it, else a confirmation that is waited for.
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

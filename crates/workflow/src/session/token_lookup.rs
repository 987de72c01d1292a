//! Resolves the tokens of a call to the node that they name, and finds the tokens that continue a run. Also finds the
//! pending step that authorises a call of another tool. Nothing is written.
//!
//! A long token carries its payload. A short token only says where to look: in every session with a matching id
//! suffix, at the node and the attempt with the ordinals that it carries. Sessions that this process has cached are
//! tried first, so that a session in active use is found without listing all of them.
//!
//! *Invariants*: nothing is remembered between calls. The log is checked each time, so that an advance by another
//! process takes effect at once.

use piton_core::{NodeId, Provenance, RunId, SessionId};
use piton_store::StreamId;

use super::error::{Error, Refusal, RunPlace};
use super::reader::Reader;
use super::reply::NextCall;
use super::reply_basis::ReplyBasis;
use super::text;
use crate::compile::StepAccess;
use crate::event::NodeKind;
use crate::label::{Label, label};
use crate::projection::{RunNode, RunState, SessionState};
use crate::token;
use crate::token::{
    AckPayload, AnyToken, AttemptKind, CheckpointPayload, NodeAddress, Payload, SessionTail,
    ShortToken, StatePayload, TokenError, TokenKind, attempt_id, checkpoint_node_id,
};

/// The run that a token belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRun {
    pub session: SessionId,
    pub run: RunId,
    pub node: NodeId,
    /// Name of the run for people.
    pub label: Label,
    pub kind: TokenKind,
    /// Set when a call with the token writes nothing: it only reads, or its attempt is already on record.
    pub is_recorded: bool,
}

/// The token and the call that resume a run at its preferred tip.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumedRun {
    /// Asks for the state of the run.
    pub state_token: String,
    /// The call that sends the token.
    pub next_call: NextCall,
}

impl Reader {
    /// Verifies a token of either form and returns its payload. The node of a short token exists; that of a long one
    /// is not looked up here.
    pub(super) async fn payload(&self, text: &str) -> Result<Payload, Error> {
        let payload = match text.trim().parse()? {
            AnyToken::Long(token) => token::verify(&token, &*self.keys).await?,
            AnyToken::Short(token) => self.resolve_short(&token).await?,
        };
        Ok(payload)
    }

    async fn resolve_short(&self, token: &ShortToken) -> Result<Payload, Error> {
        let ends_so = |session: &SessionId| SessionTail::of(*session) == token.session();
        let known = self.loader.known(ends_so);
        // A session elsewhere in the store may have the same suffix, so a failure here proves nothing yet.
        if let Ok(payload) = self.settle_among(token, &known).await {
            return Ok(payload);
        }
        let listed = self.journal().streams().await?;
        let sessions = listed.iter().filter_map(session_of).filter(ends_so);
        self.settle_among(token, &sessions.collect::<Vec<_>>()).await
    }

    async fn settle_among(
        &self,
        token: &ShortToken,
        sessions: &[SessionId],
    ) -> Result<Payload, Error> {
        let mut candidates = Vec::with_capacity(sessions.len());
        for session in sessions {
            // An unreadable session is skipped, unless it is the only one that the token can belong to: then its
            // error is the answer.
            match self.current(*session).await {
                Ok(cached) => candidates.extend(candidate(&cached.lock().state, *session, token)),
                Err(error) if sessions.len() == 1 => return Err(error),
                Err(_) => {}
            }
        }
        // The suffix and the ordinals only nominate candidates. The signature decides which one the token belongs to.
        Ok(token::verify_short(token, &candidates, &*self.keys).await?)
    }

    /// Returns the run that a token of any kind belongs to.
    pub async fn token_run(&self, token: &str) -> Result<TokenRun, Error> {
        let payload = self.payload(token).await?;
        let NodeAddress { session, run, node } = payload.address();
        let cached = self.current(session).await.map_err(Error::of_token)?;
        let (kind, is_recorded) = {
            let cached = cached.lock();
            let (state, _) = node_of(&cached.state, payload.address())?;
            match &payload {
                Payload::State(_) => (TokenKind::State, true),
                Payload::Ack(ack) => {
                    (TokenKind::Ack, state.advances.attempt(node, ack.attempt).is_some())
                }
                Payload::Checkpoint(made) => {
                    let bookmark = checkpoint_node_id(made.address, made.attempt);
                    (TokenKind::Checkpoint, state.graph.node(bookmark).is_some())
                }
            }
        };
        Ok(TokenRun { session, run, node, label: label(run), kind, is_recorded })
    }

    /// Describes the position of a run at a node, or at its preferred tip if no node is given, with the calls that
    /// continue it.
    pub async fn run_place(
        &self,
        session: SessionId,
        run: RunId,
        node: Option<NodeId>,
    ) -> Result<RunPlace, Error> {
        self.place(self.basis(session, run, node).await?).await
    }

    /// Describes the position of the run at the node that a token names.
    pub(super) async fn run_place_at(&self, address: NodeAddress) -> Result<RunPlace, Error> {
        let cached = self.current(address.session).await?;
        let basis = ReplyBasis::now(&cached.lock().state, address)?;
        self.place(basis).await
    }

    async fn place(&self, basis: ReplyBasis) -> Result<RunPlace, Error> {
        let step_context = self.step_context(basis).await?;
        Ok(text::run_place(&self.body(&step_context).await?))
    }

    /// Returns the token of a run's preferred tip.
    pub async fn take_up(&self, session: SessionId, run: RunId) -> Result<ResumedRun, Error> {
        self.take_up_at(session, run, None).await
    }

    /// Returns the token of a node of a run, or of its preferred tip if no node is given. Submitting an output there
    /// begins a branch if the run has already left the node.
    pub async fn take_up_at(
        &self,
        session: SessionId,
        run: RunId,
        node: Option<NodeId>,
    ) -> Result<ResumedRun, Error> {
        let basis = self.basis(session, run, node).await?;
        let token = self.mint_one(basis.state_payload()).await?;
        let next_call = NextCall::ask(run, token.short);
        Ok(ResumedRun { state_token: token.long, next_call })
    }
}

fn session_of(stream: &StreamId) -> Option<SessionId> {
    stream.as_str().parse().ok()
}

/// Returns the payload that a short token would have if it belonged to `session`.
fn candidate(state: &SessionState, session: SessionId, token: &ShortToken) -> Option<Payload> {
    // The result is a guess until its signature is checked: any session may have a node with this ordinal.
    let at = state.node_at(usize::try_from(token.node().get()).ok()?)?;
    let address = NodeAddress { session, run: at.run, node: at.node };
    let attempt = |kind| Some(attempt_id(address, kind, token.attempt()?));
    Some(match token.kind() {
        TokenKind::State => {
            let workflow_hash = state.run(at.run)?.started.workflow_hash;
            Payload::State(StatePayload { address, workflow_hash })
        }
        TokenKind::Ack => Payload::Ack(AckPayload { address, attempt: attempt(AttemptKind::Ack)? }),
        TokenKind::Checkpoint => {
            let attempt = attempt(AttemptKind::Checkpoint)?;
            Payload::Checkpoint(CheckpointPayload { address, attempt })
        }
    })
}

/// Returns the run and the node at an address. The node must be a step that a run can continue from.
pub(super) fn node_of(
    state: &SessionState,
    address: NodeAddress,
) -> Result<(&RunState, &RunNode), TokenError> {
    let run = state.run(address.run).ok_or(TokenError::UnknownNode)?;
    let node = run.graph.node(address.node).ok_or(TokenError::UnknownNode)?;
    // Nothing continues from a checkpoint: every token about one names the step that it hangs on.
    if node.kind == NodeKind::Checkpoint {
        return Err(TokenError::UnknownNode);
    }
    Ok((run, node))
}

/// The pending step that a token names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGrant {
    pub provenance: Provenance,
    /// Name of the run for people.
    pub label: Label,
    /// Set when the run is at that step: its node is the preferred tip. After an advance it no longer is, no matter
    /// which process made the advance.
    pub is_at_tip: bool,
    /// Access that the step leaves of what the configuration grants, if it narrows it.
    pub access: Option<StepAccess>,
    /// Set when any step of the workflow narrows access.
    pub narrows: bool,
}

/// Access that the current step of a run leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAccess {
    /// Access that the step leaves of what the configuration grants, if it narrows it.
    pub access: Option<StepAccess>,
    /// Set when any step of the workflow narrows access.
    pub narrows: bool,
}

impl Reader {
    /// Returns the pending step that a token of any kind names. Nothing is written.
    pub async fn step_grant(&self, token: &str) -> Result<StepGrant, Error> {
        let address = self.payload(token).await?.address();
        let cached = self.current(address.session).await.map_err(Error::of_token)?;
        let (basis, is_at_tip) = {
            let cached = cached.lock();
            let (run, node) = node_of(&cached.state, address)?;
            let is_at_tip = run.graph.preferred_tip().is_some_and(|tip| tip.id == node.id);
            (ReplyBasis::now(&cached.state, address)?, is_at_tip)
        };
        let step_context = self.step_context(basis).await?;
        let pending = step_context.pending().ok_or(Refusal::NoPendingStep)?;
        let provenance = Provenance {
            session: address.session,
            run: address.run,
            node: address.node,
            step: pending.step_id.as_str().to_owned(),
        };
        let workflow = &step_context.pinned.workflow;
        let access = workflow.step(&pending.step_id).and_then(|step| step.access.clone());
        let narrows = workflow.narrows();
        Ok(StepGrant { provenance, label: label(address.run), is_at_tip, access, narrows })
    }

    /// Returns the access that the current step of a run leaves, or `None` if no step is pending. Nothing is written.
    pub async fn pending_access(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<PendingAccess>, Error> {
        let basis = self.basis(session, run, None).await?;
        let step_context = self.step_context(basis).await?;
        let Some(pending) = step_context.pending() else { return Ok(None) };
        let workflow = &step_context.pinned.workflow;
        let access = workflow.step(&pending.step_id).and_then(|step| step.access.clone());
        Ok(Some(PendingAccess { access, narrows: workflow.narrows() }))
    }
}

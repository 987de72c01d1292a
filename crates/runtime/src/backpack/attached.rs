//! The backpack that an agent is attached to.
//!
//! Several agents may be attached to one backpack, each through its own process. A recorded call takes part in a turn
//! of its process, during which the backpack is open (`turn`). A call that only reads takes no turn. The state read so
//! far is kept between calls, so the next call reads only the commits that others have added since.
//!
//! *Invariants*: an agent acts through a scope with its own name and permissions, never through the debug handle.
//! Everything that a call recorded, refusals included, is on disk when the call returns.
//!
//! *Limitations*: showing commits older than those kept in memory reads the whole history. While a flow runs on the
//! backpack, recorded calls are refused, and `unpack` is one of them.

use std::fmt;
use std::sync::Arc;

use piton_backpack::journal::{AsyncScope, Holder, JournalPorts, read};
use piton_backpack::{
    Backpack, BackpackId, Error, NodeId, NodeIdentity, Options, Permissions, Scope,
};
use piton_core::Envelope;

use super::caller_scope::CallerScope;
use super::turn::SharedBackpack;

/// A backpack with the permissions of the agents that are attached to it.
#[derive(Clone)]
pub struct Attached {
    shared: Arc<SharedBackpack>,
    permissions: Option<Permissions>,
}

/// The backpack configured for an agent.
#[derive(Clone, Debug)]
pub struct Attachment {
    pub state: Attached,
    /// Name of the agent in the backpack. Without one, the name that the client gives itself is used.
    pub agent: Option<NodeId>,
}

impl fmt::Debug for Attached {
    /// Shows the backpack and the permissions.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (self.shared.id(), &self.permissions);
        formatter.debug_tuple("Attached").field(&fields).finish()
    }
}

impl Attached {
    /// Attaches agents with these permissions. Without any, agents may do what the items themselves allow.
    pub fn new(shared: Arc<SharedBackpack>, permissions: Option<Permissions>) -> Self {
        Self { shared, permissions }
    }

    /// Returns the id of the backpack.
    pub fn backpack(&self) -> &BackpackId {
        self.shared.id()
    }

    /// Returns a scope over the current state, for a call that only reads.
    pub(super) async fn looking(&self, acting: &CallerScope) -> Result<Scope, Envelope> {
        let mut followed = self.shared.take().await.map_err(|error| error.envelope())?;
        // An early return drops the followed state; the next call then reads it from the journal.
        followed.catch_up().await.map_err(|error| error.envelope())?;
        let backpack = followed.state();
        self.shared.put_back(followed);
        self.scope_of(&backpack, acting)
    }

    /// Returns a scope over the recent commits, and the number of commits before them.
    pub(super) async fn looking_at_recent(
        &self,
        acting: &CallerScope,
    ) -> Result<(Scope, u64), Envelope> {
        let mut followed = self.shared.take().await.map_err(|error| error.envelope())?;
        followed.catch_up().await.map_err(|error| error.envelope())?;
        let (backpack, older) = followed.recent();
        self.shared.put_back(followed);
        Ok((self.scope_of(&backpack, acting)?, older))
    }

    /// Returns a scope over the whole history.
    pub(super) async fn looking_back(&self, acting: &CallerScope) -> Result<Scope, Envelope> {
        let JournalPorts { journal, blobs, ports } = self.shared.ports();
        let found = read(&**journal, &**blobs, self.backpack(), ports.clone()).await;
        let backpack = match found {
            Ok((backpack, _)) => backpack,
            // The journal of a backpack appears with the first write, so a missing one means an empty backpack.
            Err(Error::Store(piton_store::Error::NotFound { .. })) => {
                Backpack::empty(self.backpack().clone(), Options::default(), ports.clone())
            }
            Err(error) => return Err(error.envelope()),
        };
        self.scope_of(&backpack, acting)
    }

    fn scope_of(&self, backpack: &Backpack, acting: &CallerScope) -> Result<Scope, Envelope> {
        let scope = backpack.scope(identity(acting)?, self.permissions.clone());
        scope.map_err(|error| error.envelope())
    }

    /// Runs `act` as the agent, within a turn. Everything it recorded is on disk when this returns. If the step does
    /// not leave the agent access (`is_left` is false), the call is refused as if the permission had never been
    /// granted, and the refusal is recorded.
    pub(super) async fn act<T>(
        &self,
        acting: &CallerScope,
        is_left: bool,
        act: impl AsyncFnOnce(&AsyncScope) -> Result<T, Error>,
    ) -> Result<T, Envelope> {
        let identity = identity(acting)?;
        // The holder is shown to processes that find the backpack open. A name too long for it is replaced, not
        // refused.
        let holder = Holder::new(format!("the agent {}", identity.id))
            .unwrap_or_else(|_| Holder::new("an agent").expect("two words are a name"));
        // Waits for other processes. Nothing is recorded before the turn has begun.
        let turn = self.shared.turn(holder).await?;
        let outcome = async {
            // A step that withholds a key goes through the same refusal as a missing permission, so that it is
            // recorded.
            let granted =
                if is_left { self.permissions.clone() } else { Some(Permissions::none()) };
            let scope =
                turn.backpack().scope(identity, granted)?.at_step(acting.provenance.clone());
            act(&scope).await
        };
        let outcome = outcome.await;
        // A refusal is recorded as well and is reported only once it is on disk. An error of the flush comes first:
        // without it, nothing is known to be durable.
        let outcome = turn.finish().await.and(outcome);
        outcome.map_err(|error: Error| match error {
            // The backpack cannot know that a step withheld the key, so the advice is added here.
            Error::AccessDenied { .. } if !is_left => {
                let envelope = error.envelope();
                envelope.with_suggestion("This step leaves you other keys: its prompt names them. Do without this one until the step is handed in.")
            }
            error => error.envelope(),
        })
    }
}

fn identity(acting: &CallerScope) -> Result<NodeIdentity, Envelope> {
    NodeIdentity::new(&acting.agent, &acting.agent)
        .map_err(|error| piton_backpack::Error::from(error).envelope())
}

//! The backpack that an agent is attached to.
//!
//! Several agents may be attached to one backpack, each through a process of its own. A call that is recorded takes part
//! in a turn of its process, in which the backpack is open (`turn`); a call that only looks takes nothing. What was read
//! of the backpack is kept between calls: the next one reads what others wrote since.
//!
//! *Invariants*: an agent acts through a scope with its own name and its own permissions, never through the debug
//! handle. What a call recorded, a refusal included, is on disk when it returns.
//!
//! *Limitations*: showing what lies before the commits that stay in memory reads the whole history. While a flow runs on the backpack, calls that are recorded are
//! refused; `unpack` is one of them.

use std::fmt;
use std::sync::Arc;

use piton_backpack::journal::{AsyncScope, Holder, JournalPorts, read};
use piton_backpack::{
    Backpack, BackpackId, Error, NodeId, NodeIdentity, Options, Permissions, Scope,
};
use piton_core::Envelope;

use super::caller_scope::CallerScope;
use super::turn::SharedBackpack;

/// A backpack as one agent is attached to it.
#[derive(Clone)]
pub struct Attached {
    shared: Arc<SharedBackpack>,
    permissions: Option<Permissions>,
}

/// What is configured for an agent.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The backpack that it is attached to.
    pub state: Attached,
    /// What it is called there; what its client calls itself if nobody says.
    pub agent: Option<NodeId>,
}

impl fmt::Debug for Attached {
    /// The backpack, and what may be done there.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (self.shared.id(), &self.permissions);
        formatter.debug_tuple("Attached").field(&fields).finish()
    }
}

impl Attached {
    /// Attaches agents with these permissions; without any they may do what items allow.
    pub fn new(shared: Arc<SharedBackpack>, permissions: Option<Permissions>) -> Self {
        Self { shared, permissions }
    }

    /// Which backpack.
    pub fn backpack(&self) -> &BackpackId {
        self.shared.id()
    }

    /// What an agent is given that only looks at what is there now.
    pub(super) async fn looking(&self, acting: &CallerScope) -> Result<Scope, Envelope> {
        let mut followed = self.shared.take().await.map_err(|error| error.envelope())?;
        followed.catch_up().await.map_err(|error| error.envelope())?;
        let backpack = followed.state();
        self.shared.put_back(followed);
        self.scope_of(&backpack, acting)
    }

    /// What an agent is given that looks at what happened lately, and how many commits lie before that.
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

    /// What an agent is given that looks at what happened, back to the beginning.
    pub(super) async fn looking_back(&self, acting: &CallerScope) -> Result<Scope, Envelope> {
        let JournalPorts { journal, blobs, ports } = self.shared.ports();
        let found = read(&**journal, &**blobs, self.backpack(), ports.clone()).await;
        let backpack = match found {
            Ok((backpack, _)) => backpack,
            // Nobody packed anything yet.
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

    /// Lets an agent act, in its turn. What it did is on disk when this returns. What the step does not leave is
    /// refused as what was never granted, and recorded so.
    pub(super) async fn act<T>(
        &self,
        acting: &CallerScope,
        is_left: bool,
        act: impl AsyncFnOnce(&AsyncScope) -> Result<T, Error>,
    ) -> Result<T, Envelope> {
        let identity = identity(acting)?;
        let holder = Holder::new(format!("the agent {}", identity.id))
            .unwrap_or_else(|_| Holder::new("an agent").expect("two words are a name"));
        let turn = self.shared.turn(holder).await?;
        let outcome = async {
            let granted =
                if is_left { self.permissions.clone() } else { Some(Permissions::none()) };
            let scope =
                turn.backpack().scope(identity, granted)?.at_step(acting.provenance.clone());
            act(&scope).await
        };
        let outcome = outcome.await;
        // A refusal is recorded as well, and is told when it is on disk.
        let outcome = turn.finish().await.and(outcome);
        outcome.map_err(|error: Error| match error {
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

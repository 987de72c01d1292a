//! The backpack that an agent is attached to.
//!
//! Several agents may be attached to one backpack, each through a process of its own. A call that is recorded waits for
//! its turn, opens the backpack, and closes it when it is done; a call that only looks takes nothing. What was read of
//! the backpack is kept between calls: the next one reads what others wrote since.
//!
//! *Invariants*: an agent acts through a scope with its own name and its own permissions, never through the debug
//! handle. What a call recorded, a refusal included, is on disk when it returns.
//!
//! *Limitations*: showing what lies before the commits that stay in memory reads the whole history. While a flow runs on the backpack, calls that are recorded are
//! refused; `unpack` is one of them.

use std::sync::{Arc, Mutex, PoisonError};

use piton_backpack::journal::{AsyncScope, Followed, Holder, JournalPorts, Mode, read};
use piton_backpack::{Backpack, BackpackId, Error, Identity, NodeId, Options, Permissions, Scope};
use piton_core::{Digest, Envelope, FileBytes};
use piton_store::LeaseName;
use piton_store::port::{Lease, Leases, Mode as LeaseMode, Patience};

use super::standing::Acting;
use crate::bounds::STATE_TURN_WAIT;

/// A backpack as one agent is attached to it.
#[derive(Clone)]
pub struct Attached {
    ports: JournalPorts,
    leases: Arc<dyn Leases>,
    backpack: BackpackId,
    permissions: Option<Permissions>,
    /// What was read, while no call has it.
    followed: Arc<Mutex<Option<Followed>>>,
}

/// What is configured for an agent.
#[derive(Clone)]
pub struct Attachment {
    /// The backpack that it is attached to.
    pub state: Attached,
    /// What it is called there; what its client calls itself if nobody says.
    pub agent: Option<NodeId>,
}

impl Attached {
    /// Attaches agents with these permissions; without any they may do what items allow.
    pub fn new(
        ports: JournalPorts,
        leases: Arc<dyn Leases>,
        backpack: BackpackId,
        permissions: Option<Permissions>,
    ) -> Self {
        Self { ports, leases, backpack, permissions, followed: Arc::default() }
    }

    /// Which backpack.
    pub fn backpack(&self) -> &BackpackId {
        &self.backpack
    }

    /// What an agent is given that only looks at what is there now.
    pub(super) async fn looking(&self, acting: &Acting) -> Result<Scope, Envelope> {
        let mut followed = self.take().await.map_err(|error| error.envelope())?;
        followed.catch_up().await.map_err(|error| error.envelope())?;
        let backpack = followed.state();
        self.put_back(followed);
        self.scope_of(&backpack, acting)
    }

    /// What an agent is given that looks at what happened lately, and how many commits lie before that.
    pub(super) async fn looking_at_recent(
        &self,
        acting: &Acting,
    ) -> Result<(Scope, u64), Envelope> {
        let mut followed = self.take().await.map_err(|error| error.envelope())?;
        followed.catch_up().await.map_err(|error| error.envelope())?;
        let (backpack, older) = followed.recent();
        self.put_back(followed);
        Ok((self.scope_of(&backpack, acting)?, older))
    }

    /// What an agent is given that looks at what happened, back to the beginning.
    pub(super) async fn looking_back(&self, acting: &Acting) -> Result<Scope, Envelope> {
        let JournalPorts { journal, blobs, ports } = &self.ports;
        let found = read(&**journal, &**blobs, &self.backpack, ports.clone()).await;
        let backpack = match found {
            Ok((backpack, _)) => backpack,
            // Nobody packed anything yet.
            Err(Error::Store(piton_store::Error::NotFound { .. })) => {
                Backpack::empty(self.backpack.clone(), Options::default(), ports.clone())
            }
            Err(error) => return Err(error.envelope()),
        };
        self.scope_of(&backpack, acting)
    }

    fn scope_of(&self, backpack: &Backpack, acting: &Acting) -> Result<Scope, Envelope> {
        let scope = backpack.scope(identity(acting)?, self.permissions.clone());
        scope.map_err(|error| error.envelope())
    }

    /// Lets an agent act, in its turn. What it did is on disk when this returns. What the step does not leave is
    /// refused as what was never granted, and recorded so.
    pub(super) async fn act<T>(
        &self,
        acting: &Acting,
        is_left: bool,
        act: impl AsyncFnOnce(&AsyncScope) -> Result<T, Error>,
    ) -> Result<T, Envelope> {
        let identity = identity(acting)?;
        let _turn: Lease = self.turn().await?;
        let outcome = async {
            let holder = Holder::new(format!("the agent {}", identity.id))
                .unwrap_or_else(|_| Holder::new("an agent").expect("two words are a name"));
            let backpack = self.take().await?.open(holder, Mode::Buffered).await?;
            let granted =
                if is_left { self.permissions.clone() } else { Some(Permissions::none()) };
            let scope = backpack.scope(identity, granted)?.at_step(acting.provenance.clone());
            let outcome = act(&scope).await;
            self.put_back(backpack.close_and_follow().await?);
            outcome
        };
        outcome.await.map_err(|error: Error| match error {
            Error::AccessDenied { .. } if !is_left => {
                let envelope = error.envelope();
                envelope.with_suggestion("This step leaves you other keys: its prompt names them. Do without this one until the step is handed in.")
            }
            error => error.envelope(),
        })
    }

    /// What is known of the backpack; read anew if another call has it, or one that failed had it.
    async fn take(&self) -> Result<Followed, Error> {
        let kept = self.followed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(followed) => Ok(followed),
            None => Followed::find(&self.backpack, Options::default(), self.ports.clone()).await,
        }
    }

    /// Keeps what is known for the next call.
    fn put_back(&self, followed: Followed) {
        *self.followed.lock().unwrap_or_else(PoisonError::into_inner) = Some(followed);
    }

    /// Waits until no other agent writes.
    async fn turn(&self) -> Result<Lease, Envelope> {
        let digest = Digest::of(&FileBytes(self.backpack.as_str().as_bytes())).to_string();
        let digits: String =
            digest.chars().filter(char::is_ascii_hexdigit).rev().take(32).collect();
        let name: LeaseName =
            format!("state-{digits}").parse().expect("hex digits are allowed in a name");
        let patience = Patience::Wait(STATE_TURN_WAIT);
        let lease = self.leases.acquire(&name, LeaseMode::Exclusive, patience).await;
        lease.map_err(|error| error.envelope())
    }
}

fn identity(acting: &Acting) -> Result<Identity, Envelope> {
    Identity::new(&acting.agent, &acting.agent)
        .map_err(|error| piton_backpack::Error::from(error).envelope())
}

//! The backpack that an agent is attached to.
//!
//! Several agents may be attached to one backpack, each through a process of its own. A call that writes waits for its
//! turn, opens the backpack, and closes it when it is done; a call that only looks takes nothing.
//!
//! *Invariants*: an agent acts through a scope with its own name and its own permissions, never through the debug
//! handle. What a call recorded, a refusal included, is on disk when it returns.
//!
//! *Limitations*: each call reads the whole history of the backpack. While a flow runs on it, calls that write are
//! refused.

use std::sync::Arc;

use piton_backpack::journal::{AsyncScope, Holder, JournalPorts, JournaledBackpack, Mode, read};
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
        Self { ports, leases, backpack, permissions }
    }

    /// Which backpack.
    pub fn backpack(&self) -> &BackpackId {
        &self.backpack
    }

    /// What an agent that only looks is given.
    pub(super) async fn looking(&self, acting: &Acting) -> Result<Scope, Envelope> {
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
        let holder = Holder::new(format!("the agent {}", identity.id))
            .unwrap_or_else(|_| Holder::new("an agent").expect("two words are a name"));
        let (options, ports) = (Options::default(), self.ports.clone());
        let opened =
            JournaledBackpack::open(&self.backpack, holder, Mode::Buffered, options, ports).await;
        let backpack = opened.map_err(|error| error.envelope())?.backpack;
        let granted = if is_left { self.permissions.clone() } else { Some(Permissions::none()) };
        let scope = backpack.scope(identity, granted);
        let scope = scope.map_err(|error| error.envelope())?.at_step(acting.provenance.clone());
        let outcome = act(&scope).await;
        backpack.close().await.map_err(|error| error.envelope())?;
        outcome.map_err(|error| match error {
            Error::AccessDenied { .. } if !is_left => {
                let envelope = error.envelope();
                envelope.with_suggestion("This step leaves you other keys: its prompt names them. Do without this one until the step is handed in.")
            }
            error => error.envelope(),
        })
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

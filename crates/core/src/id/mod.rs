//! Identifiers: one type per meaning, one text form per value.
//!
//! | family | file | text |
//! |---|---|---|
//! | opaque ids | `opaque` | `sess_` and 26 base32 characters |
//! | digest references | `reference` | `sha256:` and 64 hex digits |
//! | indexes | `index` | an integer of at most 2^53 − 1 |
//! | workflow ids | `workflow` | `namespace.name` |
//! | dedupe keys | `dedupe` | `kind:part:part` |
//!
//! *Invariants*: an id is checked once, where it enters, and then has a type that does not mix with any other. Text and
//! value are a bijection: equal ids have equal text, and only one text parses to an id. All text is lowercase, so that
//! an id can be part of a dedupe key and of a file name on any file system.
//!
//! Ids of different kinds do not compare, and none stands in for another:
//!
//! ```
//! use piton_core::{NodeId, RunId, SessionId};
//! fn open(_: SessionId) {}
//! open(SessionId::from_bytes([7; 16]));
//! ```
// shows in part: WR-017, WR-018 (the examples below that must not build)
//!
//! ```compile_fail,E0308
//! # use piton_core::{RunId, SessionId};
//! # fn open(_: SessionId) {}
//! open(RunId::from_bytes([7; 16]));
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{SessionId, NodeId};
//! let _: SessionId = NodeId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{RunId, SessionId};
//! let _: RunId = SessionId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{NodeId, EventId};
//! let _: NodeId = EventId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{EventId, RunId};
//! let _: EventId = RunId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{AttemptId, OutputId};
//! let _: AttemptId = OutputId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{OutputId, GapId};
//! let _: OutputId = GapId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{GapId, AttemptId};
//! let _: GapId = AttemptId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{ChangeId, ObservationId};
//! let _: ChangeId = ObservationId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{ObservationId, DivergenceId};
//! let _: ObservationId = DivergenceId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{DivergenceId, TraceId};
//! let _: DivergenceId = TraceId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{TraceId, ContextId};
//! let _: TraceId = ContextId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{ContextId, BundleId};
//! let _: ContextId = BundleId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{BundleId, ChangeId};
//! let _: BundleId = ChangeId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{Digest, WorkflowHash, SnapshotRef};
//! let _: WorkflowHash = SnapshotRef::new(Digest::from_bytes([7; 32]));
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{Digest, SnapshotRef, WorkflowHash};
//! let _: SnapshotRef = WorkflowHash::new(Digest::from_bytes([7; 32]));
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{Digest, WorkflowHash};
//! let _: WorkflowHash = Digest::from_bytes([7; 32]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{Digest, SnapshotRef};
//! let _: SnapshotRef = Digest::from_bytes([7; 32]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{EventIndex, ManifestIndex};
//! let _: EventIndex = ManifestIndex::ZERO;
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{ManifestIndex, EventIndex};
//! let _: ManifestIndex = EventIndex::ZERO;
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{EventIndex};
//! let _: EventIndex = 7_u64;
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{WorkflowId};
//! let _: WorkflowId = "piton.review";
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{DedupeKey, EventId};
//! let _: DedupeKey = EventId::from_bytes([7; 16]);
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::{CanonicalBytes};
//! let _: CanonicalBytes = b"{}".to_vec();
//! ```

mod dedupe;
mod error;
mod index;
mod opaque;
mod reference;
mod workflow;

pub use dedupe::DedupeKey;
pub(crate) use error::too_long;
pub use error::{IdError, IdProblem};
pub use index::{EventIndex, ManifestIndex};
pub use opaque::{
    AttemptId, BundleId, ChangeId, ContextId, DivergenceId, EventId, GapId, NodeId, ObservationId,
    OutputId, RunId, SessionId, TraceId,
};
pub use reference::{SnapshotRef, WorkflowHash};
pub use workflow::WorkflowId;

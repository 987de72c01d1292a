//! Bundles: a whole session in one file, for transfer to another place.
//!
//! A [`Bundle`] holds everything that a session consists of: its events, the control records that attest
//! them, and the snapshots, pinned workflows and artifacts that they refer to. It needs nothing from the
//! place where it was made: no workflow file, no key ring, no catalogue. It contains no tokens; those are
//! minted again from the nodes.
//!
//! | file | holds |
//! |---|---|
//! | `whole` | the bundle, reading and writing it |
//! | `content` | the content of a session |
//! | `needed` | the things that events refer to |
//! | `integrity`, `path` | the digest of each part |
//! | `artifact` | the bytes of an artifact as text |
//! | `check` | the check that the parts fit together |
//! | `plans` | the check that the control records fit the events |
//! | `inspection` | the remains of a damaged session, for inspection only |
//! | `error` | the reasons that something is not a bundle |
//!
//! *Invariants*: pure. A bundle that breaks a rule cannot be made, neither by a constructor nor by reading,
//! so any bundle may be stored. A bundle has one encoding. The byte-level description is
//! `docs/format/bundle.md`.

mod artifact;
mod check;
mod content;
mod error;
mod inspection;
mod integrity;
mod needed;
mod path;
mod plans;
mod whole;

pub use artifact::ArtifactBytes;
pub use content::SessionContent;
pub use error::{BundleError, FormatProblem, IntegrityProblem, ManifestProblem};
pub use inspection::{InspectionBundle, Salvage, SalvagedContent};
pub use integrity::{Integrity, PartDigest};
pub use needed::Needed;
pub use path::{EntryPath, EntryPathError};
pub use whole::{AppVersion, Bundle, BundleOrigin, Producer};

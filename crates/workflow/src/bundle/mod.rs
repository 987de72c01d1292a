//! Bundles: a whole session in one file, to be carried elsewhere.
//!
//! A [`Bundle`] holds everything that a session consists of: its events, the control records that attest
//! them, and the snapshots, pinned workflows and artifacts that they refer to. It needs nothing from where it
//! was made: no workflow file, no key ring, no catalogue. Tokens are not in it; they are minted anew from the
//! nodes.
//!
//! | file | holds |
//! |---|---|
//! | `whole` | the bundle, how it is read and written |
//! | `content` | what a session consists of |
//! | `needed` | what events refer to |
//! | `integrity`, `path` | the digest of each part |
//! | `artifact` | the bytes of an artifact as text |
//! | `check` | whether the parts fit together |
//! | `plans` | whether the control records fit the events |
//! | `inspection` | what is left of a damaged session, to be looked at only |
//! | `error` | why something is not a bundle |
//!
//! *Invariants*: pure. A bundle that breaks a rule cannot be made, neither by a constructor nor by reading, so
//! whoever has one may store it. A bundle has one encoding. The byte-level description is
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

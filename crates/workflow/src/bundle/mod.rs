//! Bundles: a whole session in one file, for transfer to another place.
//!
//! A [`Bundle`] holds everything that a session consists of: its events, the control records that attest
//! them, and the snapshots, pinned workflows and artifacts that they refer to. It needs nothing from the
//! place where it was made: no workflow file, no key ring, no catalogue. It contains no tokens; those are
//! minted again from the nodes.
//!
//! | file | holds |
//! |---|---|
//! | `file` | the bundle: making, reading and writing it; the remains of a damaged session, for inspection only |
//! | `content` | the content of a session, and the things that its events refer to |
//! | `integrity` | the names and digests of the parts |
//! | `check` | the check that the parts fit together |
//! | `plans` | the check that the control records fit the events |
//! | `error` | the reasons that something is not a bundle |
//!
//! *Invariants*: pure. A bundle that breaks a rule cannot be made, neither by a constructor nor by reading,
//! so any bundle may be stored. A bundle has one encoding. The byte-level description is
//! `docs/format/bundle.md`.

mod check;
mod content;
mod error;
mod file;
mod integrity;
mod plans;

pub use content::{ArtifactBytes, Needed, SessionContent};
pub use error::{BundleError, FormatProblem, IntegrityProblem, ManifestProblem};
pub use file::{AppVersion, Bundle, BundleOrigin, InspectionBundle, Producer, Salvage};
pub use integrity::{EntryPath, EntryPathError, Integrity, PartDigest};

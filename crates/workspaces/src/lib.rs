//! The files that an agent may touch.
//!
//! A [Workspace] is a prefix in the file world of an agent, exactly one [Access Scope](AccessScope) and one Mount. An
//! operation takes three steps. The [router](Workspaces) finds the Workspace of a path by its longest prefix. Its scope
//! permits or refuses the operation. Only then is its [Store](store::Store) called. A path that no Workspace covers is
//! denied.
//!
//! ```
//! use std::sync::Arc;
//! use piton_core::TimestampMs;
//! use piton_core::port::fixed::{ManualClock, SeededEntropy};
//! use piton_store::memory::{MemoryBlobs, MemoryTable};
//! use piton_workspaces::Files;
//! use piton_workspaces::config::{WorkspaceConfig, WorkspacePorts, open};
//! use piton_workspaces::virtual_store::VirtualPorts;
//! use serde_json::json;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let clock = Arc::new(ManualClock::new(TimestampMs(0)));
//! let memory = VirtualPorts {
//!     table: Arc::new(MemoryTable::new()),
//!     blobs: Arc::new(MemoryBlobs::new(clock.clone())),
//!     entropy: Arc::new(SeededEntropy::new(1)),
//!     clock,
//! };
//! let ports = WorkspacePorts { kept: memory.clone(), memory, configuration: None, data: None };
//! let scratch = WorkspaceConfig {
//!     prefix: "/scratch".to_owned(),
//!     scope: "read-write".to_owned(),
//!     memory: Some(vec!["scratch".to_owned()]),
//!     ..WorkspaceConfig::default()
//! };
//! let files = Files::new(Arc::new(open(&[scratch], &ports)?.workspaces));
//!
//! let written = json!({ "path": "/scratch/plan.md", "content": "1. Look.\n" });
//! assert!(!files.call("write", written).await.is_error());
//! let denied = files.call("read", json!({ "path": "/etc/passwd" })).await;
//! assert!(denied.is_error(), "no Workspace covers it");
//! # Ok::<(), piton_workspaces::Error>(())
//! # }).unwrap();
//! ```
//!
//! *Invariants*: a set of Workspaces never changes once it is built. A Store is never called for an operation that the
//! scope forbids, and never to change something protected. No answer names a path of the machine. Nothing here can
//! start a program.

pub mod audit;
mod blocking;
pub mod bounds;
pub mod config;
mod error;
mod files;
pub mod landlock;
mod map;
pub mod mask;
pub mod overlay;
pub mod path;
pub mod physical;
mod protection;
mod scope;
pub mod search;
pub mod store;
pub mod tools;
pub mod virtual_store;
mod workspaces;

pub use audit::Actor;
pub use error::Error;
pub use files::{Files, ReplaceProblem, Replaced, replace};
pub use protection::{Protected, Protection, ReservedPath, protected_name};
pub use scope::{AccessScope, Right, Tool};
pub use workspaces::{Definition, LocatedPath, Quota, Workspace, Workspaces};

//! A project's Merkle tree with attributed, verifiable context frames: what an agent should read.
//!
//! A [scan](scan) reads a project directory into a [tree] whose ids identify content and place. [Trees](history) are
//! recorded, so that two of them can be compared in the time of their difference. Agents put [frames](frame) on nodes:
//! immutable, attributed, stale when their inputs change, and never lost. Frames are [read](read) through views,
//! composed for a prompt, and [synthesised](synthesis) up the directories.
//!
//! ```
//! use std::sync::Arc;
//! use piton_context::agent::{AgentContext, Agents, ContextAgent, Role};
//! use piton_context::frame::PutFrame;
//! use piton_context::history::RootRef;
//! use piton_context::read::GetContext;
//! use piton_context::{Context, ContextPorts, ProjectLocation};
//! use piton_core::TimestampMs;
//! use piton_core::port::fixed::ManualClock;
//! use piton_store::memory::{MemoryBlobs, MemoryLeases, MemoryTable};
//!
//! # async fn example(project: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
//! std::fs::write(project.join("login.rs"), "fn login() {}\n")?;
//! let clock = Arc::new(ManualClock::new(TimestampMs(0)));
//! let ports = ContextPorts {
//!     table: Arc::new(MemoryTable::new()),
//!     blobs: Arc::new(MemoryBlobs::new(clock.clone())),
//!     leases: Arc::new(MemoryLeases::new(clock.clone())),
//!     clock,
//!     stamps: None,
//! };
//! let context = Context::new(ports, ProjectLocation::find(project, None)?).live();
//! let scanned = context.scanner().scan(false)?;
//! context.record(&scanned.tree, scanned.report.is_partial(), None).await?;
//!
//! let agent = ContextAgent { id: "writer".parse()?, role: Role::Writer };
//! let agent = AgentContext::new(context, &Agents::new([agent.clone()]), &agent.id)?;
//! agent.put_frame(&PutFrame::new("login.rs", "summary".parse()?, "Logs a user in.")).await?;
//!
//! // Nothing announces the edit. Whoever reads the frame learns that it is stale.
//! std::fs::write(project.join("login.rs"), "fn login() { todo!() }\n")?;
//! let request = GetContext { node: "login.rs".to_owned(), ..GetContext::default() };
//! let found = agent.get_context(&request, &RootRef::Current).await?;
//! assert!(found.text().contains("stale"), "{}", found.text());
//! # Ok(())
//! # }
//! # let project = tempfile::tempdir().unwrap();
//! # let executor = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # executor.block_on(example(project.path())).unwrap();
//! ```
//!
//! * [`tree`]: paths, nodes, ids, and how they are hashed; pure.
//! * [`scan`]: reads a project directory on several threads, and only what changed.
//! * [`history`]: recorded trees, their nodes by path and id, and the differences between two trees.
//! * [`frame`]: frames, their sets, heads and freshness.
//! * [`agent`]: roles, and the handle through which one agent acts.
//! * [`read`]: views, compositions, text for prompts.
//! * [`synthesis`]: frames of directories, and their regeneration.
//! * [`check`]: checks whether everything that is stored matches its ids.
//! * [`report`]: coverage and stale frames, for people and for CI.
//! * [`batch`]: many operations in one text.
//! * [`watch`]: follows a project directory while it is edited.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: durable state is in the ports of the store and nowhere else; the file of [stamps](scan) can be deleted
//! at any time. Only [`scan`], [`watch`] and [`ProjectLocation`] touch files. Nothing is kept between calls, so any number of processes can
//! use one data directory at once.

pub mod agent;
pub mod batch;
pub mod bounds;
pub mod check;
mod context;
mod error;
pub mod frame;
pub mod history;
mod project;
pub mod read;
pub mod report;
mod roots;
mod rows;
pub mod scan;
pub mod synthesis;
pub mod tree;
pub mod watch;
pub mod word;

/// True if a count is zero, for fields that JSON leaves out then.
fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

pub use context::{Context, ContextPorts};
pub use error::Error;
pub use project::{ProjectId, ProjectLocation};
pub use roots::FrameRoots;
pub use rows::{ChildRecord, NodeBody};

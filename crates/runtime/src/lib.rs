//! The operations of Piton, as plain requests and replies.
//!
//! Every front end (the command line, the MCP server, a web page) talks to this crate and to nothing below it:
//!
//! * [`config`]: settings from files and the environment, with every problem of a bad file at once.
//! * [`library`]: workflow files from every source, compiled, along with those that do not load.
//! * [`project_env`]: the project directory of a call, and its git state.
//! * [`workflow`]: the use cases, over ports that the caller supplies.
//! * [`connection`]: the use cases of one agent, which remember the runs that it has open.
//! * [`context`]: a project's tree, and the frames that agents attach to it.
//! * [`explain`]: explanations of error codes.
//! * [`workspaces`]: the Workspaces of a process, the work of agents in them, and what people see of it.
//! * `flow` (feature `flow`): flows from files: check, draw, run and resume them.
//! * `mcp_tools` (feature `flow`): the tools of other MCP servers, for flows.
//! * [`provenance`]: the origin of things: blame, forks, and the differences between two branches.
//! * [`redaction`]: what must not leave this machine, and its removal from a document.
//! * [`models`]: the clients that answer for models.
//! * [`backpack`]: backpacks, as agents use them and as their owner inspects them.
//! * `search` (feature `flow`): finding anything by words.
//! * [`run_query`]: the query line, by which people find runs.
//! * [`request`], [`reply`]: requests and replies.
//! * [`page`]: parts of long lists.
//! * [`text_diff`]: line-by-line comparison of two texts.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! ```
//! use std::sync::Arc;
//! use piton_core::{Envelope, TimestampMs};
//! use piton_core::port::fixed::{ManualClock, SeededEntropy};
//! use piton_runtime::config::{Configuration, Environment};
//! use piton_runtime::request::StartWorkflow;
//! use piton_runtime::{Runtime, RuntimePorts, Whereabouts};
//! use piton_store::memory::{
//!     MemoryBlobs, MemoryCache, MemoryIndex, MemoryJournal, MemoryKeyRing, MemoryLeases, MemoryTable,
//! };
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let clock = Arc::new(ManualClock::new(TimestampMs(0)));
//! let (entropy, blobs) = (Arc::new(SeededEntropy::new(1)), MemoryBlobs::new(clock.clone()));
//! let ports = RuntimePorts {
//!     journal: Arc::new(MemoryJournal::new(blobs.clone())),
//!     blobs: Arc::new(blobs),
//!     table: Arc::new(MemoryTable::new()),
//!     leases: Arc::new(MemoryLeases::new(clock.clone())),
//!     keys: Arc::new(MemoryKeyRing::new(entropy.clone())),
//!     index: Arc::new(MemoryIndex::new()),
//!     cache: Arc::new(MemoryCache::new()),
//!     clock,
//!     entropy,
//! };
//! let configuration = Configuration::load(Environment::default()).expect("no file is wrong");
//! let runtime = Arc::new(Runtime::new(ports, configuration)?);
//!
//! // One agent, as the MCP server and the command line serve it.
//! let agent = runtime.connect(Whereabouts::default());
//! let request: StartWorkflow =
//!     serde_json::from_str(r#"{ "workflowId": "wr.tour" }"#).expect("it is what an agent sends");
//! let reply = agent.start_workflow(request).await?;
//! assert!(reply.body.ack_token.is_some(), "the token that continues the run");
//! # Ok::<(), Envelope>(())
//! # }).unwrap();
//! ```
//!
//! *Invariants*: no storage adapter is named. Durable writes go only through its ports and into the user's
//! configuration file. Modules that read files say so at their top; everything else is pure. Every failure is an
//! [`Envelope`](piton_core::Envelope).
//!
//! *Limitations*: workflow files, configuration and git are read on the thread of the call. They are few and small.

pub mod backpack;
pub mod bounds;
pub mod config;
pub mod connection;
pub mod context;
pub mod explain;
#[cfg(feature = "flow")]
pub mod flow;
pub mod library;
#[cfg(feature = "flow")]
pub mod mcp_tools;
pub mod models;
pub mod page;
pub mod project_env;
pub mod provenance;
#[cfg(feature = "flow")]
pub mod redaction;
pub mod reply;
pub mod request;
mod run_label;
pub mod run_query;
#[cfg(feature = "flow")]
pub mod search;
pub mod text_diff;
pub mod workflow;
pub mod workspaces;

pub use connection::{Connection, Whereabouts};
// Ports that front ends use on their own, and the use cases know nothing of: kept replies for clients that lose their
// connection, a table for facts of the front end itself, and hints about changes.
pub use piton_store::Error as StoreError;
pub use piton_store::port::{
    Change, ChangeHint, ChangeWatch, ChangedPart, Changes, Expect, Key, Replies, ReplyClaim,
    ReplyKey, Table, TableWrite,
};
pub use piton_workflow::compile::StepAccess;
pub use workflow::{CallBasis, Runtime, RuntimePorts};

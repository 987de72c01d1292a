//! One durable runtime for AI agents, as a library.
//!
//! [`Piton::open`] opens a data directory on this machine. Each part is a method away, and what one process writes,
//! any other finds:
//!
//! ```
//! # async fn example(directory: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
//! use piton::Piton;
//! use piton::backpack::NodeIdentity;
//!
//! let piton = Piton::open(directory)?;
//! let backpack = piton.backpack(&"notes".parse()?).await?;
//! let scope = backpack.scope(NodeIdentity::new("search", "search")?, None)?;
//! let _ = scope.saved(scope.pack("query", &"prices 2026")?).await?; // on disk once this returns
//! # drop((scope, backpack));
//!
//! // After a crash, in another process, or a month later.
//! let backpack = Piton::open(directory)?.backpack(&"notes".parse()?).await?;
//! let scope = backpack.scope(NodeIdentity::new("chat", "chat")?, None)?;
//! assert_eq!(scope.unpack_required::<String>("query")?, "prices 2026");
//! # Ok(())
//! # }
//! # let directory = tempfile::tempdir().unwrap();
//! # let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
//! # runtime.block_on(example(directory.path())).unwrap();
//! ```
//!
//! | part | feature | starts at |
//! |---|---|---|
//! | [`workflow`]: what an agent does, and what it did | `workflow` | [`Piton::sessions`], [`Piton::run_index`] |
//! | [`backpack`]: what it knows, and who told it | `backpack` | [`Piton::backpack`] |
//! | [`flow`]: nodes that run over a backpack | `flow` | [`Piton::runner`] |
//! | [`workspaces`]: the files that it may touch | `workspaces` | [`Piton::files`] |
//! | [`context`]: what it should read | `context` | [`Piton::context`] |
//! | [`models`]: the language models that answer | `models` | `models::providers` |
//!
//! All are on by default. The programs in `examples` show one part each, and one joins them.
//!
//! *Limitations*: Linux and other Unixes, on a local disk. Calls that touch the disk need a Tokio runtime.

mod piton;

pub use piton_core as core;
pub use piton_store as store;

pub use self::piton::Piton;
#[cfg(feature = "workspaces")]
pub use self::piton::memory_workspaces;

#[cfg(feature = "backpack")]
pub use piton_backpack as backpack;
#[cfg(feature = "flow")]
pub use piton_backpack::flow;
#[cfg(feature = "context")]
pub use piton_context as context;
#[cfg(feature = "models")]
pub use piton_models as models;
#[cfg(feature = "workflow")]
pub use piton_workflow as workflow;
#[cfg(feature = "workspaces")]
pub use piton_workspaces as workspaces;

//! Durable state, and the only crate that writes it.
//!
//! Four [ports](port) carry everything that Piton remembers: a [journal](port::Journal) of events, [blobs](port::Blobs)
//! under their digests, a [table](port::Table) of keys, and [leases](port::Leases) between processes. In addition, a
//! [key ring](port::KeyRing) signs tokens, and a [cache](port::Cache) and an [index](port::Index) keep what can be
//! computed again. Each trait
//! states its promise. Each has an adapter on this machine's disk ([`local`]) and one in [`memory`], and one suite of
//! tests holds every adapter to the promise.
//!
//! Nothing in a port assumes files: one database transaction could serve an append, and a lease carries an epoch with
//! which a database can fence off a writer that lost it.
//!
//! ```
//! use piton_store::Error;
//! use piton_store::memory::MemoryTable;
//! use piton_store::port::{EntryChange, Expect, Table, TableWrite};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let table: &dyn Table = &MemoryTable::new();
//! let claim = |owner: &str| {
//!     let change = EntryChange::Put(owner.into());
//!     vec![TableWrite { key: b"task-1".as_slice().into(), expect: Expect::Absent, change }]
//! };
//!
//! // A commit happens as a whole, and only if every key is still what its writer expects.
//! table.commit(claim("first")).await?;
//! assert!(matches!(table.commit(claim("second")).await, Err(Error::Conflict { .. })));
//! assert_eq!(table.get(b"task-1").await?.expect("it is there").value, b"first");
//! # Ok::<(), Error>(())
//! # }).unwrap();
//! ```
//!
//! Invariants: every durable write of the product goes through a port of this crate. No adapter holds anything open
//! exclusively, because every agent's server, the command line and a watcher use one data directory at the same time.
//!
//! | file | holds |
//! |---|---|
//! | `port` | the traits, each with its promise |
//! | `local`, `memory` | the adapters on disk and in memory |
//! | `stream` | names of streams, leases, and parts of an index |
//! | `event`, `plan`, `record` | what is appended: events, plans of them, and the control records of a session |
//! | `health` | what a check of a stream finds |
//! | `table`, `index` | the rules that every adapter of these ports shares; what a word is |
//! | `keyring` | signing keys as values |
//! | `roots`, `collect` | what keeps blobs alive, and the removal of all others |
//! | `threads` | threads that may block, and moving work there |
//! | `error`, `bounds` | errors and limits |
//! | `testing` | contract suites, a simulated disk and other support for tests |
//! | `schema` | JSON Schemas of durable types |

pub mod bounds;
mod change_queue;
pub mod collect;
mod error;
mod event;
mod health;
pub mod index;
mod keyring;
#[cfg(feature = "local")]
pub mod local;
pub mod memory;
mod plan;
pub mod port;
pub mod record;
mod roots;
pub mod schema;
mod stream;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod threads;

pub use error::{Error, PlanProblem};
pub use event::Event;
pub use health::{Health, Reason, TornTail};
pub use plan::{AppendPlan, NewBlob};
pub use roots::{JournalRoots, PagedScan, TableRoots, digests_in, digests_taken_out};
pub use stream::{IndexName, LeaseName, NameError, StreamId};

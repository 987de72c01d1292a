//! The ports of the store: traits only, each with its promise. No adapter is named here.
//!
//! All methods that may touch a disk or a network are asynchronous and return a boxed future, so
//! that a port can be used as a trait object.

use std::future::Future;
use std::pin::Pin;

use crate::Error;

mod blobs;
mod cache;
mod changes;
mod index;
mod journal;
mod keyring;
mod leases;
mod replies;
mod table;

pub use blobs::{BlobEntry, BlobNamespace, BlobReader, Blobs, Roots, RootsCursor};
pub use cache::{Cache, CacheKey};
pub use changes::{Change, ChangeHint, ChangeWatch, ChangedPart, Changes};
pub use index::{
    Collection, CursorPage, Document, Facet, FacetValue, FieldValue, Filter, Hit, Index, IndexPage,
    IndexQuery, IndexVersion, IndexedSource, Order, SourceEntry, SourcePage,
};
pub(crate) use journal::LeaseHold;
pub use journal::{
    Appended, Cursor, Follow, Journal, JournalReader, LoadedStream, NotACursor, Pins,
    SalvagedStream, SetAside, StreamLease, StreamRepair, StreamVerification, Writer,
};
pub use keyring::{KeyAge, KeyRing, Signature};
pub(crate) use leases::Hold;
pub use leases::{Lease, Leases, Mode, Patience};
pub use replies::{Replies, ReplyClaim, ReplyKey};
pub use table::{
    Batch, EntryChange, EntryVersion, Expect, Key, Page, Table, TableEntry, TableWrite, TakenOut,
};

/// Return type of the methods of a port.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// A boxed future that a trait object can return.
///
/// Large operations of the parts return it too. An `async fn` is compiled again in every crate that awaits it; behind
/// this type, it is compiled once.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

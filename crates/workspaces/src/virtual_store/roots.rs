//! Garbage collection roots of the blobs of Virtual Stores.

use std::sync::Arc;

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BoxFuture, Roots, RootsCursor, Table, TableEntry};
use piton_store::{Error, TableRoots, digests_taken_out};

use super::check::VIRTUAL;
use super::namespace::is_entry;
use super::row::{DirectoryRow, Stored};
use crate::bounds::SCAN_PAGE;

/// Every blob that a file of a Virtual Store refers to, and every digest that is readable in a row taken out of use by
/// a repair.
pub struct VirtualRoots(Arc<dyn Table>);

impl VirtualRoots {
    /// Creates the roots of all namespaces of a table.
    pub fn new(table: Arc<dyn Table>) -> Self {
        Self(table)
    }
}

impl Roots for VirtualRoots {
    fn namespace(&self) -> BlobNamespace {
        BlobNamespace::Virtual
    }

    fn roots<'a>(
        &'a self,
        _: Option<&'a RootsCursor>,
    ) -> BoxFuture<'a, Result<(Vec<Digest>, RootsCursor), Error>> {
        Box::pin(async move {
            let mut roots = digests_taken_out(&*self.0).await?;
            let rows = TableRoots { in_use: VIRTUAL.0, aside: VIRTUAL.1, page_max: SCAN_PAGE };
            rows.read(&*self.0, &mut roots, blob_of).await?;
            Ok((roots, RootsCursor::new()))
        })
    }
}

/// Returns the blob that a row refers to, if it is a file whose content is not inline.
fn blob_of(entry: &TableEntry) -> Result<Option<Digest>, Error> {
    if !is_entry(&entry.key) {
        return Ok(None);
    }
    let stored = Stored::decode(&entry.value)
        .map_err(|_| Error::BadRequest { problem: "a row of a Virtual Store cannot be read" })?;
    Ok(match (stored.row, stored.inline) {
        (DirectoryRow::File { digest, .. }, None) => Some(digest),
        _ => None,
    })
}

//! Garbage collection roots of the blobs of Virtual Stores.

use std::sync::Arc;

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BoxFuture, Roots, RootsCursor, Table};
use piton_store::{Error, digests_in, digests_taken_out};

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
            let (start, aside) = VIRTUAL;
            for prefix in [start, aside] {
                let mut after = None;
                loop {
                    let page = self.0.scan(prefix, after.as_deref(), SCAN_PAGE).await?;
                    for entry in &page.entries {
                        // A row set aside may be damaged, so every digest found in its bytes counts. An active row has
                        // to be readable: to skip it would let its blob be collected.
                        if prefix == aside {
                            roots.extend(digests_in(&entry.value));
                        } else if is_entry(&entry.key) {
                            roots.extend(blob_of(&entry.value)?);
                        }
                    }
                    after = page.entries.last().map(|entry| Arc::clone(&entry.key));
                    if !page.more {
                        break;
                    }
                }
            }
            Ok((roots, RootsCursor::new()))
        })
    }
}

/// Returns the blob that a row refers to, if it is a file whose content is not inline.
fn blob_of(value: &[u8]) -> Result<Option<Digest>, Error> {
    let stored = Stored::decode(value)
        .map_err(|_| Error::BadRequest { problem: "a row of a Virtual Store cannot be read" })?;
    Ok(match (stored.row, stored.inline) {
        (DirectoryRow::File { digest, .. }, None) => Some(digest),
        _ => None,
    })
}

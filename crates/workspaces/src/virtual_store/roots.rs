//! What keeps the blobs of Virtual Stores alive.

use std::sync::Arc;

use piton_core::Digest;
use piton_store::{
    Error,
    port::{BoxFuture, Namespace as BlobNamespace, Roots, RootsCursor, Table},
};

use super::{
    keys::{START, is_entry},
    row::{Row, Stored},
};
use crate::bounds::SCAN_PAGE;

/// Every blob that a file of a Virtual Store refers to.
pub struct VirtualRoots(Arc<dyn Table>);

impl VirtualRoots {
    /// The roots of all namespaces of a table.
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
            let mut roots = Vec::new();
            let mut after = None;
            loop {
                let page = self.0.scan(START, after.as_deref(), SCAN_PAGE).await?;
                for entry in page.entries.iter().filter(|entry| is_entry(&entry.key)) {
                    let stored = Stored::decode(&entry.value).map_err(|_| Error::BadRequest {
                        problem: "a row of a Virtual Store cannot be read",
                    })?;
                    if let (Row::File { digest, .. }, None) = (stored.row, stored.inline) {
                        roots.push(digest);
                    }
                }
                after = page.entries.last().map(|entry| Arc::clone(&entry.key));
                if !page.more {
                    return Ok((roots, RootsCursor::new()));
                }
            }
        })
    }
}

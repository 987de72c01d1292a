//! The roots that keep large contents alive: the frames of every project.

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BoxFuture, Roots, RootsCursor, Table, TableEntry};
use piton_store::{Error, TableRoots, digests_taken_out};

use crate::ProjectId;
use crate::bounds::PAGE;
use crate::frame::{Frame, LOST};
use crate::rows::{ProjectKeys, RowKind};

/// The contents that the frames in a table refer to.
///
/// A frame that cannot be decoded makes every read fail, so that nothing is swept. For a frame that a repair of the
/// context or of the whole table took out of use, every digest that can be found in its row counts.
///
/// *Limitations*: every read reads every frame. Roots that were added since a cursor cannot be told apart, and naming
/// too many is allowed.
pub struct FrameRoots<'a> {
    table: &'a dyn Table,
}

impl<'a> FrameRoots<'a> {
    /// Creates the roots of the frames in `table`.
    pub fn new(table: &'a dyn Table) -> Self {
        Self { table }
    }

    async fn read(&self) -> Result<Vec<Digest>, Error> {
        let mut roots = digests_taken_out(self.table).await?;
        let mut after: Option<Vec<u8>> = None;
        while let Some(project) = ProjectId::next_in(self.table, after.as_deref()).await? {
            let keys = ProjectKeys(project);
            let aside = [keys.all(RowKind::Aside), vec![RowKind::Frame as u8]].concat();
            let in_use = keys.all(RowKind::Frame);
            let rows = TableRoots { in_use: &in_use, aside: &aside, page_max: PAGE };
            rows.read(self.table, &mut roots, blob_of).await?;
            after = Some(project.end());
        }
        Ok(roots)
    }
}

/// Returns the blob with the content of a frame. Inline contents are in the row itself and need none.
fn blob_of(row: &TableEntry) -> Result<Option<Digest>, Error> {
    let damaged = |_| Error::BadRequest {
        problem: "a frame in the table cannot be read; `piton context validate` names it",
    };
    if row.value == LOST {
        return Ok(None);
    }
    let (frame, inline) = Frame::decode(&row.value).map_err(damaged)?;
    Ok(inline.is_none().then_some(frame.content))
}

impl Roots for FrameRoots<'_> {
    fn namespace(&self) -> BlobNamespace {
        BlobNamespace::Context
    }

    fn roots<'a>(
        &'a self,
        _since: Option<&'a RootsCursor>,
    ) -> BoxFuture<'a, Result<(Vec<Digest>, RootsCursor), Error>> {
        Box::pin(async { Ok((self.read().await?, RootsCursor::new())) })
    }
}

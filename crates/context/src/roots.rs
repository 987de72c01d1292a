//! The roots that keep large contents alive: the frames of every project.

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BoxFuture, Key, Roots, RootsCursor, Table};
use piton_store::{Error, digests_in, digests_taken_out};

use crate::ProjectId;
use crate::bounds::PAGE;
use crate::frame::{Frame, LOST};
use crate::rows::keys::{ProjectKeys, RowKind};

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

impl std::fmt::Debug for FrameRoots<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("FrameRoots")
    }
}

impl<'a> FrameRoots<'a> {
    /// Creates the roots of the frames in `table`.
    pub fn new(table: &'a dyn Table) -> Self {
        Self { table }
    }

    async fn read(&self) -> Result<Vec<Digest>, Error> {
        let mut roots = digests_taken_out(self.table).await?;
        let mut after: Option<Vec<u8>> = None;
        loop {
            let next = ProjectId::next_in(self.table, after.as_deref()).await?;
            let Some(project) = next else { return Ok(roots) };
            self.of_project(project, &mut roots).await?;
            after = Some(project.end());
        }
    }

    async fn of_project(&self, project: ProjectId, roots: &mut Vec<Digest>) -> Result<(), Error> {
        let keys = ProjectKeys(project);
        self.of_rows(&keys.all(RowKind::Frame), roots, |row, roots| {
            let damaged = |_| Error::BadRequest {
                problem: "a frame in the table cannot be read; `piton context validate` names it",
            };
            if row == LOST {
                return Ok(());
            }
            let (frame, inline) = Frame::decode(row).map_err(damaged)?;
            // Inline contents are in the row itself and need no blob.
            roots.extend(inline.is_none().then_some(frame.content));
            Ok(())
        })
        .await?;
        let mut aside = keys.all(RowKind::Aside);
        aside.push(RowKind::Frame as u8);
        self.of_rows(&aside, roots, |row, roots| {
            // The row may be damaged, so keep everything in it that looks like a digest.
            roots.extend(digests_in(row));
            Ok(())
        })
        .await
    }

    async fn of_rows(
        &self,
        prefix: &[u8],
        roots: &mut Vec<Digest>,
        add: impl Fn(&[u8], &mut Vec<Digest>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut after: Option<Key> = None;
        loop {
            let page = self.table.scan(prefix, after.as_deref(), PAGE).await?;
            for entry in &page.entries {
                add(&entry.value, roots)?;
            }
            after = page.entries.into_iter().last().map(|entry| entry.key);
            if !page.more {
                return Ok(());
            }
        }
    }
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

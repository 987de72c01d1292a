//! Frames by the run that made them, and what each of them came after.
//!
//! A frame that a step of a run made is listed under the run in the commit that adds it.
//!
//! *Invariants*: once the frames of a project count as listed, every frame of a run is. A project counts so from its
//! first frame on; one whose first frame is older than the list, from when it is first asked for the frames of a run.

use piton_core::RunId;
use piton_store::port::{Batch, Key, TableWrite};

use super::Frame;
use crate::{Context, Error, context::put, rows::keys::RowKind};

/// The frames of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFrames {
    /// The frames, by path, and those of a path in the order in which they came.
    pub frames: Vec<Frame>,
    /// How many more there are.
    pub left_out: usize,
}

impl Context {
    /// The first `most` frames that the steps of a run made.
    pub async fn frames_of_run(&self, run: RunId, most: usize) -> Result<RunFrames, Error> {
        self.list_older_frames().await?;
        let prefix = self.keys.made_in(run);
        let mut found = RunFrames::default();
        let mut after: Option<Key> = None;
        loop {
            let (rows, more) = self.page(&prefix, after.as_deref()).await?;
            for row in &rows {
                if found.frames.len() < most {
                    let mut key = self.keys.all(RowKind::Frame);
                    key.extend_from_slice(&row.key[prefix.len()..]);
                    let frame = self.row(&key).await?.ok_or_else(|| {
                        Error::integrity(format!("a frame of {run}"), "its row is missing")
                    })?;
                    found.frames.push(Frame::decode(&frame.value)?.0);
                } else {
                    found.left_out += 1;
                }
            }
            after = rows.last().map(|row| Key::clone(&row.key));
            if !more {
                return Ok(found);
            }
        }
    }

    /// What lists a frame under its run, if it has one.
    pub(super) fn listed(&self, frame: &Frame) -> Option<TableWrite> {
        let run = frame.metadata.run()?;
        Some(put(self.keys.of_run(run, &frame.path, frame.index), Vec::new()))
    }

    /// What says that every frame is listed, for the commit that adds the first.
    pub(super) fn all_listed(&self) -> TableWrite {
        put(self.keys.only(RowKind::AllListed), Vec::new())
    }

    /// Lists frames that were added before frames were listed: once for a project.
    ///
    /// Whoever adds frames meanwhile lists them too. If it is cut off, it begins anew.
    async fn list_older_frames(&self) -> Result<(), Error> {
        let [listed, appended] = self
            .rows_of([RowKind::AllListed, RowKind::Sequence].map(|row| self.keys.only(row)))
            .await?;
        if listed.is_some() || appended.is_none() {
            return Ok(());
        }
        let prefix = self.keys.all(RowKind::Frame);
        let mut after: Option<Key> = None;
        loop {
            let (rows, more) = self.page(&prefix, after.as_deref()).await?;
            let mut batch = Batch::new();
            for row in &rows {
                // One that cannot be read is listed under no run, and a repair takes it out of use.
                batch.extend(
                    Frame::decode(&row.value).ok().and_then(|(frame, _)| self.listed(&frame)),
                );
            }
            after = rows.last().map(|row| Key::clone(&row.key));
            if !more {
                batch.push(self.all_listed());
            }
            if !batch.is_empty() {
                self.commit(batch).await?;
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// The frame that was the newest of its path, type and agent when `frame` came.
    pub async fn frame_before(&self, frame: &Frame) -> Result<Option<Frame>, Error> {
        let earlier = |other: &Frame| {
            other.index < frame.index
                && other.frame_type == frame.frame_type
                && other.agent_id == frame.agent_id
        };
        let frames = self.frames_of(&frame.path).await?;
        Ok(frames.into_iter().map(|(other, _)| other).rfind(earlier))
    }
}

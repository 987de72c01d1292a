//! Lists frames by the run that made them, and finds the frame that each replaced.
//!
//! A frame that a step of a run made is listed under the run in the commit that adds it.
//!
//! *Invariants*: once the frames of a project are marked as listed, every frame of a run is. A project is marked with
//! its first frame. A project whose first frame is older than the list is marked when the frames of a run are first
//! requested.

use piton_core::RunId;
use piton_store::port::{Batch, TableWrite};

use super::Frame;
use crate::context::put;
use crate::rows::RowKind;
use crate::{Context, Error};

/// The frames of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFrames {
    /// Sorted by path, and within a path in the order of appending.
    pub frames: Vec<Frame>,
    /// Number of frames that are not in `frames`.
    pub left_out: usize,
}

impl Context {
    /// Returns the first `most` frames that the steps of a run made.
    pub async fn frames_of_run(&self, run: RunId, most: usize) -> Result<RunFrames, Error> {
        self.list_older_frames().await?;
        let prefix = self.keys.made_in(run);
        let mut found = RunFrames::default();
        let mut pages = self.pages(&prefix);
        while let Some(rows) = pages.next().await? {
            for row in &rows {
                if found.frames.len() < most {
                    // The key in the list ends like the key of the frame's own row.
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
        }
        Ok(found)
    }

    /// Returns the write that lists a frame under its run, if it has one.
    pub(super) fn listed(&self, frame: &Frame) -> Option<TableWrite> {
        let run = frame.metadata.run()?;
        Some(put(self.keys.of_run(run, &frame.path, frame.index), Vec::new()))
    }

    /// Returns the write that marks every frame as listed, for the commit that adds the first frame.
    pub(super) fn all_listed(&self) -> TableWrite {
        put(self.keys.only(RowKind::AllListed), Vec::new())
    }

    /// Lists frames that were added before the list existed. Runs once per project.
    ///
    /// Frames that are added meanwhile are listed by their own commits. If it is interrupted, the next call starts
    /// over.
    async fn list_older_frames(&self) -> Result<(), Error> {
        let [listed, appended] = self
            .rows_of([RowKind::AllListed, RowKind::Sequence].map(|row| self.keys.only(row)))
            .await?;
        if listed.is_some() || appended.is_none() {
            return Ok(());
        }
        let prefix = self.keys.all(RowKind::Frame);
        let mut pages = self.pages(&prefix);
        while let Some(rows) = pages.next().await? {
            // A frame that cannot be decoded is listed under no run; a repair takes it out of use.
            let frames = rows.iter().filter_map(|row| Frame::decode(&row.value).ok());
            let batch: Batch = frames.filter_map(|(frame, _)| self.listed(&frame)).collect();
            if !batch.is_empty() {
                self.commit(batch).await?;
            }
        }
        // The mark comes last, so it never exists while frames are missing from the list.
        self.commit(vec![self.all_listed()]).await
    }

    /// Returns the newest frame of the same path, type and agent that came before `frame`.
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

//! Frames by what is said of them beside their content, and what each of them came after.

use piton_store::port::Key;

use super::Frame;
use crate::{Context, Error, stored::keys::Row};

/// Frames of which something is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The frames, by path, and those of a path in the order in which they came.
    pub frames: Vec<Frame>,
    /// How many more there are.
    pub left_out: usize,
}

impl Context {
    /// The first `most` frames whose metadata say `value` under `key`. Reads every frame of the project, a page at a
    /// time: nothing lists frames by what is said of them.
    pub async fn frames_saying(&self, key: &str, value: &str, most: usize) -> Result<Said, Error> {
        let prefix = self.keys.all(Row::Frame);
        let mut said = Said::default();
        let mut after: Option<Key> = None;
        loop {
            let (rows, more) = self.page(&prefix, after.as_deref()).await?;
            for row in &rows {
                let (frame, _) = Frame::decode(&row.value)?;
                if frame.metadata.get(key) != Some(value) {
                    continue;
                }
                if said.frames.len() < most {
                    said.frames.push(frame);
                } else {
                    said.left_out += 1;
                }
            }
            after = rows.last().map(|row| Key::clone(&row.key));
            if !more {
                return Ok(said);
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

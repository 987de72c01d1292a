//! What a model is asked about one node.

use std::fmt::Write as _;

use piton_context::Error;
use piton_context::frame::Given;
use piton_context::history::{NodeRecord, NodeRef};
use piton_context::read::{Composition, Source, View, ViewedFrame, tokens};
use piton_context::tree::{Kind, TreePath};
use piton_context::word::FrameType;
use piton_core::{Digest, canonical};
use piton_models::Message;
use serde::Serialize;

use super::source;
use crate::bounds::GENERATE_CONTEXT_BYTES_MAX;
use crate::frames::acting::Acting;

/// What every model is told first. Another text makes other frames, since it is part of what is hashed.
const SYSTEM: &str = "You write one note about a file or directory of a project, for people and agents who read it \
                      instead of the file. Say what holds, in plain words. Answer with the note alone.";

/// What a model is asked about one node.
#[derive(Debug)]
pub(super) struct Question {
    /// The digest of what is asked, without what is given.
    pub(super) prompt: Digest,
    /// What is given.
    pub(super) given: Vec<Given>,
    /// What is sent.
    pub(super) messages: Vec<Message>,
}

#[derive(Serialize)]
struct Asked<'a> {
    system: &'a str,
    prompt: &'a str,
}

/// The digest of a prompt.
pub(super) fn prompt_digest(prompt: &str) -> Digest {
    let asked = Asked { system: SYSTEM, prompt };
    Digest::of(&canonical::encode(&asked).expect("it has two texts"))
}

impl Question {
    /// How many tokens are sent, as they are estimated.
    pub(super) fn tokens(&self) -> usize {
        tokens(self.messages.iter().map(Message::bytes).sum())
    }
}

impl Acting {
    /// What a model is asked about a node, or why there is nothing to ask.
    pub(super) async fn question(
        &self,
        node: &NodeRecord,
        frame_type: &FrameType,
        prompt: &str,
        related: &[TreePath],
    ) -> Result<Result<Question, String>, Error> {
        let mut given = Vec::new();
        let mut text = String::new();
        match node.kind {
            Kind::Symlink => return Ok(Err("it is a symbolic link".to_owned())),
            Kind::File => {
                let content = node.content.expect("a file has a digest");
                match source::text(&self.frames.place().file(&node.path), content) {
                    Ok(content) => {
                        let _ = write!(text, "The file {}:\n\n{content}", node.path);
                    }
                    Err(reason) => return Ok(Err(reason)),
                }
                given.push(Given::Node { path: node.path.clone(), node_id: node.id });
            }
            Kind::Directory => self.entries(node, frame_type, &mut text, &mut given).await?,
        }
        if !related.is_empty() {
            self.related(node, related, &mut text, &mut given).await?;
        }
        if text.len() > GENERATE_CONTEXT_BYTES_MAX {
            let (bytes, max) = (text.len(), GENERATE_CONTEXT_BYTES_MAX);
            return Ok(Err(format!("what is to be read has {bytes} bytes; at most {max}")));
        }
        let messages = vec![Message::system(SYSTEM), Message::user(format!("{prompt}\n\n{text}"))];
        Ok(Ok(Question { prompt: prompt_digest(prompt), given, messages }))
    }

    /// The frames of a directory's entries; the directory itself, if they have none.
    async fn entries(
        &self,
        node: &NodeRecord,
        frame_type: &FrameType,
        text: &mut String,
        given: &mut Vec<Given>,
    ) -> Result<(), Error> {
        let _ = write!(text, "The directory {} holds:", node.path);
        let view = View { types: vec![frame_type.clone()], heads_only: true, ..View::default() };
        for child in &node.children {
            let path = node.path.join(&child.name);
            let found = self.adapter.read_context(&NodeRef::from(&path), &view).await?;
            match found.frames.first() {
                Some(frame) => piece(text, given, frame),
                None => {
                    let _ = write!(text, "\n\n### {path} [{}]", child.kind);
                }
            }
        }
        if given.is_empty() {
            given.push(Given::Node { path: node.path.clone(), node_id: node.id });
        }
        Ok(())
    }

    /// The newest frames of other paths.
    async fn related(
        &self,
        node: &NodeRecord,
        related: &[TreePath],
        text: &mut String,
        given: &mut Vec<Given>,
    ) -> Result<(), Error> {
        let how = Composition {
            sources: vec![Source::Related(related.to_vec())],
            bytes_max: Some(GENERATE_CONTEXT_BYTES_MAX),
            ..Composition::default()
        };
        let composed = self.adapter.compose(&NodeRef::from(&node.path), &how).await?;
        for frame in composed.frames.iter().filter(|frame| frame.frame.path != node.path) {
            piece(text, given, frame);
        }
        Ok(())
    }
}

/// A frame that the model is given.
fn piece(text: &mut String, given: &mut Vec<Given>, viewed: &ViewedFrame) {
    let frame = &viewed.frame;
    let content = String::from_utf8_lossy(viewed.content.as_deref().unwrap_or_default());
    let _ = write!(text, "\n\n### {}\n\n{}", frame.path, content.trim_end());
    given.push(Given::Frame {
        path: frame.path.clone(),
        frame_type: frame.frame_type.clone(),
        frame_id: frame.id,
    });
}

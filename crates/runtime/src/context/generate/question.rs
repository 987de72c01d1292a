//! The question to a model about one node.

use std::fmt::Write as _;

use piton_context::Error;
use piton_context::bounds::{FRAMED_PATH_BYTES_MAX, GIVEN_MAX};
use piton_context::frame::BasisInputs;
use piton_context::history::{NodeRecord, NodeRef};
use piton_context::read::{Composition, View, ViewedFrame, tokens};
use piton_context::synthesis::first_sentence;
use piton_context::tree::{NodeKind, TreePath};
use piton_core::{Digest, canonical, truncate};
use piton_models::Message;
use serde::Serialize;

use super::plan::{Generator, Plan};
use crate::bounds::{
    GENERATE_CONTEXT_BYTES_MAX, GENERATE_ENTRIES_BYTES_MAX, GENERATE_ENTRIES_MAX,
    GENERATE_FILE_BYTES_MAX, GENERATE_LINE_BYTES_MAX,
};

/// The system message. It is part of the hashed question, so changing it leads to new frames.
const SYSTEM: &str = "You write one note about a file or directory of a project, for people and agents who read it \
                      instead of the file. Say what holds, in plain words. Answer with the note alone.";

/// The question to a model about one node.
#[derive(Debug)]
pub(super) struct Question {
    /// Digest of the prompt, without the inputs.
    pub(super) prompt: Digest,
    /// The inputs that the answer is based on.
    pub(super) given: Vec<BasisInputs>,
    /// The messages to send.
    pub(super) messages: Vec<Message>,
}

#[derive(Serialize)]
struct ModelQuestion<'a> {
    system: &'a str,
    prompt: &'a str,
}

/// Returns the digest of a prompt.
pub(super) fn prompt_digest(prompt: &str) -> Digest {
    let asked = ModelQuestion { system: SYSTEM, prompt };
    Digest::of(&canonical::encode(&asked).expect("it has two texts"))
}

impl Question {
    /// Returns the estimated number of tokens that are sent.
    pub(super) fn tokens(&self) -> usize {
        tokens(self.messages.iter().map(Message::bytes).sum())
    }
}

impl Generator<'_> {
    /// Builds the question about a node, or returns the reason that there is nothing to ask.
    pub(super) async fn question(
        &self,
        node: &NodeRecord,
        plan: &Plan,
    ) -> Result<Result<Question, String>, Error> {
        let Plan { prompt, related, .. } = plan;
        let mut given = Vec::new();
        let mut text = String::new();
        match node.kind {
            NodeKind::Symlink => return Ok(Err("it is a symbolic link".to_owned())),
            NodeKind::File => {
                let content = node.content.expect("a file has a digest");
                let location = self.agent.context().location();
                // The frame will be bound to the scanned digest, so the model must see exactly those bytes.
                match location.read_text(&node.path, content, GENERATE_FILE_BYTES_MAX) {
                    Ok(content) => {
                        let _ = write!(text, "The file {}:\n\n{content}", node.path);
                    }
                    Err(reason) => return Ok(Err(reason)),
                }
                given.push(BasisInputs::Node { path: node.path.clone(), node_id: node.id });
            }
            NodeKind::Directory => self.entries(node, &mut text, &mut given).await?,
        }
        if !related.is_empty() {
            self.related(node, related, &mut text, &mut given).await?;
        }
        // Everything that would cause the frame to be refused is checked before a model is paid.
        if node.path.as_bytes().len() > FRAMED_PATH_BYTES_MAX {
            let max = FRAMED_PATH_BYTES_MAX;
            return Ok(Err(format!("paths of frames have at most {max} bytes")));
        }
        if given.len() > GIVEN_MAX {
            let (count, max) = (given.len(), GIVEN_MAX);
            return Ok(Err(format!("a model would be given {count} frames; at most {max}")));
        }
        if text.len() > GENERATE_CONTEXT_BYTES_MAX {
            let (bytes, max) = (text.len(), GENERATE_CONTEXT_BYTES_MAX);
            return Ok(Err(format!("what is to be read has {bytes} bytes; at most {max}")));
        }
        let messages = vec![Message::system(SYSTEM), Message::user(format!("{prompt}\n\n{text}"))];
        Ok(Ok(Question { prompt: prompt_digest(prompt), given, messages }))
    }

    /// Adds the frames of a directory's entries, or the directory itself if they have none.
    async fn entries(
        &self,
        node: &NodeRecord,
        text: &mut String,
        given: &mut Vec<BasisInputs>,
    ) -> Result<(), Error> {
        let _ = write!(text, "The directory {} holds:", node.path);
        let view = View {
            types: vec![self.request.frame_type.clone()],
            heads_only: true,
            ..View::default()
        };
        // Both forms are built in one pass: every frame whole, and one line per entry in case that is too much.
        let (mut whole, mut whole_given) = (String::new(), Vec::new());
        let (mut brief, mut brief_given, mut left_out) = (String::new(), Vec::new(), 0);
        for child in &node.children {
            let path = node.path.join(&child.name);
            let found = self.agent.read_context(&NodeRef::from(&path), &view).await?;
            let frame = found.frames.first();
            // Beyond this, the entries are listed in one line each anyway.
            if whole.len() <= GENERATE_CONTEXT_BYTES_MAX {
                match frame {
                    Some(frame) => piece(&mut whole, &mut whole_given, frame),
                    None => {
                        let _ = write!(whole, "\n\n### {path} [{}]", child.kind);
                    }
                }
            }
            let line = brief_line(&path, child.kind, frame);
            let fits = brief.len() + line.len() <= GENERATE_ENTRIES_BYTES_MAX
                && brief_given.len() < GENERATE_ENTRIES_MAX;
            if fits {
                brief.push_str(&line);
                brief_given.extend(frame.map(given_frame));
            } else {
                left_out += 1;
            }
        }
        // Inputs must match the text that is sent: an entry that is left out must not make the frame stale later.
        if whole.len() <= GENERATE_CONTEXT_BYTES_MAX && whole_given.len() <= GENERATE_ENTRIES_MAX {
            text.push_str(&whole);
            given.extend(whole_given);
        } else {
            text.push_str(&brief);
            if left_out > 0 {
                let _ = write!(text, "\n\nAnd {left_out} more entries that are not listed.");
            }
            given.extend(brief_given);
        }
        // Every frame needs a basis. Without frames below, it is the directory itself.
        if given.is_empty() {
            given.push(BasisInputs::Node { path: node.path.clone(), node_id: node.id });
        }
        Ok(())
    }

    /// Adds the newest frames of other paths.
    async fn related(
        &self,
        node: &NodeRecord,
        related: &[TreePath],
        text: &mut String,
        given: &mut Vec<BasisInputs>,
    ) -> Result<(), Error> {
        let how = Composition {
            sources: Vec::new(),
            related: related.to_vec(),
            bytes_max: Some(GENERATE_CONTEXT_BYTES_MAX),
            ..Composition::default()
        };
        let composed = self.agent.compose(&NodeRef::from(&node.path), &how).await?;
        for frame in composed.frames.iter().filter(|frame| frame.path != node.path) {
            piece(text, given, frame);
        }
        Ok(())
    }
}

/// Adds a frame to the text and to the inputs.
fn piece(text: &mut String, given: &mut Vec<BasisInputs>, frame: &ViewedFrame) {
    let _ = write!(text, "\n\n### {}\n\n{}", frame.path, frame.text().trim_end());
    given.push(given_frame(frame));
}

fn given_frame(frame: &ViewedFrame) -> BasisInputs {
    BasisInputs::Frame {
        path: frame.path.clone(),
        frame_type: frame.frame_type.clone(),
        frame_id: frame.id,
    }
}

/// Returns the line for an entry of a large directory, with the first sentence of its frame if it has one.
fn brief_line(path: &TreePath, kind: NodeKind, viewed: Option<&ViewedFrame>) -> String {
    match viewed.and_then(|viewed| first_sentence(&viewed.text())) {
        Some(sentence) => format!("\n- {path}: {}", truncate(&sentence, GENERATE_LINE_BYTES_MAX)),
        None => format!("\n- {path} [{kind}]"),
    }
}

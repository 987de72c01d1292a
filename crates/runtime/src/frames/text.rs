//! Replies as a model reads them.

use std::fmt::Write as _;

use super::reply::{
    AdoptedFrames, ComposedContext, FrameShown, FramesMade, NodeShown, PutFrameReply, Regenerated,
};

impl FrameShown {
    /// What it is, in one line.
    pub fn line(&self) -> String {
        let freshness = match (&self.stale_because, &self.unchecked) {
            (Some(reason), _) => format!("stale: {reason}"),
            (None, Some(reason)) => format!("freshness not checked: {reason}"),
            (None, None) => "fresh".to_owned(),
        };
        let past = if self.is_head { "" } else { ", replaced" };
        format!("[{} by {}, {freshness}{past}]", self.frame_type, self.agent)
    }
}

impl NodeShown {
    /// Where it was, may have been, and is.
    pub fn about_renames(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(from) = &self.renamed_from {
            lines.push(format!("It was {from} before, and its newest frames came along."));
        }
        if let Some(from) = &self.may_be_from {
            lines.push(format!(
                "{from} is gone, had the same content as several files that are new, and has frames. If this is it: \
                 piton context adopt {from} {}",
                self.path
            ));
        }
        if let Some(to) = &self.moved_to {
            lines.push(format!("It is {to} now."));
        }
        lines
    }

    /// As text.
    pub fn text(&self) -> String {
        let mut text = format!("{} is a {} of {} bytes.", self.path, self.kind, self.size);
        if !self.is_current {
            text.push_str(" It is not in the current tree.");
        }
        if !self.children.is_empty() {
            let _ = write!(text, " It holds: {}", self.children.join(", "));
            if self.children_left_out > 0 {
                let _ = write!(text, ", and {} more", self.children_left_out);
            }
            text.push('.');
        }
        for line in self.about_renames() {
            let _ = write!(text, "\n{line}");
        }
        let (shown, all) = (self.frames.len(), self.frame_count);
        let _ = write!(text, "\n{shown} of its {all} frames:");
        for frame in &self.frames {
            let _ = write!(text, "\n\n### {}", frame.line());
            if let Some(content) = &frame.content {
                let _ = write!(text, "\n{}", content.trim_end());
            }
        }
        text
    }
}

impl ComposedContext {
    /// As text.
    pub fn text(&self) -> String {
        if self.text.is_empty() {
            let left_out = self.left_out + self.frames.len() as u64;
            return match left_out {
                0 => format!("Nothing is written about {} and its surroundings yet.", self.path),
                1 => "The one frame does not fit; give it more tokens.".to_owned(),
                _ => format!("None of {left_out} frames fits; give them more tokens."),
            };
        }
        self.text.clone()
    }
}

impl PutFrameReply {
    /// As text.
    pub fn text(&self) -> String {
        use piton_context::frame::Outcome;
        match self.outcome {
            Outcome::Added => format!("The frame {} was added.", self.frame),
            Outcome::HeadMoved => {
                format!("The frame {} was there already, and is the newest again.", self.frame)
            }
            Outcome::Unchanged => format!("The frame {} is there already.", self.frame),
            Outcome::Reaffirmed => format!(
                "The frame {} was there already and marked as invalid; it holds again.",
                self.frame
            ),
        }
    }
}

impl AdoptedFrames {
    /// As text.
    pub fn text(&self) -> String {
        let line = |adopted: &piton_context::history::Adopted| {
            let piton_context::history::Adopted { path, frame_type, appended, .. } = adopted;
            format!("{path} {frame_type}: {} ({})", appended.frame, appended.outcome)
        };
        self.frames.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl FramesMade {
    /// As text.
    pub fn text(&self) -> String {
        let line = |made: &super::reply::FrameMade| {
            format!("{}: {} ({})", made.path, made.frame, made.outcome)
        };
        self.frames.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Regenerated {
    /// As text.
    pub fn text(&self) -> String {
        let mut text = match self.made.len() {
            0 => "Nothing had to be made anew.".to_owned(),
            1 => "1 frame was made anew:".to_owned(),
            count => format!("{count} frames were made anew:"),
        };
        for made in &self.made {
            let _ = write!(text, "\n  {}: {}", made.path, made.frame);
        }
        if !self.skipped.is_empty() {
            let _ = write!(text, "\n{} stay stale:", self.skipped.len());
        }
        for skipped in &self.skipped {
            let _ = write!(text, "\n  {} {}: {}", skipped.path, skipped.frame_type, skipped.reason);
        }
        text
    }
}

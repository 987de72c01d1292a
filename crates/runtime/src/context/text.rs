//! Text rendering of replies to a model.

use std::fmt::Write as _;

use piton_context::report::Remedy;

use super::reply::{
    AdoptedFrames, ComposedContext, FrameShown, FramesMade, NodeShown, PutFrameReply, Regenerated,
    RegeneratedFrame, SkippedFrame,
};
use crate::bounds::SKIPPED_TOLD_MAX;

impl FrameShown {
    /// Describes the frame in one line.
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
    /// Describes the renames: former, possible former, and current paths.
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

    /// Renders the reply as text.
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
    /// Renders the reply as text.
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
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        use piton_context::frame::AppendOutcome;
        match self.outcome {
            AppendOutcome::Added => format!("The frame {} was added.", self.frame),
            AppendOutcome::HeadMoved => {
                format!("The frame {} was there already, and is the newest again.", self.frame)
            }
            AppendOutcome::Unchanged => format!("The frame {} is there already.", self.frame),
            AppendOutcome::Reaffirmed => format!(
                "The frame {} was there already and marked as invalid; it holds again.",
                self.frame
            ),
        }
    }
}

impl AdoptedFrames {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let line = |adopted: &piton_context::history::Adopted| {
            let piton_context::history::Adopted { path, frame_type, appended, .. } = adopted;
            format!("{path} {frame_type}: {} ({})", appended.frame, appended.outcome)
        };
        self.frames.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl FramesMade {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let line = |made: &super::reply::FrameMade| {
            format!("{}: {} ({})", made.path, made.frame, made.outcome)
        };
        let mut lines: Vec<String> = self.frames.iter().map(line).collect();
        if !self.skipped.is_empty() {
            let stay = match self.skipped.len() {
                1 => "1 directory stays as it is: nothing in it has a frame to make one from"
                    .to_owned(),
                count => format!(
                    "{count} directories stay as they are: nothing in them has a frame to make one from"
                ),
            };
            let shown = self.skipped.len().min(SKIPPED_TOLD_MAX);
            let more = match self.skipped.len() - shown {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let named = self.skipped[..shown].join(", ");
            lines.push(format!("{stay} ({named}{more})."));
        }
        lines.join("\n")
    }
}

impl Regenerated {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if self.made.is_empty() && self.reaffirmed.is_empty() {
            parts.push(if self.is_fresh() {
                "Nothing had to be made anew: no frame is stale.".to_owned()
            } else {
                "Nothing could be made anew.".to_owned()
            });
        }
        if !self.made.is_empty() {
            let made = counted(self.made.len(), "frame was made", "frames were made");
            parts.push(format!("{made} anew:{}", lines(&self.made)));
        }
        if !self.reaffirmed.is_empty() {
            let held = counted(self.reaffirmed.len(), "marked frame holds", "marked frames hold");
            parts.push(format!("{held}, made from the same as before:{}", lines(&self.reaffirmed)));
        }
        if !self.is_fresh() {
            let count = self.skipped.len() + self.skipped_left_out;
            let mut stale = counted(count, "frame stays stale:", "frames stay stale:");
            for skipped in self.skipped.iter().take(SKIPPED_TOLD_MAX) {
                let SkippedFrame { path, frame_type, agent, reason, .. } = skipped;
                let helps = helps(skipped.remedy);
                let _ = write!(stale, "\n  {path} {frame_type} by {agent}: {reason}; {helps}");
            }
            let more = count.saturating_sub(SKIPPED_TOLD_MAX);
            if more > 0 {
                let _ = write!(stale, "\n  and {more} more");
            }
            parts.push(stale);
        }
        parts.join("\n")
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn lines(frames: &[RegeneratedFrame]) -> String {
    let mut text = String::new();
    for one in frames {
        let _ = write!(text, "\n  {}: {}", one.path, one.frame);
    }
    text
}

/// Returns the reason that a stale frame was not regenerated, in words that follow the reason for its staleness.
fn helps(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Put => "only a new text makes it fresh",
        Remedy::Generate => "only a model makes it anew",
        Remedy::Regenerate => "it is made anew once that is fresh",
        Remedy::RegenerateEverything => "it is made anew when everything is looked at",
    }
}

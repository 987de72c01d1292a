//! Renders a composition as text for a prompt.

use std::fmt::Write as _;

use super::Composed;

/// Estimates the number of tokens in a text of this size: one for each four bytes, rounded up.
pub const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

/// Renders a composition as text of at most `tokens_max` tokens. A piece that does not fit is left out as a whole, and
/// the number of such pieces is noted at the end, if that fits.
pub fn export(composed: &Composed, tokens_max: usize) -> String {
    let bytes_max = tokens_max.saturating_mul(4);
    let mut text = String::new();
    let mut left_out = composed.left_out;
    for viewed in &composed.frames {
        let frame = &viewed.frame;
        let freshness = &viewed.freshness;
        let mut piece = String::new();
        let (path, kind, agent) = (&frame.path, &frame.frame_type, &frame.agent_id);
        let _ = writeln!(piece, "### {path} [{kind} by {agent}, {freshness}]");
        let content = viewed.content.as_deref().unwrap_or_default();
        let _ = writeln!(piece, "\n{}\n", String::from_utf8_lossy(content).trim_end());
        if text.len() + piece.len() > bytes_max {
            left_out += 1;
            continue;
        }
        text.push_str(&piece);
    }
    if left_out > 0 {
        let note = format!("[{left_out} more frames do not fit]\n");
        if text.len() + note.len() <= bytes_max {
            text.push_str(&note);
        }
    }
    text
}

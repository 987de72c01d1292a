//! Replies as an agent reads them.

use std::fmt::Write as _;

use super::reply::{HistoryShown, KeysListed, Packed, Unpacked};

const INFALLIBLE: &str = "writing to a string does not fail";

impl Packed {
    /// The reply as text.
    pub fn text(&self) -> String {
        let Self { backpack, key, commit, size } = self;
        format!("Stored {size} bytes under `{key}` in `{backpack}` (commit {commit}).")
    }
}

impl Unpacked {
    /// The reply as text.
    pub fn text(&self) -> String {
        let Self { key, backpack, .. } = self;
        let Some(about) = &self.about else {
            return format!("There is nothing under `{key}` in `{backpack}`.");
        };
        let head = format!(
            "`{key}` in `{backpack}`, version {}, {} bytes, by {}:",
            about.version, about.size, about.by
        );
        let body = match (&self.value, &self.part) {
            (Some(value), _) => value.to_string(),
            (None, part) => part.clone().unwrap_or_default(),
        };
        match self.next_offset {
            None => format!("{head}\n{body}"),
            Some(next) => format!("{head}\n{body}\nIt goes on: unpack with \"offset\": {next}."),
        }
    }
}

impl KeysListed {
    /// The reply as text.
    pub fn text(&self) -> String {
        let mut text = match self.keys.len() {
            0 => format!("There is nothing in `{}` that you may read.", self.backpack),
            1 => format!("1 key in `{}`:", self.backpack),
            count => format!("{count} keys in `{}`:", self.backpack),
        };
        for key in &self.keys {
            write!(text, "\n- {key}").expect(INFALLIBLE);
        }
        if self.left_out > 0 {
            write!(text, "\nand {} more; ask with a `prefix`.", self.left_out).expect(INFALLIBLE);
        }
        text
    }
}

impl HistoryShown {
    /// The reply as text.
    pub fn text(&self) -> String {
        if self.commits.is_empty() {
            return format!("Nothing happened in `{}` that you may know of.", self.backpack);
        }
        let mut text = format!("What happened in `{}`, the newest first:", self.backpack);
        for line in &self.commits {
            let (commit, by, action) = (&line.commit, &line.by, line.action);
            write!(text, "\n{commit} {by} {action} `{}` {}", line.key, line.summary)
                .expect(INFALLIBLE);
            if let Some(provenance) = &line.provenance {
                write!(text, " (step {} of {})", provenance.step, provenance.run)
                    .expect(INFALLIBLE);
            }
        }
        if self.left_out > 0 {
            write!(text, "\nand {} older.", self.left_out).expect(INFALLIBLE);
        }
        text
    }
}

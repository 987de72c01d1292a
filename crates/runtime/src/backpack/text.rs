//! Text rendering of replies to agents.

use super::reply::{HistoryLine, HistoryShown, KeysListed, Packed, Unpacked};

impl Packed {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let Self { backpack, key, commit, size } = self;
        format!("Stored {size} bytes under `{key}` in `{backpack}` (commit {commit}).")
    }
}

impl Unpacked {
    /// Renders the reply as text.
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
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let head = match self.keys.len() {
            0 => format!("There is nothing in `{}` that you may read.", self.backpack),
            1 => format!("1 key in `{}`:", self.backpack),
            count => format!("{count} keys in `{}`:", self.backpack),
        };
        let mut lines = vec![head];
        lines.extend(self.keys.iter().map(|key| format!("- {key}")));
        if self.left_out > 0 {
            lines.push(format!("and {} more; ask with a `prefix`.", self.left_out));
        }
        lines.join("\n")
    }
}

impl HistoryShown {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        if self.commits.is_empty() {
            return format!("Nothing happened in `{}` that you may know of.", self.backpack);
        }
        let mut lines = vec![format!("What happened in `{}`, the newest first:", self.backpack)];
        lines.extend(self.commits.iter().map(HistoryLine::text));
        match (self.left_out, self.unread) {
            (0, None) => {}
            (older, None) => lines.push(format!("and {older} older.")),
            (older, Some(unread)) => lines.push(format!(
                "and {older} older; {unread} commits before them were not looked at. Ask with a `key` or `by`."
            )),
        }
        lines.join("\n")
    }
}

impl HistoryLine {
    fn text(&self) -> String {
        let Self { commit, by, action, key, summary, .. } = self;
        let line = format!("{commit} {by} {action} `{key}` {summary}");
        match &self.provenance {
            Some(provenance) => format!("{line} (step {} of {})", provenance.step, provenance.run),
            None => line,
        }
    }
}

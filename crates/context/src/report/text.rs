//! A report as text and as Markdown. Pure.

use std::fmt::Write as _;

use super::ContextReport;

impl ContextReport {
    /// Formats the report as plain text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let root = self.root.root.digest().hex();
        let partial = if self.root.partial { ", partial" } else { "" };
        let _ = writeln!(
            text,
            "tree {} {}{partial}: {} nodes",
            self.root.sequence,
            &root[..12],
            self.nodes
        );
        let _ = writeln!(text, "{} have frames", share(self.nodes_with_frames, self.nodes));
        for line in &self.coverage {
            let nodes = share(line.nodes, self.nodes);
            let _ = writeln!(
                text,
                "  {} by {}: {nodes}, {} stale",
                line.frame_type, line.agent, line.stale
            );
        }
        if self.left_behind > 0 {
            let _ = writeln!(text, "{} heads are at paths that are gone", self.left_behind);
        }
        if let Some(reason) = &self.unchecked {
            let _ = writeln!(text, "freshness was not checked: {reason}");
        }
        for stale in &self.stale {
            let _ = writeln!(text, "stale: {} {}: {}", stale.path, stale.frame_type, stale.reason);
        }
        text
    }

    /// Formats the report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("## Context\n\n");
        let root = self.root.root.digest().hex();
        let covered = share(self.nodes_with_frames, self.nodes);
        let _ = writeln!(
            text,
            "Tree {} `{}`: {covered} nodes have frames.\n",
            self.root.sequence,
            &root[..12]
        );
        text.push_str("| type | agent | nodes | stale |\n|---|---|---|---|\n");
        for line in &self.coverage {
            let nodes = share(line.nodes, self.nodes);
            let _ = writeln!(
                text,
                "| {} | {} | {nodes} | {} |",
                line.frame_type, line.agent, line.stale
            );
        }
        if let Some(reason) = &self.unchecked {
            let _ = writeln!(text, "\nFreshness was not checked: {reason}.");
        }
        if !self.stale.is_empty() {
            text.push_str("\n| stale | type | why |\n|---|---|---|\n");
            for stale in &self.stale {
                let _ =
                    writeln!(text, "| {} | {} | {} |", stale.path, stale.frame_type, stale.reason);
            }
        }
        text
    }
}

/// Formats a share, for example `3 of 12 (25 %)`.
fn share(part: u64, whole: u64) -> String {
    let percent = (part * 100).checked_div(whole).unwrap_or(0); // tidy: number of percents
    format!("{part} of {whole} ({percent} %)")
}

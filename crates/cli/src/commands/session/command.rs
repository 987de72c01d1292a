//! The subcommands of `piton session`.

use clap::Subcommand;

use super::{export, list, prefer, retention, show, verify};
use crate::app::{App, Outcome};
use crate::arguments::{LatestRun, RunArgument};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List every run, or those that match a query, the newest first
    #[command(
        after_help = "Examples:\n  piton session list --json\n  piton session list 'status:blocked age<1d login' --limit 20"
    )]
    List(list::ListSessions),
    /// Show a run step by step, with what was submitted and decided
    #[command(
        after_help = "Examples:\n  piton session show\n  piton session show amber-otter\n  piton session show amber-otter@diagnose"
    )]
    Show(show::ShowSession),
    /// Draw the graph of a run: its branches, its blocks, and its current step
    #[command(after_help = "Example:\n  piton session tree amber-otter")]
    Tree(show::Tree),
    /// Make a branch the one that its run is at
    #[command(after_help = "Example:\n  piton session prefer amber-otter@4q7d")]
    Prefer(prefer::PreferBranch),
    /// Print a whole artifact of a run, or write it to a file
    #[command(after_help = "Example:\n  piton session artifact amber-otter wr.review_verdict")]
    Artifact(show::Artifact),
    /// Export a session to a file that can be imported elsewhere, or a run to a page that anybody can open
    #[command(
        after_help = "Examples:\n  piton session export amber-otter login.bundle.json\n  piton session export amber-otter --html"
    )]
    Export(export::Export),
    /// Import a session from an exported file
    #[command(after_help = "Example:\n  piton session import login.bundle.json")]
    Import(export::Import),
    /// Verify every byte of a session and of everything it refers to; nothing is changed
    #[command(after_help = "Example:\n  piton session verify amber-otter")]
    Verify(LatestRun),
    /// Rebuild the log of a damaged session from its intact parts, and keep what is removed
    #[command(after_help = "Example:\n  piton session repair sess_…")]
    Repair(RunArgument),
    /// List what repairs and interrupted writes removed from sessions, and where it is kept
    #[command(after_help = "Example:\n  piton session repairs")]
    Repairs,
    /// Delete sessions past their retention time, and everything that nothing refers to any more
    #[command(after_help = "Example:\n  piton session gc --dry-run")]
    Gc(retention::Gc),
    /// Delete a session
    #[command(after_help = "Example:\n  piton session delete sess_… --yes")]
    Delete(retention::Delete),
    /// Keep a session past its retention time
    #[command(after_help = "Example:\n  piton session keep sess_…")]
    Keep(retention::Keep),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::List(list) => list.run(app),
            Self::Show(show) => show.run(app),
            Self::Tree(tree) => tree.run(app),
            Self::Prefer(prefer) => prefer.run(app),
            Self::Artifact(artifact) => artifact.run(app),
            Self::Export(export) => export.run(app),
            Self::Import(import) => import.run(app),
            Self::Verify(run) => verify::verify(app, run),
            Self::Repair(run) => verify::repair(app, &run),
            Self::Repairs => verify::repairs(app),
            Self::Gc(gc) => gc.run(app),
            Self::Delete(delete) => delete.run(app),
            Self::Keep(keep) => keep.run(app),
        }
    }
}

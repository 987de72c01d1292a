//! `cargo xtask requirements`: which rows of the registers a test shows.
//!
//! A row counts as shown when a tag in the comments of a test names it. The tag says that a test
//! exists; that the test can fail is for its reviewer to see.

pub(crate) mod coverage;
pub(crate) mod register;
pub(crate) mod tag;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::project::{self, Project};

/// What to list.
#[derive(Args)]
pub(crate) struct Options {
    /// List the rows that no test shows yet.
    #[arg(long)]
    missing: bool,
    /// Only rows of this prefix, such as `WR`.
    #[arg(long)]
    group: Option<String>,
}

/// Prints the counts.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    if let Some(group) = &options.group
        && !register::PREFIXES.contains(&group.as_str())
    {
        bail!("there is no group `{group}`; use one of: {}", register::PREFIXES.join(", "));
    }
    let project = Project::load(&project::root()?)?;
    let coverage = coverage::Coverage::of(&project, options.group.as_deref());
    print!("{}", coverage.summary(options.missing));
    Ok(ExitCode::SUCCESS)
}

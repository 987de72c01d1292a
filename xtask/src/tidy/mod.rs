//! `cargo xtask tidy`: what the compiler cannot see.
//!
//! Each check is a pure function from the project's text to problems; all of them run, and all
//! problems are printed. A line may opt out where its check says how, with a comment on that line.

mod codes;
mod edges;
#[cfg(test)]
mod finding;
mod forbidden;
mod gates;
mod item_docs;
mod links;
mod manifests;
mod metadata;
mod module_docs;
mod numbers;
mod orphans;
mod outside;
mod ports;
mod purity;
mod repeated;
mod tags;
mod words;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::problem::Problem;
use crate::process;
use crate::project::{self, Project};

/// Checks the repository and prints what is wrong.
pub(crate) fn run() -> Result<ExitCode> {
    let problems = check(&project::root()?)?;
    for problem in &problems {
        println!("{problem}");
    }
    if problems.is_empty() {
        println!("tidy: no problems");
        return Ok(ExitCode::SUCCESS);
    }
    println!("tidy: {} to fix", problems.len());
    Ok(ExitCode::FAILURE)
}

/// Every problem of the repository, by file and line.
pub(crate) fn check(root: &Path) -> Result<Vec<Problem>> {
    let project = Project::load(root)?;
    let metadata = metadata::parse(&metadata::read(root, &process::cargo())?)?;
    let mut problems = [
        codes::check(&project),
        edges::check(&metadata),
        edges::check_reach(&metadata),
        forbidden::check(&project),
        gates::check(&project),
        item_docs::check(&project),
        links::check(&project),
        manifests::check(&project),
        module_docs::check(&project),
        numbers::check(&project),
        orphans::check(&project),
        outside::check(&project),
        ports::check(&project),
        purity::check(&project),
        repeated::check(&project),
        tags::check(&project),
        words::check(&project),
    ]
    .concat();
    problems.sort();
    problems.dedup();
    Ok(problems)
}

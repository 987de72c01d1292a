//! The conformance suite of the Model Context Protocol, against the server that Piton serves agents with.
//!
//! The suite asks for tools, resources and prompts of its own. They are served as Piton's tools are: behind the same
//! checks of `Host` and `Origin`, with the same connections and limits.
#![expect(deprecated, reason = "the suite covers what revisions before 2026-07-28 have")]

mod asks;
mod client;
mod fixtures;
mod suite;

use suite::passes;

/// What is not offered, with the reasons.
const EXPECTED_FAILURES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/expected-failures.yml");

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_of_the_released_suite_passes() {
    passes("conformance", "all", &["--suite", "all"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_of_the_revision_2025_11_25_passes() {
    let options = ["--suite", "all", "--spec-version", "2025-11-25"];
    passes("conformance-next", "2025-11-25", &options).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_of_the_revision_2026_07_28_passes() {
    let options = ["--suite", "all", "--spec-version", "2026-07-28"];
    passes("conformance-next", "2026-07-28", &options).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_extensions_every_scenario_passes_but_what_is_not_offered() {
    let options = ["--suite", "all", "--expected-failures", EXPECTED_FAILURES];
    passes("conformance-next", "extensions", &options).await;
}

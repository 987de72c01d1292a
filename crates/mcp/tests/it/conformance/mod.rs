//! The conformance suite of the Model Context Protocol, against the server that Piton serves agents with.
//!
//! The suite asks for tools, resources and prompts of its own. They are served as Piton's tools are: behind the same
//! checks of `Host` and `Origin`, with the same connections and limits.
#![expect(deprecated, reason = "the suite covers what revisions before 2026-07-28 have")]

mod asks;
mod client;
mod fixtures;
mod suite;

use suite::{passes, piton_passes};

/// What is not offered, with the reasons.
const NOT_OFFERED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/expected-failures.yml");

/// What asks for tools that only fixtures have, within what Piton itself is held to.
const NOT_TESTABLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/expected-failures-of-piton.yml");

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_of_the_released_suite_passes() {
    passes("conformance", "release", &["--suite", "all"]).await;
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
    let options = ["--suite", "all", "--expected-failures", NOT_OFFERED];
    passes("conformance-next", "extensions", &options).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_of_piton_pass_what_asks_about_tools_and_needs_no_fixtures() {
    for (revision, scenario) in [
        ("2025-11-25", "server-initialize"),
        ("2025-11-25", "tools-list"),
        ("2026-07-28", "server-stateless"),
        ("2026-07-28", "tools-list"),
    ] {
        let which = ["--spec-version", revision, "--scenario", scenario];
        let options = [&which[..], &["--expected-failures", NOT_TESTABLE]].concat();
        piton_passes("conformance-next", &format!("piton-{revision}-{scenario}"), &options).await;
    }
}

//! `piton version`: the version of the program, and of the data that it writes.

use serde::Serialize;

use crate::adapters::{FORMAT_VERSION, OLDEST_READER};
use crate::app::{App, Outcome};

/// The commit that the program was built from, if the build names it.
const COMMIT: Option<&str> = option_env!("PITON_COMMIT");

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VersionShown {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'static str>,
    data_format: DataFormat,
}

/// Version of everything below a data directory.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DataFormat {
    version: u64,
    /// Oldest version whose programs can read what this one writes.
    oldest_reader: u64,
}

pub(crate) fn run(app: &App) -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    let commit = COMMIT.map(|commit| format!(" ({commit})")).unwrap_or_default();
    writeln!(app.output, "piton {version}{commit}");
    writeln!(app.output, "Data format {FORMAT_VERSION}");
    let data_format = DataFormat { version: FORMAT_VERSION, oldest_reader: OLDEST_READER };
    app.output.finish("piton.version/1", &VersionShown { version, commit: COMMIT, data_format })
}

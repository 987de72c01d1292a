//! What flows reach outside: models, and the tools of other MCP servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use piton_core::Envelope;
use piton_models::provider::SystemSecrets;
use piton_models::{Backoff, ModelClient, Providers, Retrying};
use piton_runtime::flows::{self, FlowPorts, Flows};
use piton_runtime::mcp_tools;
use piton_store::local::SystemTimer;

use crate::{bounds::SETTINGS_BYTES_MAX, failure::Failure, files, open::Open};

/// Where tools come from.
#[derive(Args)]
pub(crate) struct Tools {
    /// The tools of these MCP servers: a file with `mcpServers`
    #[arg(long = "tools", value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Flows of a data directory, with what they reach outside.
pub(super) fn flows(open: &Open, tools: &Tools, models: Option<&Path>) -> Result<Flows, Failure> {
    let tools = open.block_on(connected(tools.file.as_deref()))?;
    let (journal, timer) = (open.backpacks(), Arc::new(SystemTimer));
    Ok(Flows::new(FlowPorts { journal, timer, models: self::models(models)?, tools }))
}

/// Who answers for models.
fn models(file: Option<&Path>) -> Result<Arc<dyn ModelClient>, Failure> {
    let settings = match file {
        None => flows::ModelSettings::default(),
        Some(path) => flows::parse(&files::read_text(path, SETTINGS_BYTES_MAX)?)?,
    };
    let providers = Providers::new(settings.providers, settings.default, Arc::new(SystemSecrets));
    let providers = Arc::new(providers.map_err(|error| error.envelope())?);
    Ok(Arc::new(Retrying::new(providers, Backoff::default(), Arc::new(SystemTimer))))
}

/// The tools of the servers that a file names.
async fn connected(file: Option<&Path>) -> Result<piton_flow::Tools, Failure> {
    let mut tools = piton_flow::Tools::new();
    let Some(path) = file else { return Ok(tools) };
    let text = files::read_text(path, SETTINGS_BYTES_MAX)?;
    let told = |error: mcp_tools::ConnectError| Envelope::from(&error);
    for (name, settings) in mcp_tools::parse(&text).map_err(told)? {
        for tool in mcp_tools::connect(&name, &settings).await.map_err(told)? {
            tools.register(tool).map_err(|error| {
                Failure::refused(format!("{error}."), "Give the server another name in the file.")
            })?;
        }
    }
    Ok(tools)
}

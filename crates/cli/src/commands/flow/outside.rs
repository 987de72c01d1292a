//! What flows reach outside: models, and the tools of other MCP servers.

use std::path::Path;
use std::sync::Arc;

use piton_core::Envelope;
use piton_flow::Tools;
use piton_models::provider::SystemSecrets;
use piton_models::{Backoff, ModelClient, Providers, Retrying};
use piton_runtime::{flows, mcp_tools};
use piton_store::local::SystemTimer;

use crate::{bounds::SETTINGS_BYTES_MAX, failure::Failure, files};

/// Who answers for models.
pub(super) fn models(file: Option<&Path>) -> Result<Arc<dyn ModelClient>, Failure> {
    let settings = match file {
        None => flows::ModelSettings::default(),
        Some(path) => flows::parse(&files::read_text(path, SETTINGS_BYTES_MAX)?)?,
    };
    let providers = Providers::new(settings.providers, settings.default, Arc::new(SystemSecrets));
    let providers = Arc::new(providers.map_err(|error| error.envelope())?);
    Ok(Arc::new(Retrying::new(providers, Backoff::default(), Arc::new(SystemTimer))))
}

/// The tools of the servers that a file names.
pub(super) async fn tools(file: Option<&Path>) -> Result<Tools, Failure> {
    let mut tools = Tools::new();
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

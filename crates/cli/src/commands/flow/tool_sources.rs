//! The outside world of flows: models, files, and the tools of other MCP servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use piton_core::Envelope;
use piton_runtime::flow::{FlowPorts, Flows, Tool, Tools};
use piton_runtime::mcp_tools;
use piton_runtime::models::{ModelSettings, SystemSecrets, client};
use piton_runtime::workspaces::flow_tools;

use crate::adapters::SystemTimer;
use crate::app::App;
use crate::bounds::SETTINGS_BYTES_MAX;
use crate::commands::workspace::{WorkspaceArguments, sandbox};
use crate::failure::Failure;
use crate::files;
use crate::open::Open;
use crate::output;

/// The sources of a flow's tools.
#[derive(Args)]
pub(crate) struct ToolSources {
    /// A file with the `mcpServers` that the flow may use
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    #[command(flatten)]
    workspaces: WorkspaceArguments,
}

impl ToolSources {
    /// Puts up the kernel sandbox around a flow, before any thread is started. There is none if a file names servers:
    /// these may be programs, which the sandbox would keep from starting.
    pub(super) fn put_up_sandbox(&self, app: &App) -> Result<(), Failure> {
        if self.tools.is_none() {
            sandbox::put_up(app, &self.workspaces.declared(app)?)?;
        }
        Ok(())
    }
}

/// Returns the flows of a data directory, with the models, files and tools that they reach.
pub(super) fn flows(
    app: &App,
    open: &Open,
    tools: &ToolSources,
    models: Option<&Path>,
) -> Result<Flows, Failure> {
    let declared = tools.workspaces.declared(app)?;
    let files = flow_tools(declared, open.files.clone(), |note| {
        output::warn(format_args!("Note: {note}."));
    });
    let tools = open.block_on(connected(tools.tools.as_deref(), files))?;
    let settings = match models {
        None => open.runtime.model_settings()?,
        Some(path) => ModelSettings::parse(&files::read_text(path, SETTINGS_BYTES_MAX)?)?,
    };
    let models = client(settings, Arc::new(SystemSecrets), Arc::new(SystemTimer))?;
    let (journal, timer) = (open.adapters.backpacks.clone(), Arc::new(SystemTimer));
    Ok(Flows::new(FlowPorts { journal, timer, models, tools }))
}

/// Collects the tools of the workspaces, and of the servers that a file names.
async fn connected(file: Option<&Path>, files: Vec<Arc<dyn Tool>>) -> Result<Tools, Failure> {
    let mut tools = Tools::new();
    for tool in files {
        tools.register(tool).expect("file tools have names of their own");
    }
    let Some(path) = file else { return Ok(tools) };
    let text = files::read_text(path, SETTINGS_BYTES_MAX)?;
    let refused = |error: mcp_tools::ConnectError| Envelope::from(&error);
    for (name, settings) in mcp_tools::parse(&text).map_err(refused)? {
        for tool in mcp_tools::connect(&name, &settings).await.map_err(refused)? {
            tools.register(tool).map_err(|error| {
                Failure::refused(format!("{error}."), "Give the server another name in the file.")
            })?;
        }
    }
    Ok(tools)
}

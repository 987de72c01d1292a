//! `piton workspace map`, `tools` and `resolve`: the view of an agent, and the Workspace that a path belongs to.

use std::collections::BTreeMap;

use clap::Args;
use piton_core::shell_word;
use piton_mcp::catalogue::world_catalogue;
use piton_mcp::listed;
use piton_runtime::workspaces::{ResolvedPath, WorkspaceShown};
use serde::Serialize;
use serde_json::Value;

use super::WorkspaceArguments;
use crate::app::{App, Outcome};
use crate::messages::count;

#[derive(Serialize)]
struct ShownMap<'a> {
    /// The text that an agent reads.
    map: &'a str,
    workspaces: Vec<WorkspaceShown>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ToolNames {
    tools: Vec<Value>,
}

pub(super) fn map(app: &App, chosen: &WorkspaceArguments) -> Outcome {
    let (_open, world) = chosen.world(app)?;
    let map = world.map();
    app.output.print(map.trim_end());
    app.output.advise(format_args!(
        "\nAn agent reads this when it connects. Its {}: piton workspace tools",
        count(world.tools().len(), "tool")
    ));
    let shown = ShownMap { map: &map, workspaces: world.describe(), notes: world.notes() };
    app.output.finish("piton.workspace.map/1", &shown)
}

pub(super) fn tools(app: &App, chosen: &WorkspaceArguments) -> Outcome {
    let (_open, world) = chosen.world(app)?;
    let catalogue = world_catalogue(&world);
    for tool in &catalogue.tools {
        let fields = tool.input.get("properties").and_then(Value::as_object);
        let names = fields.into_iter().flat_map(|fields| fields.keys());
        let is_required = |name: &&str| {
            let required = tool.input.get("required").and_then(Value::as_array);
            required.is_some_and(|names| names.iter().any(|one| one == name))
        };
        let (must, may): (Vec<&str>, Vec<&str>) =
            names.map(String::as_str).partition(|name| is_required(name));
        let may: Vec<String> = may.iter().map(|name| format!("[{name}]")).collect();
        let fields = must.into_iter().map(str::to_owned).chain(may).collect::<Vec<_>>().join(" ");
        writeln!(app.output, "{:<8} {fields}\n         {}", tool.name, tool.description);
    }
    app.output.advise("\nTry them: piton workspace shell");
    app.output.finish("piton.workspace.tools/1", &ToolNames { tools: listed(&catalogue) })
}

#[derive(Args)]
pub(crate) struct Resolve {
    /// A path as agents write it
    path: String,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

impl Resolve {
    pub(super) fn run(self, app: &App) -> Outcome {
        let (_open, world) = self.chosen.world(app)?;
        let resolved = world.resolve(&self.path)?;
        print(app, &resolved);
        app.output.finish("piton.workspace.resolve/1", &resolved)
    }
}

fn print(app: &App, resolved: &ResolvedPath) {
    let output = &app.output;
    let workspace = &resolved.workspace;
    writeln!(
        output,
        "{} is in the {} Workspace {}.\n",
        resolved.path, workspace.scope, workspace.prefix
    );
    let at = if resolved.at.is_root() { "(the Workspace itself)" } else { resolved.at.as_str() };
    writeln!(output, "  store        {}", workspace.store);
    writeln!(output, "  there        {at}");
    writeln!(output, "  declared by  {}", workspace.declared_by);
    let allowed: Vec<&str> = resolved
        .tools
        .iter()
        .filter(|verdict| verdict.refused.is_none())
        .map(|verdict| verdict.tool.as_str())
        .collect();
    let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
    writeln!(output, "  allowed      {allowed}");
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for verdict in &resolved.tools {
        if let Some(why) = &verdict.refused {
            // The name of the tool is printed in front of the reason, and equal reasons are printed once.
            let why = why.replace(&format!("`{}`", verdict.tool), "it");
            reasons.entry(why).or_default().push(verdict.tool.as_str());
        }
    }
    for (why, tools) in reasons {
        writeln!(output, "  refused      {}: {why}", tools.join(", "));
    }
    output.advise(format_args!(
        "\nWho changed it: piton workspace log {}",
        shell_word(resolved.path.as_str())
    ));
}

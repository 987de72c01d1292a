//! `piton workspace map` and `piton workspace tools`: the view of an agent.

use piton_mcp::catalogue::workspaces::world_catalogue;
use piton_mcp::listed;
use piton_runtime::workspaces::WorkspaceShown;
use serde::Serialize;
use serde_json::Value;

use super::Chosen;
use crate::app::App;
use crate::exit::CommandEnding;
use crate::failure::Failure;
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

pub(super) fn map(app: &App, chosen: &Chosen) -> Result<CommandEnding, Failure> {
    let (_open, world) = chosen.world(app)?;
    let map = world.map();
    app.output.print(map.trim_end());
    app.output.advise(format_args!(
        "\nAn agent reads this when it connects. Its {}: piton workspace tools",
        count(world.tools().len(), "tool")
    ));
    let told = ShownMap { map: &map, workspaces: world.describe(), notes: world.notes() };
    app.output.reply("piton.workspace.map/1", &told)?;
    Ok(CommandEnding::Done)
}

pub(super) fn tools(app: &App, chosen: &Chosen) -> Result<CommandEnding, Failure> {
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
        app.output.print(format_args!("{:<8} {fields}\n         {}", tool.name, tool.description));
    }
    app.output.advise("\nTry them: piton workspace shell");
    app.output.reply("piton.workspace.tools/1", &ToolNames { tools: listed(&catalogue) })?;
    Ok(CommandEnding::Done)
}

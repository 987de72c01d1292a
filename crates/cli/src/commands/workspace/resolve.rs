//! `piton workspace resolve`.

use std::collections::BTreeMap;

use clap::Args;
use piton_core::shell_word;
use piton_runtime::workspaces::ResolvedPath;

use super::Chosen;
use crate::app::App;
use crate::exit::CommandEnding;
use crate::failure::Failure;

#[derive(Args)]
pub(crate) struct Resolve {
    /// A path as agents write it
    path: String,
    #[command(flatten)]
    chosen: Chosen,
}

impl Resolve {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let (_open, world) = self.chosen.world(app)?;
        let resolved = world.resolve(&self.path)?;
        print(app, &resolved);
        app.output.reply("piton.workspace.resolve/1", &resolved)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, resolved: &ResolvedPath) {
    let output = &app.output;
    let workspace = &resolved.workspace;
    output.print(format_args!(
        "{} is in the {} Workspace {}.\n",
        resolved.path, workspace.scope, workspace.prefix
    ));
    let at = if resolved.at.is_empty() { "(the Workspace itself)" } else { &resolved.at };
    output.print(format_args!("  store        {}", workspace.store));
    output.print(format_args!("  there        {at}"));
    output.print(format_args!("  declared by  {}", workspace.declared_by));
    let allowed: Vec<&str> = resolved
        .tools
        .iter()
        .filter(|verdict| verdict.refused.is_none())
        .map(|verdict| verdict.tool.as_str())
        .collect();
    let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
    output.print(format_args!("  allowed      {allowed}"));
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for verdict in &resolved.tools {
        if let Some(why) = &verdict.refused {
            // The name of the tool is printed in front of the reason, and equal reasons are printed once.
            let why = why.replace(&format!("`{}`", verdict.tool), "it");
            reasons.entry(why).or_default().push(verdict.tool.as_str());
        }
    }
    for (why, tools) in reasons {
        output.print(format_args!("  refused      {}: {why}", tools.join(", ")));
    }
    output.advise(format_args!(
        "\nWho changed it: piton workspace log {}",
        shell_word(&resolved.path)
    ));
}

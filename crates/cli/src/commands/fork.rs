//! `piton fork`: continuing from an earlier state of a run, a flow, a backpack or an overlay.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::provenance::{
    Forked, ForkedBackpack, ForkedFlow, ForkedOverlay, ForkedThing, ThingKind, ThingReference,
};
use piton_runtime::workspaces::{JoinedWorkspaces, Mount};

use super::workspace::WorkspaceArguments;
use super::worlds::OpenWorlds;
use crate::app::{App, Outcome};
use crate::complete;
use crate::failure::Failure;
use crate::messages::count;
use crate::tree::ending;

#[derive(Args)]
pub(crate) struct Fork {
    /// A run, a backpack, a flow run, or the path of an overlay [default: the most recently active run]
    #[arg(value_name = "THING", add = complete::things())]
    thing: Option<ThingReference>,
    /// The step of a run, the node of a flow, or the commit of a backpack [default: the current state]
    #[arg(long, value_name = "PLACE")]
    at: Option<String>,
    /// The name of the fork of a backpack or an overlay
    #[arg(long, value_name = "NAME")]
    into: Option<String>,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

impl Fork {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let Self { thing, at, into, mut chosen } = self;
        let mut thing = match thing {
            Some(thing) => thing,
            None => ThingReference {
                kind: Some(ThingKind::Run),
                name: app.open()?.run_or_latest(None)?.0,
                at: None,
            },
        };
        // `--at` is the more explicit of the two ways to name a state, so it beats one behind `@`.
        thing.at = at.or(thing.at);
        let mut declared = chosen.declared(app)?;
        let mut typed = None;
        // The fork of an overlay needs a workspace to live in. If none is declared, this call declares it, and the
        // output names the option that declares it again.
        if thing.kind == Some(ThingKind::Overlay)
            && let Some(mount) = undeclared(&declared, &thing.name, into.as_deref())
        {
            typed = Some(mount.clone());
            chosen.add(mount.parse::<Mount>().map_err(|why| Failure::refused(why, Mount::FORM))?);
            declared = chosen.declared(app)?;
        }
        let here = OpenWorlds::new(app, declared)?;
        let open = &here.open;
        let worlds = here.worlds();
        let mut forked = open.wait(open.runtime.fork(&thing, into.as_deref(), &worlds))?;
        if let ForkedThing::Flow(flow) = &mut forked {
            // Without a default provider in the configuration, most flows ran with a file of models.
            if open.runtime.model_settings()?.default.is_none() {
                flow.command.push_str(" --models FILE");
            }
            flow.command = app.output.complete(&flow.command).into_owned();
        }
        match &forked {
            ForkedThing::Run(forked) => {
                open.log.about(forked.session_id);
                say_run(app, forked);
            }
            ForkedThing::Flow(forked) => say_flow(app, forked),
            ForkedThing::Backpack(forked) => say_backpack(app, forked),
            ForkedThing::Overlay(forked) => say_overlay(app, forked, typed.as_deref()),
        }
        app.output.finish("piton.fork/1", &forked)
    }
}

/// Returns the workspace that a fork of an overlay needs, as a user would type it, unless it is declared already.
fn undeclared(declared: &JoinedWorkspaces, name: &str, into: Option<&str>) -> Option<String> {
    let into = into?;
    let found = |prefix: &str| declared.workspaces.iter().find(|(one, _)| one.prefix == prefix);
    let over = found(name)?.0.over.as_ref()?;
    found(into).is_none().then(|| format!("{into}=over{over}:rw"))
}

fn say_run(app: &App, forked: &Forked) {
    let node = forked.node_id.to_string();
    let output = &app.output;
    writeln!(output, "{} · {} ({})", forked.label, forked.title, forked.step);
    let left = if forked.was_left {
        "The run has already continued from here: submitting here makes a branch."
    } else {
        "The run is at this step: submitting here continues it."
    };
    writeln!(output, "{left} Nothing was written.\n");
    let call = serde_json::to_string(&forked.next_call.params).unwrap_or_default();
    output.print("Tell an agent to call:");
    writeln!(output, "  {} {call}", forked.next_call.tool);
    let name = &forked.name;
    output.advise(format_args!(
        "Or continue yourself: piton workflow run --resume {name}@{}",
        ending(&node)
    ));
    // Once something is submitted here, the run's name alone means the new branch, so the old tip is named by its id.
    if let Some(tip) = forked.branch_tip {
        let tip = tip.to_string();
        output.advise(format_args!(
            "\nCompare the two branches later: piton diff {name}@{} {name}",
            ending(&tip)
        ));
    }
}

fn say_flow(app: &App, forked: &ForkedFlow) {
    let ForkedFlow { backpack, node, commit, into, command } = forked;
    let output = &app.output;
    writeln!(output, "{backpack} · before {node}, after commit {commit}");
    output.print("A replay forks the backpack there and continues. Nothing was written.\n");
    writeln!(output, "Run it again from there:\n  {command}");
    output.print("Repeat the --models, --tools and --workspace options of the original run, and add no others.");
    let fork = into.as_ref().map_or_else(|| "FORK".to_owned(), ToString::to_string);
    output.advise(format_args!("\nCompare later: piton diff {backpack} {fork}"));
}

fn say_backpack(app: &App, forked: &ForkedBackpack) {
    let ForkedBackpack { backpack, of, commit, keys } = forked;
    let at = commit.as_ref().map_or_else(
        || "before its first commit".to_owned(),
        |commit| format!("after commit {commit}"),
    );
    let keys = count(*keys, "key");
    writeln!(app.output, "{backpack} holds what {of} held {at}: {keys}.");
    app.output.advise(format_args!("\nAttach agents to it: piton mcp --backpack {backpack}"));
    app.output.advise(format_args!("Compare later: piton diff {of} {backpack}"));
}

fn say_overlay(app: &App, forked: &ForkedOverlay, typed: Option<&str>) {
    let ForkedOverlay { overlay, of, over, changes } = forked;
    let changes = count(*changes, "change");
    writeln!(
        app.output,
        "{overlay} starts as a copy of {of}: {changes} over {over}. From now on, they are independent."
    );
    let (of, overlay) = (shell_word(of), shell_word(overlay));
    let flag = typed.map(|typed| format!(" --workspace {}", shell_word(typed)));
    let flag = flag.unwrap_or_default();
    if typed.is_some() {
        app.output
            .advise(format_args!("\nGive it to an agent, in this directory: piton mcp{flag}"));
    }
    app.output.advise(format_args!("\nCompare later: piton diff {of} {overlay}{flag}"));
}

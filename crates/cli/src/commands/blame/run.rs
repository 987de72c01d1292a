//! `piton blame run`.

use piton_runtime::provenance::{BookmarkLink, ChainLink, NodeBlame, NodeReference, OutputShown};

use crate::{
    age::ago,
    app::App,
    commands::session::{artifact_line, say_decisions},
    exit::CommandEnding,
    failure::Failure,
    style::{Tone, styled},
    tree::ending,
};

pub(super) fn run(app: &App, node: &NodeReference) -> Result<CommandEnding, Failure> {
    let open = app.open()?;
    let blame = open.wait(open.runtime.blame_node(node))?;
    open.log.about(blame.session_id);
    let NodeBlame { label, workflow_id, session_id, run_id, .. } = &blame;
    app.output.print(format_args!("{label} · {workflow_id}"));
    app.output.print(format_args!("  session  {session_id}\n  run      {run_id}\n"));
    if blame.left_out > 0 {
        app.output.print(format_args!("{} earlier steps are left out.", blame.left_out));
    }
    for link in &blame.chain {
        print(app, link);
    }
    app.output.reply("piton.blame.run/1", &blame)?;
    Ok(CommandEnding::Done)
}

/// Prints a step with what was submitted for it.
pub(crate) fn print(app: &App, link: &ChainLink) {
    let node = link.node_id.to_string();
    let name = link.title.as_deref().unwrap_or("done");
    let id = link.step.as_deref().map(|step| format!(" ({step})")).unwrap_or_default();
    let age = ago(App::now(), link.at);
    app.output.print(format_args!("{}  {name}{id}  {age}", styled(Tone::Faint, ending(&node))));
    for output in &link.outputs {
        app.output.print(format_args!("          {}", output_line(output)));
    }
    say_decisions(app, &link.decisions, "          ");
    for record in &link.records {
        let record = record.replace('\n', "\n          ");
        app.output.print(format_args!("          {} {record}", styled(Tone::Faint, "record:")));
    }
    for BookmarkLink { node_id, at, outputs } in &link.bookmarks {
        let (id, mark) = (node_id.to_string(), styled(Tone::Faint, "bookmark:"));
        let age = ago(App::now(), *at);
        app.output.print(format_args!("          {mark} {}  {age}", ending(&id)));
        for output in outputs {
            app.output.print(format_args!("            {}", output_line(output)));
        }
    }
}

fn output_line(output: &OutputShown) -> String {
    let event = output.event;
    if let Some(artifact) = &output.artifact {
        return format!("{}  [event {event}]", artifact_line(artifact));
    }
    let digest = output.digest.to_string();
    let told = output.headline.as_deref().unwrap_or(&output.kind);
    format!("{told}  [{}, event {event}]", ending(&digest))
}

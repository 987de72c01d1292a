//! `piton blame recap`.

use piton_runtime::provenance::{NodeReference, RecapLine, RecapSource};

use crate::{app::App, exit::CommandEnding, failure::Failure, tree::ending};

/// Width of the column before each line.
const WIDTH: usize = 20;

pub(super) fn run(app: &App, node: &NodeReference) -> Result<CommandEnding, Failure> {
    let open = app.open()?;
    let blame = open.wait(open.runtime.blame_recap(node))?;
    open.log.about(blame.session_id);
    if blame.lines.is_empty() {
        app.output.print("There is nothing to tell yet: no step of the run is done.");
    }
    for RecapLine { text, from } in &blame.lines {
        let from = match from {
            Some(RecapSource { output_id: Some(output), event, .. }) => {
                format!("{} event {event}", ending(&output.to_string()))
            }
            Some(RecapSource { event, .. }) => format!("a person event {event}"),
            None => "composed by Piton".to_owned(),
        };
        app.output.print(format_args!("{from:<WIDTH$} | {text}"));
    }
    app.output.reply("piton.blame.recap/1", &blame)?;
    Ok(CommandEnding::Done)
}

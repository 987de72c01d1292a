//! `piton session tree`.

use crate::{app::App, arguments::Run, exit::Ending, failure::Failure, tree};

pub(super) fn run(app: &App, run: &Run) -> Result<Ending, Failure> {
    let open = app.open()?;
    let drawn = open.wait(open.runtime.run_tree(&run.run))?;
    open.log.about(drawn.summary.session_id);
    for line in tree::lines(&drawn.nodes) {
        app.output.say(line);
    }
    app.output.reply("piton.session.tree/1", &drawn)?;
    Ok(Ending::Done)
}

//! `piton workspace verify` and `piton workspace repair`: what Virtual Stores hold, and the records of file changes.

use piton_runtime::files::{check_virtual, repair_virtual};

use crate::{
    app::App,
    exit::Ending,
    failure::Failure,
    words::{count, listed},
};

pub(super) fn verify(app: &App) -> Result<Ending, Failure> {
    let open = app.open()?;
    let found = open.block_on(check_virtual(&open.files.kept))?;
    let is_sound = found.damaged.is_empty();
    if is_sound {
        let files = count(usize::try_from(found.files).unwrap_or(usize::MAX), "file");
        app.output.say(format_args!("{files} in Virtual Stores, every byte as it was written."));
    } else {
        app.output.say(format_args!("Damaged: {}", listed(&found.damaged)));
        app.output.advise("Everything else works. Fix it: piton workspace repair");
    }
    app.output.reply("piton.workspace.verify/1", &found)?;
    Ok(if is_sound { Ending::Done } else { Ending::Damaged })
}

pub(super) fn repair(app: &App) -> Result<Ending, Failure> {
    let open = app.open()?;
    let done = open.block_on(repair_virtual(&open.files.kept))?;
    if done.taken_out.is_empty() {
        app.output.say("Nothing in Virtual Stores is damaged, and no record of a file change. Nothing was changed.");
    } else {
        app.output
            .say(format_args!("Out of use, and kept in the table: {}", listed(&done.taken_out)));
        app.output.say("In an overlay, the file below is seen again. Write those files again where they are missing.");
    }
    for kept in &done.kept {
        app.output
            .say(format_args!("A damaged content is kept: {}/{kept}", app.shown(open.root())));
    }
    app.output.reply("piton.workspace.repair/1", &done)?;
    Ok(Ending::Done)
}

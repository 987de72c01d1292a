//! `piton session verify` and `piton session repair`.

use piton_runtime::reply::Soundness;

use crate::{app::App, arguments::Run, exit::Ending, failure::Failure};

pub(super) fn verify(app: &App, run: &Run) -> Result<Ending, Failure> {
    let open = app.open()?;
    let verdict = open.wait(open.runtime.verify_session(&run.run))?;
    open.log.about(verdict.session_id);
    app.output.say(&verdict.summary);
    if !verdict.is_sound {
        app.output.say(format_args!("Mend it: piton session repair {}", verdict.session_id));
    }
    app.output.reply("piton.session.verify/1", &verdict)?;
    Ok(ending(&verdict))
}

pub(super) fn repair(app: &App, run: &Run) -> Result<Ending, Failure> {
    let open = app.open()?;
    let verdict = open.wait(open.runtime.repair_session(&run.run))?;
    open.log.about(verdict.session_id);
    app.output.say(&verdict.summary);
    let next = if verdict.is_sound {
        "It can be gone on with: piton session show"
    } else {
        "It is still damaged. Take what can be read: piton session export --salvage"
    };
    app.output.say(format_args!("{next} {}", verdict.session_id));
    app.output.reply("piton.session.repair/1", &verdict)?;
    Ok(ending(&verdict))
}

fn ending(verdict: &Soundness) -> Ending {
    if verdict.is_sound { Ending::Done } else { Ending::Damaged }
}

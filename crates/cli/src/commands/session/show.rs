//! `piton session show`.

use piton_runtime::reply::{GapShown, RunShown, SessionShown, StepShown};

use crate::{
    age::ago,
    app::App,
    arguments::Run,
    exit::Ending,
    failure::Failure,
    style::{State, styled},
    words::indented,
};

pub(super) fn run(app: &App, run: &Run) -> Result<Ending, Failure> {
    let open = app.open()?;
    let shown = open.wait(open.runtime.show_session(&run.run))?;
    open.log.about(shown.session_id);
    for run in &shown.runs {
        say(app, &shown, run);
    }
    app.output.reply("piton.session.show/1", &shown)?;
    Ok(Ending::Done)
}

fn say(app: &App, session: &SessionShown, run: &RunShown) {
    let output = &app.output;
    let summary = &run.summary;
    let place = summary.step.as_ref().map_or_else(
        || "done".to_owned(),
        |step| format!("step {} of {}: {}", step.number, step.of, step.title.as_str()),
    );
    let kept = if session.kept { ", kept when its time is over" } else { "" };
    let preferences = run.preferences;
    output.say(format_args!("{} · {} · {place}", summary.label, summary.workflow.id));
    output.say(format_args!("{}\n", summary.title));
    output.say(format_args!("  session  {}{kept}", summary.session_id));
    output.say(format_args!("  run      {}", summary.run_id));
    output.say(format_args!("  last     {}", ago(App::now(), summary.active_at)));
    output.say(format_args!("  prefers  {}, {}", preferences.autonomy, preferences.risk_policy));
    if let Some(branch) = &summary.surroundings.branch {
        output.say(format_args!("  branch   {branch}"));
    }
    if run.left_out > 0 {
        output.say(format_args!(
            "\n{} earlier steps are left out; --json has no more either.",
            run.left_out
        ));
    }
    for (place, step) in run.steps.iter().enumerate() {
        say_step(app, place + 1 + run.left_out, step);
    }
    output.say(format_args!("\nIts branches: piton session tree {}", summary.label));
}

fn say_step(app: &App, place: usize, step: &StepShown) {
    let output = &app.output;
    let title = step.title.as_deref().unwrap_or("done");
    output.say(format_args!("\n{place}. {title}"));
    for block in &step.blocks {
        let message = block.message.replace('\n', "\n     ");
        output.say(format_args!("   {} {message}", styled(State::Attention, "✗")));
    }
    // A block leaves a gap with the same words; that it was settled is seen by the notes.
    let is_told = |gap: &&GapShown| {
        gap.is_open || step.blocks.iter().all(|block| block.message != gap.summary)
    };
    for gap in step.gaps.iter().filter(is_told) {
        let mark =
            if gap.is_open { styled(State::Bad, "gap:") } else { styled(State::Faint, "settled:") };
        output.say(format_args!("   {mark} {}", gap.summary.replace('\n', "\n     ")));
    }
    if let Some(notes) = &step.notes {
        output.say(indented(notes, "   "));
    }
}

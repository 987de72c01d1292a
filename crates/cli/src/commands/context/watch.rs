//! Following a project until Ctrl-C.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use clap::Args;
use piton_core::Envelope;
use piton_runtime::context::{AgentContext, Followed, Following, RegenerateFrames, ScopeName};
use piton_runtime::context::{
    history::Recorded,
    watch::json_lines,
    word::{AgentId, FrameType},
};

use super::{generate, project_session::ProjectSession};
use crate::{
    app::App, bounds::WATCH_STEP, commands::stop, exit::CommandEnding, failure::Failure,
    messages::count, output,
};

#[derive(Args)]
pub(crate) struct Watch {
    /// Make synthesised frames anew after each change: node, subtree or ancestors [default: subtree]
    #[arg(long, value_name = "SCOPE", num_args = 0..=1, default_missing_value = "subtree", require_equals = true)]
    regenerate: Option<ScopeName>,
    /// Let a model write frames of this type anew after each change, everywhere
    #[arg(long, value_name = "TYPE", requires = "regenerate")]
    generate: Option<FrameType>,
    #[command(flatten)]
    asking: generate::ModelOptions,
}

impl Watch {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let (mut following, first) = desk.open.wait(desk.frames.follow())?;
        if let Some(scope) = self.regenerate {
            let request = RegenerateFrames { scope: Some(scope), ..RegenerateFrames::default() };
            following = following.regenerating(acting.clone(), request)?;
        }
        // Ctrl-C has to work before the line that promises it is printed: a program that reads the line may send it at
        // once.
        let stopped = Arc::new(AtomicBool::new(false));
        let ask = {
            let stopped = Arc::clone(&stopped);
            move || stopped.store(true, Ordering::Relaxed)
        };
        stop::when_asked(&desk.open, ask, CommandEnding::Done)?;
        print_recorded(app, &first);
        let directory = app.display_path(desk.frames.place().directory());
        app.output.print(format_args!("Watching {directory}. Ctrl-C stops."));
        // Frames may have gone stale before the watch began.
        if let Some(done) = desk.open.block_on(following.regenerate()) {
            report_wait(app, &Followed { recorded: None, regenerated: Some(done) });
        }
        while !stopped.load(Ordering::Relaxed) {
            let changed = step(app, &desk, &mut following);
            if let Some(frame_type) = self.generate.as_ref().filter(|_| changed) {
                self.by_model(app, &desk, &acting, frame_type);
            }
        }
        app.output.print("Stopped.");
        Ok(CommandEnding::Done)
    }
}

impl Watch {
    /// Lets a model write what changed. A failure is reported, and the watch continues.
    fn by_model(
        &self,
        app: &App,
        desk: &ProjectSession,
        acting: &AgentContext,
        frame_type: &FrameType,
    ) {
        let request = self.asking.request(".".to_owned(), frame_type.clone(), true, false);
        let plan = desk.open.wait(acting.plan(&request));
        let done = plan.and_then(|plan| self.asking.generate(app, desk, acting, &request, &plan));
        match done {
            // Each event is a line of its own, since a watch has no end at which to print one document.
            Ok(done) if app.output.is_json() => {
                let _ = output::line(&serde_json::json!({ "generated": done }));
            }
            Ok(done) => generate::print(app, &done),
            Err(failure) => complain(app, desk, &failure.envelope()),
        }
    }
}

/// Waits once for a change; true if there was one. A failure is reported, and the watch continues.
fn step(app: &App, desk: &ProjectSession, following: &mut Following) -> bool {
    // A bounded wait, so that the loop notices a request to stop even if nothing changes.
    match desk.open.block_on(following.step(WATCH_STEP)) {
        Ok(followed) => {
            report_wait(app, &followed);
            followed.recorded.is_some()
        }
        Err(envelope) => {
            complain(app, desk, &envelope);
            false
        }
    }
}

fn complain(app: &App, desk: &ProjectSession, envelope: &Envelope) {
    desk.open.log.failed(envelope);
    app.output.trouble(envelope);
}

fn report_wait(app: &App, followed: &Followed) {
    if let Some(recorded) = &followed.recorded {
        print_recorded(app, recorded);
    }
    match &followed.regenerated {
        Some(Ok(done)) if !done.made.is_empty() || !done.reaffirmed.is_empty() => {
            if app.output.is_json() {
                let _ = output::line(&serde_json::json!({ "regenerated": done }));
            } else {
                app.output.print(done.text());
            }
        }
        Some(Err(envelope)) => app.output.trouble(envelope),
        _ => {}
    }
}

/// Prints changed paths: a line of JSON each for a program, their number for a person.
fn print_recorded(app: &App, recorded: &Recorded) {
    if app.output.is_json() {
        let _ = output::bytes(json_lines(recorded).as_bytes());
        return;
    }
    let paths = count(recorded.changes.len(), "path");
    app.output.print(format_args!("Tree {}: {paths} changed.", recorded.root.sequence));
}

//! Following a project until Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use piton_core::Envelope;
use piton_runtime::bounds::REGENERATION_PATIENCE;
use piton_runtime::context::generate::Generator;
use piton_runtime::context::{
    AgentContext, AgentId, Follower, FrameType, Recorded, RegenerateFrames, RegenerateScope, Right,
    json_lines,
};

use super::generate;
use super::project_session::ProjectSession;
use crate::app::{App, Outcome};
use crate::bounds::WATCH_STEP;
use crate::commands::stop;
use crate::exit::CommandEnding;
use crate::messages::count;
use crate::output;

#[derive(Args)]
pub(crate) struct Watch {
    /// Regenerate synthesised frames after each change: node, subtree or ancestors [default: subtree]
    #[arg(long, value_name = "SCOPE", num_args = 0..=1, default_missing_value = "subtree", require_equals = true)]
    regenerate: Option<RegenerateScope>,
    /// Let a model write frames of this type again after each change, everywhere
    #[arg(long, value_name = "TYPE", requires = "regenerate")]
    generate: Option<FrameType>,
    #[command(flatten)]
    asking: generate::ModelOptions,
}

impl Watch {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let (session, acting) = ProjectSession::of(app, agent)?;
        let follower = Follower::start(session.project.context.clone());
        let (mut follower, first) = session.open.wait(follower)?;
        if self.regenerate.is_some() {
            acting.agent().check(Right::Synthesize).map_err(Envelope::from)?;
        }
        // Ctrl-C has to work before the line that promises it is printed: a program that reads the line may send it at
        // once.
        let stopped = Arc::new(AtomicBool::new(false));
        let ask = {
            let stopped = Arc::clone(&stopped);
            move || stopped.store(true, Ordering::Relaxed)
        };
        stop::when_asked(&session.open, ask, CommandEnding::Done)?;
        print_recorded(app, &first);
        let directory = app.display_path(session.project.context.location().directory());
        writeln!(app.output, "Watching {directory}. Ctrl-C stops.");
        // Frames may have gone stale before the watch began.
        self.regenerate(app, &session, &acting);
        while !stopped.load(Ordering::Relaxed) {
            if !step(app, &session, &mut follower) {
                continue;
            }
            self.regenerate(app, &session, &acting);
            if let Some(frame_type) = &self.generate {
                self.by_model(app, &session, &acting, frame_type);
            }
        }
        app.output.print("Stopped.");
        Ok(CommandEnding::Done)
    }

    /// Regenerates what changed, if that was requested. A failure is reported, and the watch continues.
    fn regenerate(&self, app: &App, session: &ProjectSession, acting: &AgentContext) {
        if self.regenerate.is_none() {
            return;
        }
        let request = RegenerateFrames {
            scope: self.regenerate,
            changes_only: true,
            // Another process that regenerates does the same work.
            wait: Some(REGENERATION_PATIENCE),
            ..RegenerateFrames::default()
        };
        match session.open.block_on(acting.regenerate(&request)) {
            Ok(done) if done.made.is_empty() && done.reaffirmed.is_empty() => {}
            Ok(done) if app.output.is_json() => {
                let _ = output::line(&serde_json::json!({ "regenerated": done }));
            }
            Ok(done) => app.output.print(done.text()),
            Err(error) => app.output.trouble(&error.envelope()),
        }
    }

    /// Lets a model write what changed. A failure is reported, and the watch continues.
    fn by_model(
        &self,
        app: &App,
        session: &ProjectSession,
        acting: &AgentContext,
        frame_type: &FrameType,
    ) {
        let request = self.asking.request(".".to_owned(), frame_type.clone(), true, false);
        let generator = Generator::new(&session.project.settings, acting, &request);
        let plan = session.open.wait(generator.plan());
        match plan.and_then(|plan| self.asking.generate(app, session, generator, &plan)) {
            // Each event is a line of its own, since a watch has no end at which to print one document.
            Ok(done) if app.output.is_json() => {
                let _ = output::line(&serde_json::json!({ "generated": done }));
            }
            Ok(done) => generate::print(app, &done),
            Err(failure) => complain(app, session, &failure.envelope()),
        }
    }
}

/// Waits once for a change; true if there was one. A failure is reported, and the watch continues.
fn step(app: &App, session: &ProjectSession, follower: &mut Follower) -> bool {
    // A bounded wait, so that the loop notices a request to stop even if nothing changes.
    match session.open.block_on(follower.step(WATCH_STEP)) {
        Ok(Some(recorded)) => {
            print_recorded(app, &recorded);
            true
        }
        Ok(None) => false,
        Err(error) => {
            complain(app, session, &error.envelope());
            false
        }
    }
}

fn complain(app: &App, session: &ProjectSession, envelope: &Envelope) {
    session.open.log.failed(envelope);
    app.output.trouble(envelope);
}

/// Prints changed paths: a line of JSON each for a program, their number for a person.
fn print_recorded(app: &App, recorded: &Recorded) {
    if app.output.is_json() {
        let _ = output::bytes(json_lines(recorded).as_bytes());
        return;
    }
    let paths = count(recorded.changes.len(), "path");
    writeln!(app.output, "Tree {}: {paths} changed.", recorded.root.sequence);
}

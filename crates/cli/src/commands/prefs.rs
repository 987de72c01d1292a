//! `piton prefs`: the preferences of runs.

use clap::{Args, Subcommand};
use piton_runtime::reply::AppliedPreferences;
use piton_runtime::workflow::{Autonomy, Preferences, RiskPolicy};

use crate::app::{App, Outcome};
use crate::arguments::MaybeRun;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show the preferences of new runs, or of one run
    #[command(after_help = "Example:\n  piton prefs get --run amber-otter")]
    Get(MaybeRun),
    /// Change the preferences of new runs, or of one run from its current step
    #[command(after_help = "Example:\n  piton prefs set --autonomy full_auto_stop_on_user_deps")]
    Set(Set),
}

#[derive(Args)]
#[group(id = "preference", required = true, multiple = true, args = ["autonomy", "risk_policy"])]
pub(crate) struct Set {
    #[command(flatten)]
    run: MaybeRun,
    /// When runs wait for a person: `guided`, `full_auto_stop_on_user_deps` or `full_auto_never_stop`
    #[arg(long)]
    autonomy: Option<Autonomy>,
    /// Which of several correct approaches runs choose: `conservative`, `balanced` or `aggressive`
    #[arg(long)]
    risk_policy: Option<RiskPolicy>,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Get(run) => get(app, &run),
            Self::Set(set) => set.run(app),
        }
    }
}

fn get(app: &App, run: &MaybeRun) -> Outcome {
    let open = app.open()?;
    let applied = match &run.run {
        None => open.runtime.preferences()?,
        Some(reference) => {
            let preferences = open.run(reference)?.preferences;
            AppliedPreferences { preferences, written_to: None, warnings: Vec::new() }
        }
    };
    print(app, applied.preferences);
    app.output.advise("Change them: piton prefs set --autonomy … --risk-policy …");
    app.output.finish("piton.prefs/1", &applied)
}

impl Set {
    fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let run = self.run.run.as_ref().map(|reference| open.ids(reference)).transpose()?;
        let applied = open.wait(open.runtime.prefer(run, self.autonomy, self.risk_policy))?;
        print(app, applied.preferences);
        for warning in &applied.warnings {
            app.output.print(warning);
        }
        match &applied.written_to {
            Some(file) => writeln!(app.output, "Written to {file}; new runs follow it."),
            None => app.output.print("The run follows it from its current step."),
        }
        app.output.finish("piton.prefs/1", &applied)
    }
}

fn print(app: &App, preferences: Preferences) {
    writeln!(app.output, "autonomy     {}", preferences.autonomy);
    writeln!(app.output, "risk policy  {}", preferences.risk_policy);
}

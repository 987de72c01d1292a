//! `piton config`: the settings in force, their sources, and their problems.

use std::path::Path;

use clap::Subcommand;
use piton_runtime::config::{
    ConfigProblem, Effect, SectionShown, SettingShown, SettingsShown, Value,
};
use piton_runtime::context::ContextSettings;
use piton_runtime::project_env::ProjectDir;
use serde::Serialize;

use super::workspace::WorkspaceArguments;
use crate::adapters::memory_workspaces;
use crate::app::{App, Outcome};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::open::checked_root;
use crate::table::Cell;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show every setting, its value, and where the value comes from
    #[command(after_help = "Example:\n  piton config show")]
    Show,
    /// Check the configuration for mistakes
    #[command(after_help = "Example:\n  piton config check")]
    Check,
}

/// Result of a check.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    is_sound: bool,
    problems: Vec<ConfigProblem>,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Show => show(app),
            Self::Check => check(app),
        }
    }
}

fn show(app: &App) -> Outcome {
    let configuration = app.configuration()?;
    let settings = configuration.settings_here().map_err(Failure::Configuration)?;
    let data_dir = app.data_dir(&settings)?;
    // A command is over at once, so what it would apply is what is in force.
    let shown = configuration.shown(app.environment.working_dir.as_deref(), &settings);
    let rows: Vec<[Cell; 4]> = shown.settings.iter().map(|setting| row(app, setting)).collect();
    app.output.table(["SETTING", "VALUE", "FROM", "A CHANGE TAKES"], &rows);
    for SectionShown { section, at, .. } in &shown.sections {
        writeln!(app.output, "[{section}] is configured in {at}.");
    }
    writeln!(app.output, "\nData is kept in {}.", app.display_path(&data_dir));
    if let Some(file) = &shown.user_file {
        writeln!(
            app.output,
            "Change settings in {}, or in piton.toml of a project.",
            app.display_path(file)
        );
    }
    app.output.finish("piton.config.show/1", &SettingsShown { data_dir: Some(data_dir), ..shown })
}

fn row(app: &App, setting: &SettingShown) -> [Cell; 4] {
    let value =
        setting.value.as_ref().map_or_else(|| "not set".to_owned(), |value| text(app, value));
    // The file and line if they are known, else only the kind of the source.
    let from = setting.at.clone().unwrap_or_else(|| setting.place.to_string());
    let takes = match setting.effect {
        Effect::Live => "nothing",
        Effect::Restart => "a restart",
    };
    [setting.key.to_string().into(), value.into(), from.into(), takes.into()]
}

fn text(app: &App, value: &Value) -> String {
    match value {
        Value::Path(path) => app.display_path(path),
        Value::Paths(paths) => {
            paths.iter().map(|path| app.display_path(path)).collect::<Vec<_>>().join(", ")
        }
        Value::Name(name) => name.clone(),
        Value::Whole(number) => number.to_string(),
        Value::Address(address) => address.to_string(),
    }
}

/// Returns all problems for which a server that is started here would refuse its configuration. They are found the way
/// the server finds them.
pub(crate) fn problems(app: &App) -> Vec<ConfigProblem> {
    match find_problems(app) {
        Ok(problems) | Err(Failure::Configuration(problems)) => problems,
        // Any other failure keeps a server from starting as well, so it counts as a problem.
        Err(other) => {
            let envelope = other.envelope();
            vec![ConfigProblem::of("the configuration", envelope.message, envelope.suggestion)]
        }
    }
}

fn find_problems(app: &App) -> Result<Vec<ConfigProblem>, Failure> {
    let configuration = app.configuration()?;
    configuration.settings_here().map_err(Failure::Configuration)?;
    let root = checked_root(app, &configuration)?;
    // Opens the workspaces on trial, in memory: many mistakes show only then, and the check must leave no trace.
    let memory = memory_workspaces(configuration.user_dir().map(Path::to_owned), &root);
    let mut problems = WorkspaceArguments::problems(app, &memory)?;
    let project = app.project(&configuration.settings())?;
    let context =
        ContextSettings::configured(&configuration, project.as_ref().map(ProjectDir::path));
    problems.extend(context.err().unwrap_or_default());
    Ok(problems)
}

fn check(app: &App) -> Outcome {
    let problems = problems(app);
    if problems.is_empty() {
        app.output.advise("The configuration is in order. See the settings: piton config show");
    } else {
        for problem in &problems {
            app.output.print(problem);
        }
        app.output.print("Fix each line that is named, and check again.");
    }
    let checked = Checked { is_sound: problems.is_empty(), problems };
    app.output.reply("piton.config.check/1", &checked)?;
    Ok(if checked.is_sound { CommandEnding::Done } else { CommandEnding::Wanting })
}

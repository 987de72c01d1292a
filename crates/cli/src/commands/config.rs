//! `piton config`: the settings in force, their sources, and their problems.

use std::collections::BTreeMap;
use std::iter::once;
use std::path::Path;

use clap::Subcommand;
use piton_runtime::config::section::{
    ContextSection, FoundSection, ModelsSection, SectionKey, StateSection, WorkspacesSection,
};
use piton_runtime::config::{
    ConfigProblem, Configuration, Effect, SectionShown, SettingShown, SettingSource, SettingsShown,
    Value,
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
    let held = held(&configuration, app.environment.working_dir.as_deref())?;
    let rows: Vec<[Cell; 3]> =
        SectionKey::ALL.iter().flat_map(|key| section_rows(*key, &shown.sections, &held)).collect();
    app.output.print("");
    app.output.table(["SECTION", "HOLDS", "FROM"], &rows);
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

/// Returns what each section of each file holds, in words.
fn held(
    configuration: &Configuration,
    directory: Option<&Path>,
) -> Result<BTreeMap<(SectionKey, SettingSource), String>, Failure> {
    let mut held = BTreeMap::new();
    let failed = Failure::Configuration;
    for FoundSection { value, place, .. } in
        configuration.sections_for::<ModelsSection>(directory).map_err(failed)?
    {
        let names = value.providers.iter().map(|provider| match &provider.model {
            Some(model) => format!("{} ({model})", provider.name),
            None => provider.name.clone(),
        });
        let default = value.default.map(|name| format!("default {name}"));
        held.insert((SectionKey::Models, place), joined(names.chain(default)));
    }
    for FoundSection { value, place, .. } in
        configuration.sections_for::<StateSection>(directory).map_err(failed)?
    {
        let agent = value.agent.map(|agent| format!("agents act as {agent}"));
        let words = once(format!("backpack {}", value.backpack)).chain(agent);
        held.insert((SectionKey::State, place), joined(words));
    }
    for FoundSection { value, place, .. } in
        configuration.sections_for::<ContextSection>(directory).map_err(failed)?
    {
        let agents = value.agents.iter().map(|agent| format!("{} ({})", agent.name, agent.role));
        let acting = value.agent.map(|agent| format!("clients act as {agent}"));
        held.insert((SectionKey::Context, place), joined(agents.chain(acting)));
    }
    for FoundSection { value, place, .. } in
        configuration.sections_for::<WorkspacesSection>(directory).map_err(failed)?
    {
        let all = value.0.iter().map(|one| format!("{} ({})", one.prefix, one.scope));
        held.insert((SectionKey::Workspaces, place), joined(all));
    }
    Ok(held)
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Returns a row for each file that has a section, or one that says that none has it.
fn section_rows(
    key: SectionKey,
    found: &[SectionShown],
    held: &BTreeMap<(SectionKey, SettingSource), String>,
) -> Vec<[Cell; 3]> {
    let row = |holds: &str, from: &str| [format!("[{key}]").into(), holds.into(), from.into()];
    let rows: Vec<_> = found
        .iter()
        .filter(|shown| shown.section == key)
        .map(|shown| row(held.get(&(key, shown.place)).map_or("", String::as_str), &shown.at))
        .collect();
    if rows.is_empty() { vec![row("nothing", "–")] } else { rows }
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

//! `piton workflow list`.

use clap::Args;
use piton_runtime::reply::ListedWorkflows;
use piton_runtime::request::ListWorkflows;

use crate::app::{App, Outcome};
use crate::table::Cell;

#[derive(Args)]
pub(crate) struct List {
    /// Words that the id, name, description or use must contain
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Show only workflows for this kind of work, such as `review`; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

impl List {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let query = Some(self.words.join(" ")).filter(|query| !query.is_empty());
        let request = ListWorkflows { query, tags: self.tags, project_dir: None };
        let listed = open.connect(app).list_workflows(&request)?;
        print(app, &listed);
        app.output.finish("piton.workflow.list/1", &listed)
    }
}

fn print(app: &App, listed: &ListedWorkflows) {
    let output = &app.output;
    let rows: Vec<[Cell; 4]> = listed
        .workflows
        .iter()
        .map(|entry| {
            let about = entry.when_to_use.as_ref().or(entry.description.as_ref());
            [
                entry.workflow_id.clone().into(),
                entry.steps.to_string().into(),
                entry.source_kind.to_string().into(),
                about.or(entry.name.as_ref()).cloned().unwrap_or_default().into(),
            ]
        })
        .collect();
    if rows.is_empty() {
        output.print("No workflow matches.");
    } else {
        output.table(["WORKFLOW", "STEPS", "FROM", "USE IT WHEN"], &rows);
    }
    if listed.left_out > 0 {
        let tags: Vec<String> = listed.tags.iter().map(ToString::to_string).collect();
        let tags = tags.join(", ");
        let more = if rows.is_empty() { "" } else { " more" };
        writeln!(output, "{}{more} do not match. Tags: {tags}.", listed.left_out);
    }
    for problem in &listed.config_problems {
        writeln!(output, "\nConfiguration: {problem}");
    }
    for file in &listed.problems {
        writeln!(output, "\n{}", file.text().trim_end());
    }
    for file in &listed.shadowed {
        writeln!(output, "\n{} is not used: {} has the same id.", file.path, file.by);
    }
    match listed.workflows.first() {
        Some(first) => {
            output.advise(format_args!("\nShow one: piton workflow show {}", first.workflow_id));
        }
        None => output.advise("\nList all: piton workflow list"),
    }
}

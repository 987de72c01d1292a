//! What authors may take from Piton, as a page for people and as data for editors.

use std::fmt::Write;

use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::catalogue::{BuiltinKind, CatalogueEntry, catalogue};
use serde::Serialize;
use serde_json::Value;

/// The data.
#[derive(Serialize)]
struct Builtins {
    builtins: Vec<CatalogueEntry>,
    workflows: Vec<Workflow>,
}

/// A workflow that comes with Piton.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Workflow {
    id: &'static str,
    label: Option<String>,
    description: Option<String>,
    when_to_use: &'static str,
    aliases: &'static [&'static str],
    steps: usize,
}

/// Everything as JSON.
pub(crate) fn data() -> serde_json::Result<String> {
    let builtins = Builtins { builtins: catalogue(), workflows: workflows() };
    serde_json::to_string_pretty(&builtins).map(|text| text + "\n")
}

fn workflows() -> Vec<Workflow> {
    let workflow = |bundled: &BuiltinWorkflow| {
        let compiled = bundled.compiled();
        Workflow {
            id: bundled.as_str(),
            label: compiled.name,
            description: compiled.description,
            when_to_use: bundled.when_to_use(),
            aliases: bundled.aliases(),
            steps: compiled.steps.len(),
        }
    };
    BuiltinWorkflow::ALL.iter().map(workflow).collect()
}

/// The page, workflows first and then every entry by kind.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "# What comes with Piton\n\n\
         <!-- Written by `cargo xtask generate` from the sets in piton-workflow; edit them there. -->\n\n\
         Workflows to run, and what workflows of your own may use by name. \
         [How to write one](../authoring.md). The same as data: [builtins.json](builtins.json).\n\n\
         ## Workflows\n\n\
         | id | use it when | steps | older names |\n|---|---|---|---|\n",
    );
    for workflow in workflows() {
        let Workflow { id, when_to_use, aliases, steps, .. } = workflow;
        let aliases: Vec<_> = aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let aliases = aliases.join(", ");
        let _ = writeln!(page, "| `{id}` | {when_to_use} | {steps} | {aliases} |");
    }
    let entries = catalogue();
    for kind in BuiltinKind::ALL {
        let _ = write!(page, "\n## {}\n", heading(*kind));
        for entry in entries.iter().filter(|entry| entry.kind == *kind) {
            section(&mut page, entry);
        }
    }
    page
}

const fn heading(kind: BuiltinKind) -> &'static str {
    match kind {
        BuiltinKind::Contract => "Contracts: what a step must submit",
        BuiltinKind::Feature => "Features: what is switched on for a whole workflow",
        BuiltinKind::Probe => "Capabilities: what is tried out before the first step",
        BuiltinKind::Ref => "Texts: what prompts take in",
        BuiltinKind::Template => "Templates: steps in Piton's words",
    }
}

fn section(page: &mut String, entry: &CatalogueEntry) {
    let CatalogueEntry { id, label, description, insert, place, content, .. } = entry;
    let _ = write!(
        page,
        "\n### {id}\n\n{label}. {description}\n\nPaste as {place}:\n\n```json\n{insert:#}\n```\n",
        place = place.describe(),
    );
    match content {
        None => {}
        Some(Value::String(text)) => {
            let _ = write!(page, "\nThe text:\n\n> {text}\n");
        }
        Some(artifact) => {
            let _ = write!(page, "\nAn artifact that keeps it:\n\n```json\n{artifact:#}\n```\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use piton_workflow::builtin_workflows::BuiltinWorkflow;
    use piton_workflow::catalogue::catalogue;
    use serde_json::Value;

    use super::{data, page};

    // shows in part: WR-517, WR-518 (builtins metadata)
    #[test]
    fn the_page_and_the_data_hold_every_entry_and_every_workflow() {
        let (page, data) = (page(), data().unwrap());
        let data: Value = serde_json::from_str(&data).unwrap();
        let entries = data["builtins"].as_array().unwrap();
        assert_eq!(entries.len(), catalogue().len());
        for (entry, shown) in catalogue().iter().zip(entries) {
            assert_eq!(*shown, serde_json::to_value(entry).unwrap());
            assert!(page.contains(&format!("\n### {}\n\n{}. ", entry.id, entry.label)));
            assert!(page.contains(&entry.description) && page.contains(entry.place.describe()));
            assert!(page.contains(&format!("{:#}", entry.insert)), "{}", entry.id);
        }
        let workflows = data["workflows"].as_array().unwrap();
        assert_eq!(workflows.len(), BuiltinWorkflow::ALL.len());
        for (bundled, shown) in BuiltinWorkflow::ALL.iter().zip(workflows) {
            assert_eq!(shown["id"], bundled.as_str());
            assert_eq!(shown["whenToUse"], bundled.when_to_use());
            assert!(page.contains(&format!("| `{bundled}` | {} |", bundled.when_to_use())));
        }
    }
}

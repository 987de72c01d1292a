//! The tools that agents call: a catalogue for programs, schemas, and a page for people.

use std::fmt::Write as _;

use anyhow::Result;
use piton_mcp::catalogue::{Catalogue, Hints, Object, ToolCard, sets};
use serde_json::{Value, json};

const INFALLIBLE: &str = "writing to a string does not fail";

/// The catalogue: each tool as clients see it, set by set.
pub(super) fn data() -> Result<String> {
    let sets: Vec<Value> = sets().iter().map(|set| set_entry(set)).collect();
    Ok(serde_json::to_string_pretty(&json!({ "sets": sets }))? + "\n")
}

/// What each tool takes and answers, by the name of its file.
pub(super) fn schemas() -> Vec<(String, Object)> {
    let both = |tool: &ToolCard| {
        [
            (format!("{}.input", tool.name), (*tool.input).clone()),
            (format!("{}.output", tool.name), (*tool.output).clone()),
        ]
    };
    sets().iter().flat_map(|set| set.tools.iter().flat_map(both).collect::<Vec<_>>()).collect()
}

/// The page of tools.
pub(super) fn page() -> String {
    let mut page = "# Tools\n\n\
                    <!-- Written by `cargo xtask generate` from the catalogue in piton-mcp; edit it there. -->\n\n\
                    What agents can call over the Model Context Protocol. The same as data: [tools.json](tools.json).\n\n\
                    A call that fails answers with an [envelope](schema/envelope.json); \
                    [the pages of errors](../errors/README.md) have every code.\n"
        .to_owned();
    for set in sets() {
        write!(page, "\n## The set `{}`\n\nAgents read this when they connect:\n\n", set.name)
            .expect(INFALLIBLE);
        for line in set.instructions.lines() {
            writeln!(page, "{}", format!("> {line}").trim_end()).expect(INFALLIBLE);
        }
        for tool in &set.tools {
            page.push_str(&section(tool));
        }
    }
    page
}

fn set_entry(set: &Catalogue) -> Value {
    let tools: Vec<Value> = set.tools.iter().map(entry).collect();
    json!({ "name": set.name, "instructions": set.instructions, "tools": tools })
}

fn entry(tool: &ToolCard) -> Value {
    let Hints { read_only, destructive, idempotent } = tool.hints;
    let name = tool.name;
    json!({
        "name": name,
        "title": tool.title,
        "description": tool.description,
        "readOnly": read_only,
        "destructive": destructive,
        "idempotent": idempotent,
        "inputSchema": format!("schema/tools/{name}.input.json"),
        "outputSchema": format!("schema/tools/{name}.output.json"),
    })
}

fn section(tool: &ToolCard) -> String {
    let Hints { read_only, destructive, idempotent } = tool.hints;
    let writes = match (read_only, destructive) {
        (true, _) => "writes nothing",
        (false, false) => "records what it did",
        (false, true) => "may overwrite or remove what was there",
    };
    let repeated = if idempotent { "is harmless" } else { "does it again" };
    let name = tool.name;
    let mut text = format!(
        "\n### {name}\n\n{}\n\nIt {writes}; to repeat a call {repeated}. Schemas: \
         [what it takes](schema/tools/{name}.input.json), \
         [what it answers](schema/tools/{name}.output.json).\n\n| field | type | what |\n|---|---|---|\n",
        tool.description.replace("\n- ", "\n\n- ").replace("\nIf ", "\n\nIf ")
    );
    text.push_str(&fields("", &tool.input));
    text
}

/// A row for each field of an object, and for each field of those.
fn fields(above: &str, schema: &Object) -> String {
    let empty = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array);
    let mut rows = String::new();
    for (name, field) in properties {
        let is_required = required.is_some_and(|names| names.contains(&json!(name)));
        let mark = if is_required { " (required)" } else { "" };
        let words = field["description"].as_str().unwrap_or_default();
        let words = words.replace('\n', "<br>").replace('|', "\\|");
        let kind = field["type"].as_str().unwrap_or("any");
        writeln!(rows, "| `{above}{name}`{mark} | {kind} | {words} |").expect(INFALLIBLE);
        if let Value::Object(inner) = field {
            rows.push_str(&fields(&format!("{above}{name}."), inner));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use piton_mcp::catalogue::sets;

    use super::{data, page, schemas};

    // shows in part: WR-518 (the tools: schemas, catalogue, descriptions, reference)
    #[test]
    fn every_tool_is_in_the_catalogue_on_the_page_and_has_both_schemas() {
        let (data, page, schemas) = (data().unwrap(), page(), schemas());
        let sets = sets();
        let tools: Vec<_> = sets.iter().flat_map(|set| &set.tools).collect();
        assert_eq!(schemas.len(), 2 * tools.len());
        for tool in tools {
            let name = tool.name;
            assert!(data.contains(&format!("\"name\": \"{name}\"")), "{name}");
            assert!(page.contains(&format!("\n### {name}\n")), "{name}");
            for field in tool.input["properties"].as_object().unwrap().keys() {
                assert!(page.contains(&format!("| `{field}`")), "{name}: {field}");
            }
        }
    }

    #[test]
    fn no_two_tools_have_the_same_name() {
        let sets = sets();
        let mut names: Vec<_> =
            sets.iter().flat_map(|set| &set.tools).map(|tool| tool.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

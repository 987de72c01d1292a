//! The tools that agents call: a catalogue for programs, schemas, and a page for people.

use std::fmt::Write as _;

use anyhow::Result;
use piton_mcp::catalogue::{Hints, INSTRUCTIONS, Object, ToolName};
use serde_json::{Value, json};

const INFALLIBLE: &str = "writing to a string does not fail";

/// The catalogue: each tool as clients see it.
pub(super) fn data() -> Result<String> {
    let tools: Vec<Value> = ToolName::ALL.iter().map(|tool| entry(*tool)).collect();
    let catalogue = json!({ "instructions": INSTRUCTIONS, "tools": tools });
    Ok(serde_json::to_string_pretty(&catalogue)? + "\n")
}

/// What each tool takes and answers, by the name of its file.
pub(super) fn schemas() -> Vec<(String, Object)> {
    let both = |tool: &ToolName| {
        [
            (format!("{tool}.input"), tool.input_schema()),
            (format!("{tool}.output"), tool.output_schema()),
        ]
    };
    ToolName::ALL.iter().flat_map(both).collect()
}

/// The page of tools.
pub(super) fn page() -> String {
    let mut page = "# Tools\n\n\
                    <!-- Written by `cargo xtask generate` from the catalogue in piton-mcp; edit it there. -->\n\n\
                    What agents can call over the Model Context Protocol. The same as data: [tools.json](tools.json).\n\n\
                    A call that fails answers with an [envelope](schema/envelope.json); \
                    [errors.md](errors.md) has every code.\n\n## Instructions\n\n\
                    Agents read this when they connect.\n\n"
        .to_owned();
    for line in INSTRUCTIONS.lines() {
        writeln!(page, "{}", format!("> {line}").trim_end()).expect(INFALLIBLE);
    }
    for tool in ToolName::ALL {
        page.push_str(&section(*tool));
    }
    page
}

fn entry(tool: ToolName) -> Value {
    let Hints { read_only, idempotent } = tool.hints();
    json!({
        "name": tool.as_str(),
        "title": tool.title(),
        "description": tool.description(),
        "readOnly": read_only,
        "idempotent": idempotent,
        "inputSchema": format!("schema/tools/{tool}.input.json"),
        "outputSchema": format!("schema/tools/{tool}.output.json"),
    })
}

fn section(tool: ToolName) -> String {
    let Hints { read_only, idempotent } = tool.hints();
    let writes = if read_only { "writes nothing" } else { "records what it did" };
    let repeated = if idempotent { "harmless" } else { "does it again" };
    let mut text = format!(
        "\n## {tool}\n\n{}\n\nIt {writes}; to repeat a call is {repeated}. Schemas: \
         [what it takes](schema/tools/{tool}.input.json), \
         [what it answers](schema/tools/{tool}.output.json).\n\n| field | type | what |\n|---|---|---|\n",
        tool.description().replace("\n- ", "\n\n- ").replace("\nIf ", "\n\nIf ")
    );
    text.push_str(&fields("", &tool.input_schema()));
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
    use piton_mcp::catalogue::ToolName;

    use super::{data, page, schemas};

    // shows: WR-518 (the tools: schemas, catalogue, descriptions, reference)
    #[test]
    fn every_tool_is_in_the_catalogue_on_the_page_and_has_both_schemas() {
        let (data, page, schemas) = (data().unwrap(), page(), schemas());
        assert_eq!(schemas.len(), 2 * ToolName::ALL.len());
        for tool in ToolName::ALL {
            assert!(data.contains(&format!("\"name\": \"{tool}\"")), "{tool}");
            assert!(page.contains(&format!("\n## {tool}\n")), "{tool}");
            for field in tool.input_schema()["properties"].as_object().unwrap().keys() {
                assert!(page.contains(&format!("| `{field}`")), "{tool}: {field}");
            }
        }
    }
}

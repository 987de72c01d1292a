//! What agents read about the tools before they call one.

use piton_mcp::bounds::TOOLS_BYTES_MAX;
use piton_mcp::catalogue::{Catalogue, ToolCard, WorkflowTool, sets};
use serde_json::{Value, json};

use crate::rig::{Machine, Pipe};

async fn tools() -> Vec<Value> {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let listed = pipe.request("tools/list", json!({})).await;
    listed["result"]["tools"].as_array().unwrap().clone()
}

// shows: WR-107
#[tokio::test]
async fn no_tool_takes_the_id_of_something_that_is_yet_to_be_recorded() {
    for tool in tools().await {
        let fields = tool["inputSchema"]["properties"].as_object().unwrap();
        for minted in ["eventId", "nodeId", "attemptId", "outputId", "gapId"] {
            assert!(!fields.contains_key(minted), "{}: {minted}", tool["name"]);
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    }
}

// shows: WR-501
#[tokio::test]
async fn there_are_exactly_seven_tools_by_default() {
    let tools = tools().await;
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let seven = [
        "list_workflows",
        "inspect_workflow",
        "start_workflow",
        "continue_workflow",
        "checkpoint_workflow",
        "get_artifact",
        "resume_session",
    ];
    assert_eq!(names, seven);
}

/// The tools of a set as agents with the whole of it read them.
fn listed(set: &Catalogue) -> Value {
    let tool = |card: &ToolCard| {
        json!({
            "name": card.name,
            "title": card.title,
            "description": card.description,
            "inputSchema": *card.input,
            "annotations": {
                "readOnlyHint": card.hints.read_only,
                "destructiveHint": card.hints.destructive,
                "idempotentHint": card.hints.idempotent,
                "openWorldHint": false,
            },
        })
    };
    set.tools.iter().map(tool).collect()
}

// shows: WR-523
// shows in part: WR-517 (the schemas and descriptions of tools)
#[tokio::test]
async fn this_is_what_agents_read_of_each_set() {
    for set in sets() {
        let listed = listed(&set);
        let name = format!("tools_of_{}", set.name);
        insta::assert_snapshot!(name, serde_json::to_string_pretty(&listed).unwrap());
        if set.name == "workflow" {
            assert_eq!(listed, Value::Array(tools().await), "it is what the server sends");
        }
    }
}

#[test]
fn the_list_of_tools_of_each_set_is_small() {
    for set in sets() {
        let bytes = serde_json::to_vec(&listed(&set)).unwrap().len();
        assert!(bytes <= TOOLS_BYTES_MAX, "{}: {bytes} bytes", set.name);
    }
}

#[test]
fn all_tools_for_files_cost_little_more_than_half_of_what_the_reference_server_takes() {
    let files = sets().into_iter().find(|set| set.name == "workspaces").unwrap();
    let bytes = serde_json::to_vec(&json!({ "tools": listed(&files) })).unwrap().len();
    assert!(bytes < 7_000, "{bytes} bytes");
}

/// The words of a text that look like names of tools.
fn names(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let endings = ["_workflow", "_workflows", "_session", "_sessions"];
    words.filter(|word| endings.iter().any(|ending| word.ends_with(ending))).collect()
}

// shows: WR-524
#[test]
fn descriptions_name_only_tools_that_exist() {
    let sets = sets();
    let tools: Vec<&ToolCard> = sets.iter().flat_map(|set| &set.tools).collect();
    for set in &sets {
        let mut texts = vec![set.instructions.clone()];
        for tool in &set.tools {
            assert!(!tool.description.is_empty());
            texts.push(format!("{} {}", tool.description, Value::Object((*tool.input).clone())));
        }
        let mut named = 0;
        for name in texts.iter().flat_map(|text| names(text)) {
            assert!(tools.iter().any(|tool| tool.name == name), "{name}");
            named += 1;
        }
        assert!(set.name != "workflow" || named > texts.len(), "the scan finds names: {named}");
    }
}

// shows: WR-525
#[tokio::test]
async fn every_next_intent_is_explained_where_it_occurs() {
    let tools = tools().await;
    assert!(!tools[3]["description"].as_str().unwrap().contains("nextIntent"), "no text has one");
    let schema = WorkflowTool::ContinueWorkflow.card().output;
    let words = schema["properties"]["nextIntent"]["description"].as_str().unwrap();
    for intent in
        ["perform_pending_then_continue", "await_user_confirmation", "rehydrate_only", "complete"]
    {
        let place = words.find(&format!("`{intent}`: ")).unwrap_or_else(|| panic!("{words}"));
        assert!(words.len() > place + intent.len() + 20, "{intent}");
    }
}

// shows: WR-526
#[tokio::test]
async fn fields_say_how_long_they_live_and_show_right_and_wrong() {
    let tools = tools().await;
    let field = |pointer: &str| {
        let found = tools[3]["inputSchema"]["properties"].pointer(pointer);
        found.and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}")).to_owned()
    };
    for (pointer, life) in [
        ("/ackToken/description", "Each reply brings a new one"),
        ("/stateToken/description", "send it alone"),
        ("/context/description", "Only what changes"),
        ("/output/properties/notesMarkdown/description", "this step alone"),
    ] {
        let words = field(pointer);
        for part in [life, "WRONG: ", "RIGHT: "] {
            assert!(words.contains(part), "{pointer} lacks {part}: {words}");
        }
    }
    for tool in &tools {
        for (name, field) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{}: {name}", tool["name"]);
        }
    }
}

// shows in part: WR-304 (what the schema says), WR-306 (what the schema says)
#[tokio::test]
async fn a_tool_that_takes_notes_asks_for_those_of_one_step_and_says_what_they_hold() {
    let tools = tools().await;
    let notes = "/inputSchema/properties/output/properties/notesMarkdown/description";
    let asked = tools.iter().filter_map(|tool| {
        let words = tool.pointer(notes)?.as_str()?;
        Some((tool["name"].as_str()?, words))
    });
    let asked: Vec<_> = asked.collect();
    let names: Vec<_> = asked.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["continue_workflow", "checkpoint_workflow"]);
    for (name, words) in asked {
        for point in [
            "What was done in this step alone",
            "Earlier notes are kept",
            "WRONG: the notes of all steps so far",
            "10 to 30 lines of markdown",
            "decisions",
            "results (files, paths, numbers)",
            "risks, questions and omissions",
        ] {
            assert!(words.contains(point), "{name} lacks {point}: {words}");
        }
    }
}

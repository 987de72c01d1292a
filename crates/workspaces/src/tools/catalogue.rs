//! The tools as models read them: name, description, schema and hints.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::request::{
    CopyRequest, DeleteRequest, EditRequest, GlobRequest, GrepRequest, LsRequest, MkdirRequest,
    MoveRequest, ReadRequest, StatRequest, WriteRequest,
};
use crate::scope::Tool;

/// A tool as a model reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCard {
    pub tool: Tool,
    /// Description in a sentence or two.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub schema: Map<String, Value>,
}

impl ToolCard {
    /// True if the tool changes nothing.
    pub fn is_read_only(&self) -> bool {
        !self.tool.changes()
    }

    /// True if the tool may destroy content.
    pub fn is_destructive(&self) -> bool {
        matches!(self.tool, Tool::Write | Tool::Edit | Tool::Delete)
    }

    /// True if a second equal call changes nothing more.
    pub fn is_idempotent(&self) -> bool {
        self.is_read_only() || matches!(self.tool, Tool::Mkdir)
    }
}

/// Returns the cards of some tools, in the given order.
pub fn cards(tools: &[Tool]) -> Vec<ToolCard> {
    let card = |tool: &Tool| ToolCard {
        tool: *tool,
        description: description(*tool),
        schema: schema(*tool),
    };
    tools.iter().map(card).collect()
}

fn description(tool: Tool) -> &'static str {
    match tool {
        Tool::Ls => "List a directory: `name/`, or a file's name and bytes.",
        Tool::Read => {
            "Read a text file. The reply begins with which lines follow, their version and the next \
             offset."
        }
        Tool::Write => "Create or replace a file.",
        Tool::Edit => "Replace a text that occurs exactly once in a file.",
        Tool::Glob => "Find files by name, sorted by path.",
        Tool::Grep => "Find lines in files, sorted by path: `path:line:text`.",
        Tool::Stat => "Kind, bytes, version, time and Workspace of a path.",
        Tool::Copy => "Copy a file.",
        Tool::Move => "Move or rename a file or directory.",
        Tool::Delete => "Delete a file or directory.",
        Tool::Mkdir => "Make a directory.",
    }
}

fn schema(tool: Tool) -> Map<String, Value> {
    match tool {
        Tool::Ls => schema_of::<LsRequest>(),
        Tool::Read => schema_of::<ReadRequest>(),
        Tool::Write => schema_of::<WriteRequest>(),
        Tool::Edit => schema_of::<EditRequest>(),
        Tool::Glob => schema_of::<GlobRequest>(),
        Tool::Grep => schema_of::<GrepRequest>(),
        Tool::Stat => schema_of::<StatRequest>(),
        Tool::Copy => schema_of::<CopyRequest>(),
        Tool::Move => schema_of::<MoveRequest>(),
        Tool::Delete => schema_of::<DeleteRequest>(),
        Tool::Mkdir => schema_of::<MkdirRequest>(),
    }
}

/// Returns the schema of a request without the parts that no model reads, because every byte of it is in every prompt.
fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else {
        unreachable!("the schema of a struct is an object");
    };
    schema.remove("title");
    schema.remove("description");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(simplify);
    }
    schema
}

/// Shortens one property. An optional argument is absent from `required`, so it need not be nullable.
fn simplify(property: &mut Value) {
    let Value::Object(property) = property else {
        return;
    };
    for noise in ["format", "minimum", "default"] {
        property.remove(noise);
    }
    if let Some(Value::Array(types)) = property.get("type").cloned() {
        let first = types.into_iter().find(|one| one != "null");
        property.insert("type".into(), first.unwrap_or_default());
    }
    if let Some(Value::Array(variants)) = property.remove("oneOf") {
        let names = variants.iter().filter_map(|one| one.get("const").cloned()).collect();
        property.insert("type".into(), "string".into());
        property.insert("enum".into(), Value::Array(names));
    }
}

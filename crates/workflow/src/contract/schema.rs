//! A contract as a JSON Schema, for readers that do not know our shapes.
//!
//! *Limitations*: `maxLength` counts characters where a shape counts bytes, and nothing in JSON Schema
//! bounds the size of an object. The schema is the weaker check; what it accepts may still be refused.

use serde_json::{Map, Value, json};

use super::definition::ContractDefinition;
use super::shape::{Field, Presence, Shape};
use crate::bounds::NAME_BYTES_MAX;

impl ContractDefinition {
    /// Returns the JSON Schema of the artifact. Lists in it that have no meaningful order are sorted.
    pub fn json_schema(&self) -> Value {
        let mut schema = self.shape().json_schema();
        schema["$id"] = json!(self.contract_ref);
        schema["examples"] = json!([self.example]);
        schema["properties"]["kind"] = json!({ "const": self.artifact_kind });
        let required = schema["required"].as_array_mut().expect("an object's schema has the list");
        // `kind` is not among the fields of the shape, so it is added here.
        required.push(json!("kind"));
        required.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        schema
    }
}

impl Shape {
    fn json_schema(&self) -> Value {
        match self {
            Self::Text { min_chars, max_bytes } => {
                json!({ "type": "string", "minLength": min_chars, "maxLength": max_bytes })
            }
            Self::Id => {
                json!({ "type": "string", "pattern": "^[a-z0-9_-]+$", "maxLength": NAME_BYTES_MAX })
            }
            Self::OneOf { values } => json!({ "type": "string", "enum": values }),
            Self::Exactly { value } => json!({ "const": value }),
            Self::Integer { min, max } => {
                json!({ "type": "integer", "minimum": min, "maximum": max })
            }
            Self::Boolean => json!({ "type": "boolean" }),
            Self::List { items, max_items } => {
                json!({ "type": "array", "items": items.json_schema(), "maxItems": max_items })
            }
            Self::Map { values, max_entries } => json!({
                "type": "object",
                "additionalProperties": values.json_schema(),
                "propertyNames": Self::Id.json_schema(),
                "maxProperties": max_entries,
            }),
            Self::Object { fields, open } => object_schema(fields, *open),
            Self::AnyOf { shapes } => {
                json!({ "anyOf": shapes.iter().map(Self::json_schema).collect::<Vec<_>>() })
            }
            Self::AnyObject { .. } => json!({ "type": "object" }),
        }
    }
}

fn object_schema(fields: &[Field], open: bool) -> Value {
    let properties: Map<_, _> =
        fields.iter().map(|field| (field.name.clone(), field.shape.json_schema())).collect();
    let is_required = |field: &&Field| field.presence == Presence::Required;
    let required: Vec<_> = fields.iter().filter(is_required).map(|field| &field.name).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": open,
    });
    let rules: Vec<_> = fields.iter().filter_map(rule).collect();
    if !rules.is_empty() {
        schema["allOf"] = json!(rules);
    }
    schema
}

/// Returns the rule for a field that is present depending on another one.
fn rule(of: &Field) -> Option<Value> {
    let Presence::When { field, equals } = &of.presence else {
        return None;
    };
    let condition = json!({ "properties": { field: { "const": equals } }, "required": [field] });
    // Presence works both ways: required if the condition holds, and forbidden if it does not.
    let (there, absent) =
        (json!({ "required": [of.name] }), json!({ "properties": { &of.name: false } }));
    Some(json!({ "if": condition, "then": there, "else": absent }))
}

//! JSON Schemas of requests and replies.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// A schema as a JSON object.
pub type Object = Map<String, Value>;

/// Returns a short schema of a request, because agents carry it through every conversation. It has no references, which
/// some clients do not follow, and no `null`, which means the same as leaving a field out.
pub fn input<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    Short.transform(&mut schema);
    let mut object = object(schema);
    // The description of the tool already says it.
    object.remove("description");
    object
}

/// Argument by which a call of any set but `workflow` names the pending step that it belongs to.
pub const RUN: &str = "run";

/// Adds the argument [`RUN`] to the schema of a request.
pub(super) fn with_run(mut schema: Object) -> Object {
    let field = json!({
        "type": "string",
        "description": "The ackToken of the pending step that you do this for, if you do it for one.",
    });
    let fields = schema.entry("properties").or_insert_with(|| json!({}));
    let fields = fields.as_object_mut().expect("properties are an object");
    let own = fields.insert(RUN.to_owned(), field);
    assert!(own.is_none(), "no request has a field `{RUN}` of its own");
    schema
}

/// Returns the schema of a reply.
pub fn output<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    object(settings.into_generator().into_root_schema_for::<T>())
}

fn object(schema: Schema) -> Object {
    match schema.to_value() {
        Value::Object(object) => object,
        _ => unreachable!("the schema of a struct is an object"),
    }
}

/// Removes everything that a caller does not need.
struct Short;

impl Transform for Short {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("title");
        if object.get("default").is_some_and(Value::is_null) {
            object.remove("default");
        }
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(any)) = object.get_mut("anyOf") {
            any.retain(|one| one.get("type") != Some(&Value::from("null")));
            if let [Value::Object(only)] = any.as_slice() {
                let only = only.clone();
                object.remove("anyOf");
                for (key, value) in only {
                    object.entry(key).or_insert(value);
                }
            }
        }
        if let Some(Value::String(text)) = object.get_mut("description") {
            let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
            *text = paragraphs.collect::<Vec<_>>().join("\n");
        }
    }
}

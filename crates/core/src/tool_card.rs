//! The description of a tool that agents call: its name, texts, hints and JSON Schemas.
//!
//! *Invariants*: schemas come from the types of requests and replies.

use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// A schema or the arguments of a call, as a JSON object.
pub type Object = Map<String, Value>;

/// Argument by which a call of any set but `workflow` names the pending step that it belongs to.
pub const RUN: &str = "run";

/// Hints for a client before it lets an agent call a tool. No tool reaches anything that Piton was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Set when the tool writes nothing.
    pub read_only: bool,
    /// Set when the tool may overwrite or remove something.
    pub destructive: bool,
    /// Set when repeating the same call has no further effect.
    pub idempotent: bool,
}

/// The complete description of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCard {
    /// Name that agents call.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Description for agents.
    pub description: String,
    pub hints: Hints,
    /// Schema of the arguments.
    pub input: Arc<Object>,
    /// Schema of the structured content of its replies.
    pub output: Arc<Object>,
}

impl ToolCard {
    /// Creates a card with the schemas of a request and its reply.
    pub fn new<Request: JsonSchema, Reply: JsonSchema>(
        name: &'static str,
        title: &'static str,
        description: &str,
        hints: Hints,
    ) -> Self {
        let (input, output) = (Arc::new(input::<Request>()), Arc::new(output::<Reply>()));
        Self { name, title, description: description.to_owned(), hints, input, output }
    }

    /// Adds the argument by which a call names the pending step that it belongs to.
    #[must_use]
    pub fn within_a_run(mut self) -> Self {
        let input = Arc::make_mut(&mut self.input);
        let fields = input.entry("properties").or_insert_with(|| json!({}));
        let field = json!({
            "type": "string",
            "description": "The ackToken of the pending step that you do this for, if you do it for one.",
        });
        let fields = fields.as_object_mut().expect("properties are an object");
        let own = fields.insert(RUN.to_owned(), field);
        assert!(own.is_none(), "no request has a field `{RUN}` of its own");
        self
    }

    /// True if its calls may name the pending step that they belong to.
    pub fn is_within_a_run(&self) -> bool {
        self.field(RUN).is_some()
    }

    /// Returns the schema of an argument.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.input.get("properties")?.get(name)
    }

    /// Gives arguments that were sent under an alias their own name. An argument given under both names is left for
    /// the check to refuse.
    #[must_use]
    pub fn without_aliases(&self, aliases: &[(&str, &str)], mut arguments: Object) -> Object {
        for (alias, name) in aliases {
            let is_alias = self.field(name).is_some() && self.field(alias).is_none();
            if is_alias
                && !arguments.contains_key(*name)
                && let Some(value) = arguments.remove(*alias)
            {
                arguments.insert((*name).to_owned(), value);
            }
        }
        arguments
    }
}

/// Returns a short schema of a request, because agents carry it through every conversation. It has no references, which
/// some clients do not follow, and no `null`, which means the same as leaving a field out.
pub fn input<T: JsonSchema>() -> Object {
    shortened::<T>(Shortener { drops_bounds: false })
}

/// Like [`input`], but also without formats, bounds and defaults, for fields whose descriptions say what matters.
pub fn brief_input<T: JsonSchema>() -> Object {
    shortened::<T>(Shortener { drops_bounds: true })
}

/// Returns the schema of a reply.
pub fn output<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    object(settings.into_generator().into_root_schema_for::<T>())
}

fn shortened<T: JsonSchema>(mut shortener: Shortener) -> Object {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    shortener.transform(&mut schema);
    let mut object = object(schema);
    // The description of the tool already says it.
    object.remove("description");
    object
}

fn object(schema: Schema) -> Object {
    match schema.to_value() {
        Value::Object(object) => object,
        _ => unreachable!("the schema of a struct is an object"),
    }
}

/// Removes everything that a caller does not need.
struct Shortener {
    /// Set to remove formats, bounds and defaults too, and the descriptions of enum values.
    drops_bounds: bool,
}

impl Transform for Shortener {
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
        if self.drops_bounds {
            for word in ["format", "minimum", "default"] {
                object.remove(word);
            }
            // Values with descriptions become a plain list of values.
            if let Some(Value::Array(variants)) = object.remove("oneOf") {
                let names = variants.iter().filter_map(|one| one.get("const").cloned()).collect();
                object.insert("type".to_owned(), "string".into());
                object.insert("enum".to_owned(), names);
            }
        }
    }
}

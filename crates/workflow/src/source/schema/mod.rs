//! JSON Schemas of workflow files, one for each dialect, for editors.
//!
//! The types here describe what the readers accept, field by field; their comments are what an editor shows. Nothing
//! is read into them: a reader goes on after a problem, and knows what a schema cannot say.
//!
//! *Invariants*: a schema accepts every file that compiles. It refuses a field that a dialect does not have, a missing
//! one, a value of another type or outside its range, and a name outside its closed set.
//!
//! *Limitations*: `maxLength` counts characters, and the readers count bytes. Names that point at other parts of a
//! file, ids that are used twice, nesting and patterns are left to the compiler, and so are slots: a text that stands
//! for an id or a name is not looked into.

#![expect(
    dead_code,
    clippy::large_enum_variant,
    clippy::struct_field_names,
    clippy::zero_sized_map_values,
    reason = "the types describe files; no value of them is ever made"
)]

mod classic;
mod file_parts;
mod strict;
mod text;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::Dialect;

/// Returns the JSON Schema of files in `dialect`.
pub fn file_schema(dialect: Dialect) -> Schema {
    match dialect {
        Dialect::Strict => of::<strict::StrictFile>(),
        Dialect::Classic => of::<classic::ClassicFile>(),
    }
}

fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with_transform(WithoutNull);
    settings.into_generator().into_root_schema_for::<T>()
}

/// Removes `null` everywhere: a field of a file is absent or has a value.
#[derive(Clone)]
struct WithoutNull;

impl Transform for WithoutNull {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|one| one != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(names)) = object.get_mut("enum") {
            names.retain(|one| !one.is_null());
        }
        let is_null = |one: &Value| one.get("type").is_some_and(|kind| kind == "null");
        if let Some(Value::Array(forms)) = object.get_mut("anyOf")
            && forms.iter().any(is_null)
        {
            forms.retain(|one| !is_null(one));
            if let [Value::Object(only)] = forms.as_slice() {
                let only = only.clone();
                object.remove("anyOf");
                object.extend(only);
            }
        }
    }
}

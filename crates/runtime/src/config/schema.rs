//! The JSON Schema of the configuration files, from the table of settings.

use schemars::Schema;
use serde_json::{Map, Value, json};

use super::section::SectionKey;
use super::settings::SettingSource;
use super::table::SettingKey;
use super::value::ValueForm;

/// Returns the schema of `piton.toml`.
pub fn project_file() -> Schema {
    schema(
        SettingSource::Project,
        "Project configuration",
        "`piton.toml`: the settings of a project. Settings of the machine are up to its user.",
    )
}

/// Returns the schema of the user's `config.toml`.
pub fn user_file() -> Schema {
    schema(
        SettingSource::User,
        "User configuration",
        "`config.toml` in the user's configuration directory: the settings of a user.",
    )
}

fn schema(place: SettingSource, title: &str, description: &str) -> Schema {
    let mut sections: Map<String, Value> = Map::new();
    for key in SettingKey::ALL.iter().filter(|key| key.may_stand_in(place)) {
        let section = sections.entry(key.section()).or_insert_with(
            || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
        );
        section["properties"][key.name()] = setting(*key);
    }
    for key in SectionKey::ALL.iter().filter(|key| key.may_stand_in(place)) {
        let mut section = (key.row().schema)();
        section.remove("$schema");
        section.insert("description".to_owned(), Value::String(key.meaning().to_owned()));
        sections.insert(key.as_str().to_owned(), section.to_value());
    }
    let mut schema = schemars::json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description,
        "type": "object",
        "additionalProperties": false,
    });
    schema.insert("properties".to_owned(), Value::Object(sections));
    schema
}

fn setting(key: SettingKey) -> Value {
    let mut schema = match key.row().form {
        ValueForm::Path => json!({ "type": "string", "minLength": 1 }),
        ValueForm::Paths => {
            json!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
        }
        ValueForm::Name(names) => json!({ "type": "string", "enum": names }),
        ValueForm::Whole { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        ValueForm::Url => {
            json!({ "type": "string", "format": "uri", "pattern": "^https?://[^/]+/?$" })
        }
        ValueForm::Address => {
            json!({ "type": "string", "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] })
        }
    };
    schema["description"] = Value::String(key.meaning().to_owned());
    schema
}

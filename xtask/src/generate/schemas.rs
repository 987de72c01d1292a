//! JSON Schemas of the types that outlive a process or cross its border.

use piton_workflow::source::{Dialect, file_schema};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, schema_for};

/// Every schema by the name of its file.
pub(crate) fn all() -> Vec<(&'static str, Schema)> {
    [core(), piton_store::schema::durable(), workflow(), runtime()].concat()
}

fn core() -> Vec<(&'static str, Schema)> {
    vec![("envelope", schema_for!(piton_core::Envelope))]
}

fn workflow() -> Vec<(&'static str, Schema)> {
    vec![
        ("bundle", schema_for!(piton_workflow::bundle::Bundle)),
        ("execution-snapshot", schema_for!(piton_workflow::snapshot::ExecutionSnapshot)),
        ("session-event", schema_for!(piton_workflow::SessionEvent)),
        ("workflow-classic", file_schema(Dialect::Classic)),
        ("workflow-strict", file_schema(Dialect::Strict)),
    ]
}

fn runtime() -> Vec<(&'static str, Schema)> {
    use piton_runtime::config::schema;
    vec![
        ("diff", told::<piton_runtime::provenance::ThingComparison>()),
        ("fork", told::<piton_runtime::provenance::ForkedThing>()),
        ("piton-toml", schema::project_file()),
        ("user-config-toml", schema::user_file()),
    ]
}

/// The schema of what is only told: what is left out where it is empty is not required.
fn told<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::all;

    #[test]
    fn each_schema_has_its_own_file_and_says_what_it_describes() {
        let names: BTreeSet<&str> = all().iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), all().len());
        for (name, schema) in all() {
            assert!(schema.get("title").is_some(), "{name}");
            assert!(schema.get("description").is_some(), "{name}");
        }
    }
}

//! JSON Schemas of the store's durable types, generated from the types.

use schemars::{Schema, schema_for};

use crate::record::Record;
use crate::{Health, TornTail};

/// Returns the schema of each durable type, under the name of its file.
pub fn durable() -> Vec<(&'static str, Schema)> {
    vec![
        ("health", schema_for!(Health)),
        ("manifest-record", schema_for!(Record)),
        ("torn-tail", schema_for!(TornTail)),
    ]
}

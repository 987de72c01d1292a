//! The behaviour of `piton-core` as other crates see it.

mod budget;
mod canonical_properties;
mod canonical_refusals;
mod canonical_shapes;
mod canonical_vectors;
mod closed_set;
mod dedupe_key;
mod digest;
mod envelope;
mod error_code;
mod json_strategy;
mod opaque_id;
mod pattern;
mod port;
mod schema;
mod workflow_id_and_index;

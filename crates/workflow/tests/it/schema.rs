//! The JSON Schemas of the types that cross a boundary.

use piton_workflow::{Autonomy, Reason, StepId, StepInstanceKey, TokenString};
use schemars::JsonSchema;
use serde::Serialize;

#[test]
fn every_kind_of_serializable_type_has_a_schema() {
    #[derive(Serialize, JsonSchema)]
    struct Everything {
        autonomy: Autonomy,
        step: StepId,
        instance: StepInstanceKey,
        reason: Reason,
        token: TokenString,
    }
    let schema = schemars::schema_for!(Everything);
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap());
}

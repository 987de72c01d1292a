//! The JSON Schemas of the types that cross a boundary.

use piton_core::{
    BoundedText, DedupeKey, Digest, Domain, Envelope, EventIndex, Namespace, Pattern, SessionId,
    SnapshotRef, TimestampMs, WorkflowId,
};
use schemars::JsonSchema;
use serde::Serialize;

#[test]
fn every_serializable_type_has_a_schema() {
    #[derive(Serialize, JsonSchema)]
    struct Everything {
        session: SessionId,
        index: EventIndex,
        digest: Digest,
        snapshot: SnapshotRef,
        workflow: WorkflowId,
        key: DedupeKey,
        namespace: Namespace,
        pattern: Pattern,
        domain: Domain,
        at: TimestampMs,
        note: BoundedText<4096>,
        error: Envelope,
    }
    let schema = schemars::schema_for!(Everything);
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap());
}

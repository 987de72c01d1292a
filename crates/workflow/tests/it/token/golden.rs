//! Texts that were made by another program (Python's `hmac`, `base64` and `json`), with the key 0 to 31.

/// The payloads of `samples::payloads`, in the same order.
pub(crate) const PAYLOADS: [&str; 3] = [
    r#"{"nodeId":"node_030c1g60r30c1g60r30c1g60r3","runId":"run_02081040g2081040g2081040g2","sessionId":"sess_01040g2081040g2081040g2081","tokenKind":"state","tokenVersion":1,"workflowHash":"sha256:0505050505050505050505050505050505050505050505050505050505050505"}"#,
    r#"{"attemptId":"attempt_040g2081040g2081040g208104","nodeId":"node_030c1g60r30c1g60r30c1g60r3","runId":"run_02081040g2081040g2081040g2","sessionId":"sess_01040g2081040g2081040g2081","tokenKind":"ack","tokenVersion":1}"#,
    r#"{"attemptId":"attempt_040g2081040g2081040g208104","nodeId":"node_030c1g60r30c1g60r30c1g60r3","runId":"run_02081040g2081040g2081040g2","sessionId":"sess_01040g2081040g2081040g2081","tokenKind":"checkpoint","tokenVersion":1}"#,
];

/// Their long forms.
pub(crate) const TOKENS: [&str; 3] = [
    "st.v1.eyJub2RlSWQiOiJub2RlXzAzMGMxZzYwcjMwYzFnNjByMzBjMWc2MHIzIiwicnVuSWQiOiJydW5fMDIwODEwNDBnMjA4MTA0MGcyMDgxMDQwZzIiLCJzZXNzaW9uSWQiOiJzZXNzXzAxMDQwZzIwODEwNDBnMjA4MTA0MGcyMDgxIiwidG9rZW5LaW5kIjoic3RhdGUiLCJ0b2tlblZlcnNpb24iOjEsIndvcmtmbG93SGFzaCI6InNoYTI1NjowNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1MDUwNTA1In0.pSm-gvK7F-8rEk3BPj6n8R7NhthMJoBT5Hd7hYH_C5o",
    "ack.v1.eyJhdHRlbXB0SWQiOiJhdHRlbXB0XzA0MGcyMDgxMDQwZzIwODEwNDBnMjA4MTA0Iiwibm9kZUlkIjoibm9kZV8wMzBjMWc2MHIzMGMxZzYwcjMwYzFnNjByMyIsInJ1bklkIjoicnVuXzAyMDgxMDQwZzIwODEwNDBnMjA4MTA0MGcyIiwic2Vzc2lvbklkIjoic2Vzc18wMTA0MGcyMDgxMDQwZzIwODEwNDBnMjA4MSIsInRva2VuS2luZCI6ImFjayIsInRva2VuVmVyc2lvbiI6MX0.YuWjrwh3Ij1VdQSyvwTULUwvuEUxfrwf_NsSTmE2M6w",
    "chk.v1.eyJhdHRlbXB0SWQiOiJhdHRlbXB0XzA0MGcyMDgxMDQwZzIwODEwNDBnMjA4MTA0Iiwibm9kZUlkIjoibm9kZV8wMzBjMWc2MHIzMGMxZzYwcjMwYzFnNjByMyIsInJ1bklkIjoicnVuXzAyMDgxMDQwZzIwODEwNDBnMjA4MTA0MGcyIiwic2Vzc2lvbklkIjoic2Vzc18wMTA0MGcyMDgxMDQwZzIwODEwNDBnMjA4MSIsInRva2VuS2luZCI6ImNoZWNrcG9pbnQiLCJ0b2tlblZlcnNpb24iOjF9.KTtNRyfENdtSThzUwcWORsEKKrimNTaT_txYC9xGgPA",
];

/// Their short forms for the node after 12 others and the attempt after 3 others.
pub(crate) const SHORT_TOKENS: [&str; 3] = [
    "st-040g2081-12-mmmvx0qjqcbyyarj",
    "ak-040g2081-12-3-cbjt7br8ewh3tnbn",
    "ck-040g2081-12-3-54xmths7rgtxpmje",
];

//! Texts that others write: read without a panic, and what was read is written and read again to the same.

use piton_core::canonical;
use piton_backpack::flow::{Flow, Registry, Tools};
use piton_workflow::SourceKind;
use piton_workflow::bundle::Bundle;
use piton_workflow::compile::{Definitions, compile};
use piton_workflow::snapshot::ExecutionSnapshot;
use piton_workflow::source::SourceOrigin;
use piton_workflow::token::{AnyToken, Payload, TokenKind};
use serde_json::Value;

/// Canonical JSON: what is written reads as the same value, and is written the same again.
pub(crate) fn canonical(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let Ok(written) = canonical::encode(&value) else { return };
    let read: Value = serde_json::from_slice(written.as_bytes()).expect("canonical JSON is JSON");
    let again = canonical::encode(&read).expect("what was written can be written again");
    assert_eq!(written.as_bytes(), again.as_bytes());
}

/// Tokens as agents send them, long and short, and what a long one carries.
pub(crate) fn token(bytes: &[u8]) {
    for kind in TokenKind::ALL {
        let _ = Payload::decode(*kind, bytes);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = text.parse::<AnyToken>();
}

/// Workflow files: compiled to the same digest each time, or refused with at least one problem.
pub(crate) fn workflow(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let origin = SourceOrigin::new(SourceKind::Project, "workflows");
    let definitions = Definitions::standard();
    match compile(text, &origin, &definitions) {
        Err(problems) => assert!(!problems.is_empty(), "a refusal says why"),
        Ok(compiled) => {
            let again = compile(text, &origin, &definitions).expect("it compiled before");
            assert_eq!(compiled.canonical().as_bytes(), again.canonical().as_bytes());
        }
    }
}

/// Flow files: what is read can be written down and read again as the same flow.
pub(crate) fn flow(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let registry = Registry::builtin(Tools::new());
    let Ok(loaded) = Flow::from_json(text, &registry) else { return };
    let written = loaded.flow.to_json().to_string();
    let again = Flow::from_json(&written, &registry).expect("what was written down can be read");
    assert_eq!(loaded.flow.digest(), again.flow.digest());
    let _ = loaded.flow.to_mermaid();
}

/// Bundles: what is taken can be written and taken again.
pub(crate) fn bundle(bytes: &[u8]) {
    if let Ok(bundle) = Bundle::read(bytes) {
        let written = bundle.encode().expect("it was read within the bounds");
        Bundle::read(written.as_bytes()).expect("what was written is a bundle");
    }
}

/// Snapshots of runs.
pub(crate) fn snapshot(bytes: &[u8]) {
    let _ = ExecutionSnapshot::decode(bytes);
}

//! The entries, made from the sets of the compiler.

use serde_json::{Value, json};

use super::descriptions::{Describe, label};
use super::entry::{BuiltinKind, CatalogueEntry, PastePoint};
use crate::capability::Capability;
use crate::compile::{Feature, Reference, Template};
use crate::contract::ContractPack;

/// Returns every entry, by kind and by name.
pub fn catalogue() -> Vec<CatalogueEntry> {
    let contracts = ContractPack::ALL.iter().copied().map(contract);
    let features = Feature::ALL.iter().copied().map(feature);
    let probes = Capability::ALL.iter().copied().map(probe);
    let references = Reference::ALL.iter().copied().map(reference);
    let templates = Template::ALL.iter().copied().map(template);
    contracts.chain(features).chain(probes).chain(references).chain(templates).collect()
}

fn entry(
    kind: BuiltinKind,
    id: &str,
    of: &impl Describe,
    place: PastePoint,
    insert: Value,
) -> CatalogueEntry {
    let (id, label, description) = (id.to_owned(), label(id), of.description().to_owned());
    CatalogueEntry { id, kind, label, description, insert, place, content: None }
}

fn contract(pack: ContractPack) -> CatalogueEntry {
    let insert = json!({ "outputContract": { "contractRef": pack } });
    let content = Some(pack.definition().example);
    let entry = entry(BuiltinKind::Contract, pack.as_str(), &pack, PastePoint::Step, insert);
    CatalogueEntry { content, ..entry }
}

fn feature(feature: Feature) -> CatalogueEntry {
    let config = feature.default_config();
    let insert = if config.is_empty() {
        json!(feature)
    } else {
        json!({ "featureId": feature, "config": config })
    };
    entry(BuiltinKind::Feature, feature.as_str(), &feature, PastePoint::Features, insert)
}

fn probe(capability: Capability) -> CatalogueEntry {
    let insert = json!({ "capabilities": { capability.as_str(): "required" } });
    entry(BuiltinKind::Probe, capability.as_str(), &capability, PastePoint::Workflow, insert)
}

fn reference(reference: Reference) -> CatalogueEntry {
    let insert = json!({ "kind": "ref", "refId": reference });
    let content = Some(json!(reference.text()));
    let entry =
        entry(BuiltinKind::Ref, reference.as_str(), &reference, PastePoint::PromptPart, insert);
    CatalogueEntry { content, ..entry }
}

fn template(template: Template) -> CatalogueEntry {
    let (id, args) = match template {
        Template::CapabilityProbe => ("try_delegation", json!({ "capability": "delegation" })),
        Template::ClosingReview => ("closing", json!({})),
        Template::Delegation => {
            let task = json!({
                "name": "reader",
                "routine": "What the subagent does, and in which form it answers.",
                "params": "what it needs to know from this run",
                "description": "What it is for, in a few words",
            });
            ("delegated", json!({ "tasks": [task] }))
        }
        Template::LoopDecision => ("again", json!({ "loopId": "rounds" })),
        Template::Orientation => ("opening", json!({})),
    };
    let insert = json!({ "type": "template_call", "id": id, "templateId": template, "args": args });
    entry(BuiltinKind::Template, template.as_str(), &template, PastePoint::Steps, insert)
}

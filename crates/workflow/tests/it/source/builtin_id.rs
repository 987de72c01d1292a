//! Names of what Piton brings along.

use piton_core::{IdProblem, WorkflowId};
use piton_workflow::source::{ContractRef, FeatureId, RefId, TemplateId};

// shows in part: WR-307 (the form)
#[test]
fn a_contract_reference_has_the_prefix_of_contracts_and_a_name() {
    assert!("wr.contracts.loop_control".parse::<ContractRef>().is_ok());
    for wrong in [
        "wr.contracts.",
        "wr.contracts.Loop",
        "wr.contracts.1a",
        "wr.contracts.a.b",
        "wr.features.a",
        "my.contracts.a",
        "loop_control",
        "./contract.json",
        "",
    ] {
        assert!(wrong.parse::<ContractRef>().is_err(), "{wrong}");
    }
    let error = "wr.features.a".parse::<ContractRef>().unwrap_err();
    assert_eq!(error.problem, IdProblem::Form { form: "wr.contracts.name" });
    let long = format!("wr.contracts.{}", "a".repeat(128));
    assert!(long.parse::<ContractRef>().is_err());
}

#[test]
fn each_kind_has_a_prefix_of_its_own_and_none_is_a_workflow_id() {
    assert!("wr.features.a".parse::<FeatureId>().is_ok());
    assert!("wr.refs.a".parse::<RefId>().is_ok());
    assert!("wr.templates.a".parse::<TemplateId>().is_ok());
    for text in ["wr.contracts.a", "wr.features.a", "wr.refs.a", "wr.templates.a"] {
        assert!(text.parse::<WorkflowId>().is_err());
    }
}

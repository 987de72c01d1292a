//! `[context]`: what is wrong with it, and how the user's and the project's join.

use piton_runtime::config::section::ContextSection;
use piton_runtime::context::{ContextSettings, Role};

use crate::rig::Machine;

const USER: &str = ".config/piton/config.toml";
const PROJECT: &str = "project/piton.toml";

/// Everything that is wrong with a project's file.
fn wrong(text: &str) -> Vec<String> {
    let machine = Machine::in_memory();
    machine.write(PROJECT, text);
    let configuration = machine.configuration().unwrap();
    let found = configuration.sections_for::<ContextSection>(Some(&machine.project()));
    let found = found.err().unwrap_or_default();
    found.iter().map(|problem| format!("{}: {}", problem.line.unwrap(), problem.reason)).collect()
}

// shows: CT-033
#[test]
fn everything_that_is_wrong_with_agents_is_told_at_once_with_its_place() {
    let cases: [(&str, &[&str]); 6] = [
        ("[context]\nagnet = \"a\"\n", &["2: `context`: unknown field `agnet`"]),
        (
            "[[context.agents]]\nname = \"a b\"\nrole = \"reader\"\n",
            &["is not the name of an agent"],
        ),
        ("[[context.agents]]\nname = \"a\"\nrole = \"king\"\n", &["`king` is not one of"]),
        ("[[context.agents]]\nname = \"a\"\n", &["missing field `role`"]),
        (
            "[[context.agents]]\nname = \"person\"\nrole = \"reader\"\nprovider = \"No!\"\nmodel = \"\"\nprompt = \" \"\n",
            &[
                "`person` is the name of the person at the command line",
                "the provider of person: a provider's name has",
                "the model of person is empty",
                "the prompt of person has 1 bytes",
            ],
        ),
        (
            "[[context.agents]]\nname = \"a\"\nrole = \"reader\"\n[[context.agents]]\nname = \"a\"\nrole = \"writer\"\n[http]\nprot = 1\n",
            &["there are two agents called a", "there is no setting `prot` in `[http]`"],
        ),
    ];
    for (text, expected) in cases {
        let told = wrong(text);
        assert_eq!(told.len(), expected.len(), "{text}: {told:?}");
        for part in expected {
            assert!(told.iter().any(|told| told.contains(part)), "{part}: {told:?}");
        }
    }
}

#[test]
fn a_project_replaces_agents_of_the_user_and_says_whom_clients_act_as() {
    let machine = Machine::in_memory();
    let agent = |name: &str, role: &str| {
        format!("[[context.agents]]\nname = \"{name}\"\nrole = \"{role}\"\n")
    };
    let joined = || {
        let configuration = machine.configuration().unwrap();
        let found = configuration.sections_for(Some(&machine.project())).unwrap();
        ContextSettings::join(found)
    };
    assert!(!joined().unwrap().is_configured());
    machine.write(USER, &[agent("mine", "synthesis"), agent("both", "reader")].concat());
    let served = |settings: &ContextSettings| settings.served().map(ToString::to_string);
    assert_eq!(served(&joined().unwrap()), None, "two agents, and none is named");
    machine.write(PROJECT, &format!("[context]\nagent = \"mine\"\n{}", agent("both", "writer")));
    let settings = joined().unwrap();
    assert_eq!(served(&settings).as_deref(), Some("mine"));
    let roles: Vec<(String, Role)> =
        settings.agents().map(|agent| (agent.name.to_string(), agent.role)).collect();
    let named = |name: &str, role| (name.to_owned(), role);
    assert_eq!(roles, [named("both", Role::Writer), named("mine", Role::Synthesis)]);
    machine.write(PROJECT, "[context]\nagent = \"mien\"\n");
    let refused = joined().unwrap_err();
    assert!(refused.reason.contains("`context.agent` is mien"), "{refused}");
    assert_eq!(refused.fix, "write `mine`");
}

//! Sections that are read whole.

use piton_core::Envelope;
use piton_runtime::config::section::{ModelsSection, SectionKey};
use piton_runtime::config::{ConfigProblem, Configuration, SettingSource};

use crate::rig::Machine;

const FILE: &str = ".config/piton/config.toml";

/// What is wrong with a user's file, without the directory.
fn wrong(text: &str) -> String {
    let machine = Machine::in_memory();
    machine.write(FILE, text);
    let found = machine.configuration().err().unwrap_or_default();
    let told: Vec<String> = found.iter().map(ToString::to_string).collect();
    told.join("\n").replace(&machine.user_dir().display().to_string(), "~")
}

#[test]
fn the_example_of_every_section_is_taken_where_it_may_stand() {
    for key in SectionKey::ALL {
        for (file, place) in
            [(FILE, SettingSource::User), ("project/piton.toml", SettingSource::Project)]
        {
            let machine = Machine::in_memory();
            machine.write(file, key.example());
            let loaded = machine.configuration().and_then(|found| found.settings_here());
            assert_eq!(loaded.is_ok(), key.may_stand_in(place), "{place} {key}: {loaded:?}");
        }
    }
}

#[test]
fn a_section_is_given_as_it_stands_in_the_file_now() {
    let machine = Machine::in_memory();
    let configuration = machine.configuration().unwrap();
    let models = |configuration: &Configuration| {
        configuration.sections_for::<ModelsSection>(Some(&machine.project()))
    };
    assert_eq!(models(&configuration).unwrap(), []);
    let file = machine.write(FILE, SectionKey::Models.example());
    let found = models(&configuration).unwrap();
    assert_eq!((found.len(), found[0].place), (1, SettingSource::User));
    assert_eq!(found[0].file, file);
    assert_eq!(found[0].value.default.as_deref(), Some("local"));
    let (settings, default) = found[0].value.settings().unwrap();
    assert_eq!((settings.len(), default.unwrap().as_str()), (1, "local"));
    machine.write(FILE, "[models]\nnobody = 1");
    let Envelope { message, .. } = ConfigProblem::envelope(&models(&configuration).unwrap_err());
    assert!(message.contains("unknown field `nobody`"), "{message}");
}

#[test]
fn what_is_wrong_with_a_section_is_told_with_its_place_and_what_to_write() {
    let cases = [
        ("[models]\ndefualt = \"a\"", "config.toml:2:1: `models`: unknown field `defualt`"),
        ("models = 3", "config.toml:1:10: `models`: invalid type"),
        (
            "[[models.providers]]\nname = \"Local!\"\nwire = \"ollama\"",
            "a provider's name has 1 to",
        ),
        ("[models]\ndefault = \"none\"", "none"),
        (
            "[[models.providers]]\nname = \"a\"\nwire = \"openai\"\nkey_env = \"A\"\nkey_file = \"b\"",
            "`a` has its key in two places",
        ),
        ("[modles]\ndefault = \"a\"", "write `models`"),
    ];
    for (text, part) in cases {
        let told = wrong(text);
        assert!(told.contains(part), "{text}: {told}");
    }
    insta::assert_snapshot!(wrong("[models]\ndefualt = \"a\""));
}

//! Who answers for models, as files say.

use piton_models::WireFormat;
use piton_models::provider::KeyReference;
use piton_runtime::models::ModelSettings;

use crate::rig::Machine;

// shows in part: CT-070 (the part about configuration: base URL and key per provider, several at once)
#[test]
fn the_users_file_names_providers_and_where_their_keys_lie() {
    let machine = Machine::in_memory();
    let settings = machine.runtime().model_settings().unwrap();
    let wires: Vec<WireFormat> = settings.providers.iter().map(|provider| provider.wire).collect();
    assert_eq!(
        wires,
        [WireFormat::OpenAi, WireFormat::Anthropic, WireFormat::Ollama],
        "without a file"
    );
    assert!(settings.default.is_none());

    let file = machine.write(
        ".config/piton/config.toml",
        "[models]\ndefault = \"near\"\n\n[[models.providers]]\nname = \"near\"\nwire = \"ollama\"\nmodel = \"small\"\n\n\
         [[models.providers]]\nname = \"far\"\nwire = \"openai\"\nbase_url = \"https://models.example/v1\"\nkey_file = \"keys/far\"\n",
    );
    let settings = machine.runtime().model_settings().unwrap();
    assert_eq!(settings.default.unwrap().as_str(), "near");
    let [near, far] = settings.providers.as_slice() else { panic!("two of them") };
    assert_eq!((near.model.as_deref(), near.key.as_ref()), (Some("small"), None));
    assert_eq!(far.base_url(), "https://models.example/v1/");
    let key = file.parent().unwrap().join("keys/far");
    assert_eq!(far.key, Some(KeyReference::File(key)), "beside the file that names it");
}

#[test]
fn a_file_of_models_has_providers_or_answers_and_not_both() {
    let good = [
        r#"{ "providers": [{ "name": "near", "wire": "ollama" }] }"#,
        r#"{ "rehearsed": [{ "say": "hello" }] }"#,
    ];
    for text in good {
        ModelSettings::parse(text).unwrap();
    }
    let bad = [
        ("{}", "there are no providers"),
        ("{", "EOF"),
        ("[]", "expected a map"),
        (r#"{ "rehearsed": [], "providers": [{ "name": "a", "wire": "ollama" }] }"#, "rehearsed"),
        (r#"{ "providres": [] }"#, "unknown field `providres`"),
    ];
    for (text, problem) in bad {
        let refused = ModelSettings::parse(text).unwrap_err();
        assert!(refused.message.contains(problem), "{}", refused.message);
        assert!(refused.suggestion.contains("\"providers\""), "{}", refused.suggestion);
    }
}

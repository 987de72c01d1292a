//! Keys: read when a call needs them, and shown nowhere.

use std::sync::Arc;

use piton_core::Code;
use piton_models::provider::{KeyReference, Secret, SecretSource, SystemSecrets};
use piton_models::testing::{ModelServer, ScriptedReply};
use piton_models::{ProviderSettings, Providers, WireFormat, redacted};
use serde_json::json;

use crate::site::{HOW, How, KEY, OneKey, ask, client, question, settings};

// shows: CT-073
#[tokio::test]
async fn a_refused_key_is_in_no_error_and_no_debug() {
    let server = ModelServer::start().await;
    server.with_key("another");
    let client = client(&server);
    for wire in WireFormat::ALL {
        for how in HOW {
            let error = ask(&client, &question(*wire), how).await.1.unwrap_err();
            assert_eq!(error.code(), Code::ModelAuthFailed);
            assert!(error.to_string().contains("[key]"), "the server quotes the key: {error}");
            let envelope = error.envelope();
            let told = [
                format!("{error} {error:?} {error:#?}"),
                format!("{envelope} {envelope:?}"),
                serde_json::to_string(&envelope).unwrap(),
                format!("{client:?} {:?}", question(*wire)),
            ];
            for text in told {
                assert!(!text.contains(KEY) && !text.contains("canary"), "{text}");
            }
        }
    }
    assert!(server.seen().iter().all(|seen| format!("{seen:?}").contains(KEY)), "it was sent");
}

// shows: CT-073
#[test]
fn a_key_is_taken_out_however_it_is_written() {
    let key = r#"sk-"back\slash"#;
    let body = json!({ "refused": key }).to_string();
    assert!(!body.contains(key), "JSON writes it in another way");
    for (words, told) in
        [(format!("no  {key} here"), "no [key] here"), (body, r#"{"refused":"[key]"}"#)]
    {
        assert_eq!(redacted(&words, Some(key)), told);
    }
}

// shows: CT-073
#[test]
fn settings_and_secrets_show_where_a_key_lies_and_never_the_key() {
    let file = KeyReference::File("/run/secrets/key".into());
    let secret = Secret::read(&"a".parse().unwrap(), &file, &OneKey(KEY)).unwrap();
    assert_eq!(secret.expose(), KEY);
    assert_eq!(format!("{secret:?}"), "Secret([key])");
    let wire = WireFormat::OpenAi;
    let settings =
        ProviderSettings { key: Some(file), ..ProviderSettings::new("a".parse().unwrap(), wire) };
    let json = serde_json::to_string(&settings).unwrap();
    assert!(json.contains(r#""key":{"file":"/run/secrets/key"}"#), "{json}");
}

// shows in part: CT-073 (the part about the environment and a file)
#[tokio::test]
async fn a_key_is_read_from_its_file_at_each_call() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    let server = ModelServer::start().await;
    let settings = ProviderSettings {
        key: Some(KeyReference::File(path.clone())),
        ..settings(&server, WireFormat::OpenAi)
    };
    let client = Providers::new(vec![settings], None, Arc::new(SystemSecrets)).unwrap();
    let missing = ask(&client, &question(WireFormat::OpenAi), How::Whole).await.1.unwrap_err();
    assert_eq!(missing.code(), Code::ModelNotConfigured);
    assert!(missing.to_string().contains("key"), "{missing}");
    for key in ["first-key", "second-key"] {
        std::fs::write(&path, format!("{key}\n")).unwrap();
        server.push_reply(ScriptedReply::text("yes"));
        ask(&client, &question(WireFormat::OpenAi), How::Whole).await.1.unwrap();
        let bearer = format!("Bearer {key}");
        assert_eq!(server.seen().last().unwrap().header("authorization"), Some(bearer.as_str()));
    }
    assert_eq!(server.seen().len(), 2, "nothing was sent without a key");
}

#[test]
fn the_environment_is_a_source_of_keys() {
    let there = SystemSecrets.read(&KeyReference::Env("PATH".to_owned()));
    assert!(!there.unwrap().is_empty());
    let missing = SystemSecrets.read(&KeyReference::Env("PITON_NO_SUCH_KEY".to_owned()));
    assert_eq!(missing.unwrap_err(), "it is not set");
}

#[test]
fn a_key_is_one_line_of_visible_text() {
    struct Text(&'static str);
    impl SecretSource for Text {
        fn read(&self, _: &KeyReference) -> Result<String, String> {
            Ok(self.0.to_owned())
        }
    }
    let read = |text| {
        let reference = KeyReference::Env("K".to_owned());
        Secret::read(&"a".parse().unwrap(), &reference, &Text(text))
    };
    assert_eq!(read(" key \n").unwrap().expose(), "key");
    for bad in ["", " \n", "two lines\nof text", "schlüssel"] {
        let error = read(bad).unwrap_err();
        assert_eq!(error.code(), Code::ModelNotConfigured);
        assert!(
            !error.to_string().contains("lines\nof") && !error.to_string().contains("schlüssel")
        );
    }
}

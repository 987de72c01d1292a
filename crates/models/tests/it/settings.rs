//! Settings of providers.

use std::sync::Arc;

use piton_core::Code;
use piton_models::provider::{BaseUrl, BaseUrlError, check};
use piton_models::{
    Error, Message, ProviderName, ProviderSettings, Providers, Request, WireFormat,
};

use crate::site::{How, OneKey, ask};

#[test]
fn a_base_url_ends_in_a_slash_and_holds_no_secret() {
    let table = [
        ("http://localhost:11434", Ok("http://localhost:11434/")),
        ("https://gateway.example/v1", Ok("https://gateway.example/v1/")),
        ("https://gateway.example/v1/", Ok("https://gateway.example/v1/")),
        ("ftp://a", Err(BaseUrlError::Scheme)),
        ("https://", Err(BaseUrlError::Scheme)),
        ("gateway.example", Err(BaseUrlError::Scheme)),
        ("https://user:secret@a/", Err(BaseUrlError::Credentials)),
        ("https://a/?key=secret", Err(BaseUrlError::Query)),
        ("https://a/#x", Err(BaseUrlError::Query)),
        ("https://a /", Err(BaseUrlError::Text)),
        ("https://ä/", Err(BaseUrlError::Text)),
    ];
    for (text, expected) in table {
        let parsed = BaseUrl::parse(text);
        assert_eq!(
            parsed.as_ref().map(BaseUrl::as_str),
            expected.as_ref().map(|url| *url),
            "{text}"
        );
    }
}

#[test]
fn a_name_is_a_plain_word() {
    for good in ["openai", "my-gateway_2"] {
        assert_eq!(ProviderName::parse(good).unwrap().as_str(), good);
    }
    let long = "a".repeat(65);
    for bad in ["", "Open AI", "ä", "a.b", long.as_str()] {
        assert!(ProviderName::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn every_problem_of_the_settings_is_told_at_once() {
    let provider = |name: &str, timeout_ms| ProviderSettings {
        timeout_ms,
        ..ProviderSettings::new(name.parse().unwrap(), WireFormat::OpenAi)
    };
    let settings = [provider("a", 1), provider("a", 0), provider("b", 3_600_001)];
    let missing = "c".parse().unwrap();
    let Err(Error::Settings { problems }) = check(&settings, Some(&missing)) else { panic!() };
    assert_eq!(problems.len(), 4, "{problems:?}");
    let error = Error::Settings { problems };
    assert_eq!(error.code(), Code::ValidationError);
    for part in ["a is there twice", "timeoutMs of a is 0", "timeoutMs of b", "default provider c"]
    {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn settings_are_data_with_a_default_time() {
    let text = r#"{ "name": "local", "wire": "ollama", "model": "qwen3" }"#;
    let settings: ProviderSettings = serde_json::from_str(text).unwrap();
    assert_eq!((settings.base_url(), settings.timeout_ms), ("http://localhost:11434/", 120_000));
    let unknown = r#"{ "name": "local", "wire": "ollama", "apiKey": "sk-1" }"#;
    assert!(serde_json::from_str::<ProviderSettings>(unknown).is_err(), "a key is no setting");
}

// shows in part: CT-072 (the part about not configured)
#[tokio::test]
async fn a_provider_without_a_model_and_a_call_without_a_provider_are_not_configured() {
    let provider = ProviderSettings::new("bare".parse().unwrap(), WireFormat::OpenAi);
    let client = Providers::new(vec![provider], None, Arc::new(OneKey("k"))).unwrap();
    let mut request = Request::new(vec![Message::user("hello")]);
    for how in [How::Whole, How::Pieces] {
        request.provider = None;
        let error = ask(&client, &request, how).await.1.unwrap_err();
        assert_eq!(error.code(), Code::ModelNotConfigured);
        request.provider = Some("bare".parse().unwrap());
        let error = ask(&client, &request, how).await.1.unwrap_err();
        assert_eq!(error.to_string(), "the call names no model, and bare has no default one");
    }
}

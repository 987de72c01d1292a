//! A client and the server that it speaks to.

use std::sync::Arc;

use futures_util::StreamExt as _;
use piton_models::provider::{KeyReference, SecretSource};
use piton_models::testing::ModelServer;
use piton_models::{
    Answer, AnswerPart, Error, Message, ModelClient, ProviderName, ProviderSettings, Providers,
    Request, WireFormat,
};

/// The key that every provider of these tests has.
pub(crate) const KEY: &str = "sk-canary-7f3a9c21";

/// Knows one key, wherever it is looked for.
pub(crate) struct OneKey(pub(crate) &'static str);

impl SecretSource for OneKey {
    fn read(&self, _: &KeyReference) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
}

/// What the provider of a wire format is called here.
pub(crate) fn name(wire: WireFormat) -> ProviderName {
    wire.as_str().parse().unwrap()
}

/// Settings of a provider of `wire` at `server`.
pub(crate) fn settings(server: &ModelServer, wire: WireFormat) -> ProviderSettings {
    ProviderSettings {
        base_url: Some(server.base_url(wire)),
        key: Some(KeyReference::Env("THE_KEY".to_owned())),
        model: Some("small".to_owned()),
        ..ProviderSettings::new(name(wire), wire)
    }
}

/// Every wire format at `server`.
pub(crate) fn client(server: &ModelServer) -> Providers {
    let all = WireFormat::ALL.iter().map(|wire| settings(server, *wire)).collect();
    Providers::new(all, None, Arc::new(OneKey(KEY))).unwrap()
}

/// A question to the provider of `wire`.
pub(crate) fn question(wire: WireFormat) -> Request {
    let messages = vec![Message::system("be brief"), Message::user("what is 6 x 7?")];
    Request { provider: Some(name(wire)), ..Request::new(messages) }
}

/// The two ways to ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum How {
    Whole,
    Pieces,
}

pub(crate) const HOW: [How; 2] = [How::Whole, How::Pieces];

/// The answer, and the texts that came before it.
pub(crate) async fn ask(
    client: &dyn ModelClient,
    request: &Request,
    how: How,
) -> (Vec<String>, Result<Answer, Error>) {
    if how == How::Whole {
        return (Vec::new(), client.complete(request).await);
    }
    let mut parts = client.stream(request);
    let mut texts = Vec::new();
    loop {
        match parts.next().await.expect("a stream ends with an answer or an error") {
            Ok(AnswerPart::Text(text)) => texts.push(text),
            Ok(AnswerPart::Done(answer)) => {
                assert!(parts.next().await.is_none(), "nothing comes after the answer");
                return (texts, Ok(*answer));
            }
            Err(error) => {
                assert!(parts.next().await.is_none(), "nothing comes after an error");
                return (texts, Err(error));
            }
        }
    }
}

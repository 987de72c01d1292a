//! The client that speaks to any number of configured providers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ModelSpec, ServiceTarget};

use super::failure::Failing;
use super::receive::{Received, answer};
use super::{send, streaming};
use crate::answer::Answer;
use crate::bounds::CONNECT_TIMEOUT_MS;
use crate::client::{BoxFuture, ModelClient};
use crate::error::{Error, Redaction};
use crate::provider::{
    ProviderName, ProviderSettings, Secret, SecretSource, Wishes, check, choose,
};
use crate::request::Request;
use crate::stream::AnswerStream;

/// Providers on the network.
#[derive(Clone)]
pub struct Providers {
    known: Arc<BTreeMap<ProviderName, ProviderSettings>>,
    default: Option<ProviderName>,
    secrets: Arc<dyn SecretSource>,
    client: Client,
}

impl Providers {
    /// A client for these providers; `default` answers when a request names nobody, and `secrets` reads their
    /// keys when a call needs them.
    pub fn new(
        settings: Vec<ProviderSettings>,
        default: Option<ProviderName>,
        secrets: Arc<dyn SecretSource>,
    ) -> Result<Self, Error> {
        check(&settings, default.as_ref())?;
        let known = settings.into_iter().map(|provider| (provider.name.clone(), provider));
        let client = client().map_err(|problem| Error::Settings { problems: vec![problem] })?;
        Ok(Self { known: Arc::new(known.collect()), default, secrets, client })
    }

    /// The providers, in the order of their names.
    pub fn names(&self) -> impl Iterator<Item = &ProviderName> {
        self.known.keys()
    }

    /// All that one call needs, with the key.
    pub(super) fn call(&self, request: &Request) -> Result<Call, Error> {
        request.check()?;
        let wishes =
            Wishes { call: request.provider.as_ref(), agent: None, default: self.default.as_ref() };
        let choice = choose(wishes, self.known.keys())?;
        let settings = self.known.get(&choice.provider).expect("it was chosen out of these");
        let name = &settings.name;
        let model = request.model.as_ref().or(settings.model.as_ref()).ok_or_else(|| {
            let what = format!("the call names no model, and {name} has no default one");
            Error::NotConfigured { what }
        })?;
        let read = |reference| Secret::read(name, reference, &*self.secrets);
        let secret = settings.key.as_ref().map(read).transpose()?;
        let settings = settings.clone();
        Ok(Call { client: self.client.clone(), settings, model: model.clone(), secret })
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Providers")
            .field("known", &self.known)
            .field("default", &self.default)
            .finish_non_exhaustive()
    }
}

impl ModelClient for Providers {
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(async move { self.call(request)?.complete(request).await })
    }

    fn stream(&self, request: &Request) -> AnswerStream {
        streaming::stream(self.clone(), request.clone())
    }
}

/// One call: who, which model, and the key.
pub(super) struct Call {
    pub(super) client: Client,
    pub(super) settings: ProviderSettings,
    pub(super) model: String,
    secret: Option<Secret>,
}

impl Call {
    /// Where it goes. Without a key the library would look into the environment for one of its own choice.
    pub(super) fn target(&self) -> ModelSpec {
        let key = self.secret.as_ref().map_or("", Secret::expose);
        ModelSpec::Target(ServiceTarget {
            endpoint: Endpoint::from_owned(self.settings.base_url()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(send::adapter(self.settings.wire), self.model.as_str()),
        })
    }

    pub(super) const fn timeout(&self) -> Duration {
        Duration::from_millis(self.settings.timeout_ms)
    }

    pub(super) fn failing(&self) -> Failing<'_> {
        Failing {
            provider: &self.settings.name,
            model: &self.model,
            timeout_ms: self.settings.timeout_ms,
            redaction: Redaction::of(self.secret.as_ref().map(Secret::expose)),
        }
    }

    async fn complete(self, request: &Request) -> Result<Answer, Error> {
        let options = send::options(request, self.timeout());
        let asked = self.client.exec_chat(self.target(), send::chat(request), Some(&options));
        let response = tokio::time::timeout(self.timeout(), asked)
            .await
            .map_err(|_| self.failing().timeout())?
            .map_err(|error| self.failing().error(&error))?;
        answer(Received {
            provider: self.settings.name.clone(),
            model: response.provider_model_iden.model_name.to_string(),
            content: Some(response.content),
            stop: response.stop_reason,
            usage: Some(response.usage),
        })
    }
}

/// The library on our own HTTP client: it follows no redirect, which would carry the key to another host.
fn client() -> Result<Client, String> {
    // A second call finds the provider of TLS installed already, and that is fine.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_millis(CONNECT_TIMEOUT_MS))
        .build()
        .map_err(|error| format!("the HTTP client cannot be made: {error}"))?;
    let client = Client::builder().with_reqwest(http).build();
    client.map_err(|_| "the client of the providers cannot be made".to_owned())
}

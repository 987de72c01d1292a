//! The client that speaks to any number of configured providers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::call::ProviderCall;
use super::streaming;
use crate::answer::Answer;
use crate::bounds::CONNECT_TIMEOUT_MS;
use crate::client::{BoxFuture, ModelClient};
use crate::error::Error;
use crate::provider::{ProviderName, ProviderSettings, Secret, SecretSource, check};
use crate::request::Request;
use crate::stream::AnswerStream;
use crate::tool::ToolChoice;

/// Providers on the network.
#[derive(Clone)]
pub struct Providers {
    known: Arc<BTreeMap<ProviderName, ProviderSettings>>,
    default: Option<ProviderName>,
    secrets: Arc<dyn SecretSource>,
    http: reqwest::Client,
    advice: Option<String>,
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
        let http = http().map_err(|problem| Error::Settings { problems: vec![problem] })?;
        Ok(Self { known: Arc::new(known.collect()), default, secrets, http, advice: None })
    }

    /// The same providers, which say where to name one when a call has none, or no model.
    #[must_use]
    pub fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// What a call lacks, and where to write it.
    fn lacking(&self, what: &str) -> Error {
        let advice = self.advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
        Error::NotConfigured { what: format!("{what}{advice}") }
    }

    /// The providers, in the order of their names.
    pub fn names(&self) -> impl Iterator<Item = &ProviderName> {
        self.known.keys()
    }

    /// Who a request goes to: whom it names, else the default. A name that is not known is an error: another provider
    /// would get text that nobody wanted there.
    fn chosen(&self, request: &Request) -> Result<&ProviderSettings, Error> {
        let name = request.provider.as_ref().or(self.default.as_ref());
        let name =
            name.ok_or_else(|| self.lacking("no provider is named, and there is no default"))?;
        self.known.get(name).ok_or_else(|| {
            let there: Vec<&str> = self.names().map(ProviderName::as_str).collect();
            let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
            self.lacking(&format!("the provider {name} is not configured; there is: {there}"))
        })
    }

    /// All that one call needs, with the key.
    pub(super) fn call(&self, request: &Request) -> Result<ProviderCall, Error> {
        request.check()?;
        let settings = self.chosen(request)?;
        let name = &settings.name;
        let model = request.model.as_ref().or(settings.model.as_ref()).ok_or_else(|| {
            self.lacking(&format!("the call names no model, and {name} has no default one"))
        })?;
        let read = |reference| Secret::read(name, reference, &*self.secrets);
        let secret = settings.key.as_ref().map(read).transpose()?;
        let settings = settings.clone();
        let offers_tools = !request.tools.is_empty() && request.tool_choice != ToolChoice::None;
        Ok(ProviderCall {
            http: self.http.clone(),
            settings,
            model: model.clone(),
            secret,
            offers_tools,
        })
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

/// An HTTP client that follows no redirect, which would carry the key to another host.
fn http() -> Result<reqwest::Client, String> {
    // A second call finds the provider of TLS installed already, and that is fine.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_millis(CONNECT_TIMEOUT_MS))
        .build()
        .map_err(|error| format!("the HTTP client cannot be made: {error}"))
}

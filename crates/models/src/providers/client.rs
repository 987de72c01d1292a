//! The client for any number of configured providers.

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
    /// Creates a client for these providers. `default` answers requests that name no provider, and `secrets` reads the
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

    /// Adds advice on where to configure a provider or a model, for errors about missing ones.
    #[must_use]
    pub fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Builds the error for a missing setting, with the advice on where to write it.
    fn lacking(&self, what: &str) -> Error {
        let advice = self.advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
        Error::NotConfigured { what: format!("{what}{advice}") }
    }

    /// Returns the names of the providers, in order.
    pub fn names(&self) -> impl Iterator<Item = &ProviderName> {
        self.known.keys()
    }

    /// Returns the provider that a request names, else the default. An unknown name is an error: falling back would
    /// send text to a provider that nobody chose.
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

    /// Collects everything that one call needs, including the key.
    pub(super) fn call(&self, request: &Request) -> Result<ProviderCall, Error> {
        // A bad request is refused before a key is read or anything is sent.
        request.check()?;
        let settings = self.chosen(request)?;
        let name = &settings.name;
        let model = request.model.as_ref().or(settings.model.as_ref()).ok_or_else(|| {
            self.lacking(&format!("the call names no model, and {name} has no default one"))
        })?;
        // Read for each call, so that a replaced key takes effect at once and none is kept in between.
        let read = |reference| Secret::read(name, reference, &*self.secrets);
        let secret = settings.key.as_ref().map(read).transpose()?;
        let settings = settings.clone();
        // A call in the answer is a flaw if no tool was offered.
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

/// Creates an HTTP client that follows no redirect, because a redirect would carry the key to another host.
fn http() -> Result<reqwest::Client, String> {
    // A second call finds a TLS provider already installed, which is fine.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_millis(CONNECT_TIMEOUT_MS))
        .build()
        .map_err(|error| format!("the HTTP client cannot be made: {error}"))
}

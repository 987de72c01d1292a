//! The client for any number of configured providers, and a single call: the provider, the model and the key.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use piton_core::keep_numbers;
use reqwest::Response;
use tokio::time::timeout;

use super::format::{body, headers, parse_answer, path};
use super::streaming;
use crate::answer::Answer;
use crate::bounds::{CONNECT_TIMEOUT_MS, FAILURE_BYTES_MAX, RESPONSE_BYTES_MAX};
use crate::client::{AnswerStream, BoxFuture, ModelClient};
use crate::error::Error;
use crate::message::ToolChoice;
use crate::provider::{ProviderName, ProviderSettings, Secret, SecretSource, check};
use crate::request::Request;

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

pub(super) struct ProviderCall {
    pub(super) http: reqwest::Client,
    pub(super) settings: ProviderSettings,
    pub(super) model: String,
    pub(super) secret: Option<Secret>,
    /// Set when the model may call tools.
    pub(super) offers_tools: bool,
}

impl ProviderCall {
    pub(super) const fn patience(&self) -> Duration {
        Duration::from_millis(self.settings.timeout_ms)
    }

    pub(super) fn provider(&self) -> ProviderName {
        self.settings.name.clone()
    }

    /// Requests a whole answer.
    pub(super) async fn complete(&self, request: &Request) -> Result<Answer, Error> {
        // The timeout covers sending and reading together.
        let received = async {
            let mut response = self.send(request, false).await?;
            self.read(&mut response).await
        };
        let bytes =
            timeout(self.patience(), received).await.map_err(|_| self.timeout_error())??;
        // Some formats have tool arguments as JSON values, whose large numbers would be lost once the body is parsed.
        let body = str::from_utf8(&bytes).ok();
        let body = body.and_then(|body| serde_json::from_str(&keep_numbers(body).0).ok());
        let body = body.ok_or_else(|| self.bad_answer("it is not valid JSON"))?;
        let draft =
            parse_answer(self.settings.wire, &body).map_err(|flaw| self.flaw_error(&flaw))?;
        draft.answer(self)
    }

    /// Sends the request. A response with an error status is an error.
    pub(super) async fn send(&self, request: &Request, stream: bool) -> Result<Response, Error> {
        let wire = self.settings.wire;
        let bytes = serde_json::to_vec(&body(wire, request, &self.model, stream))
            .map_err(|error| Error::Request { problem: error.to_string() })?;
        let url = format!("{}{}", self.settings.base_url(), path(wire));
        let mut post = self.http.post(url).header("content-type", "application/json").body(bytes);
        // The key appears in headers only.
        for (name, value) in headers(wire, self.secret.as_ref().map(Secret::expose)) {
            post = post.header(name, value);
        }
        let mut response = post.send().await.map_err(|error| self.network_error(&error))?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        // The body of an error is read only for its message, so a failure to read it does not matter.
        let body = error_text(&mut response).await;
        Err(self.status_error(status, &body, &headers))
    }

    /// Reads a whole body, unless it is too long.
    async fn read(&self, response: &mut Response) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        while let Some(chunk) =
            response.chunk().await.map_err(|error| self.network_error(&error))?
        {
            bytes.extend_from_slice(&chunk);
            // Measured while reading: a declared length may be absent or wrong.
            if bytes.len() > RESPONSE_BYTES_MAX {
                return Err(Error::AnswerTooLong { provider: self.provider() });
            }
        }
        Ok(bytes)
    }
}

/// Reads the body of an error as far as it arrives. The status is decisive, whatever happens to the rest.
async fn error_text(response: &mut Response) -> String {
    let mut bytes = Vec::new();
    // Stops at the limit or at the first error: a part of the body is enough for a message.
    while bytes.len() < FAILURE_BYTES_MAX
        && let Ok(Some(chunk)) = response.chunk().await
    {
        bytes.extend_from_slice(&chunk);
    }
    bytes.truncate(FAILURE_BYTES_MAX);
    String::from_utf8_lossy(&bytes).into_owned()
}

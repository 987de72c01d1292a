//! A single call: the provider, the model and the key.

use std::time::Duration;

use piton_core::keep_numbers;
use reqwest::Response;
use tokio::time::timeout;

use super::failure::Failing;
use super::format::{body, headers, parse_answer, path};
use crate::answer::Answer;
use crate::bounds::{FAILURE_BYTES_MAX, RESPONSE_BYTES_MAX};
use crate::error::{Error, Redaction};
use crate::provider::{ProviderSettings, Secret};
use crate::request::Request;

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

    pub(super) fn failing(&self) -> Failing<'_> {
        Failing {
            provider: &self.settings.name,
            model: &self.model,
            timeout_ms: self.settings.timeout_ms,
            offers_tools: self.offers_tools,
            redaction: Redaction::of(self.secret.as_ref().map(Secret::expose)),
        }
    }

    /// Requests a whole answer.
    pub(super) async fn complete(&self, request: &Request) -> Result<Answer, Error> {
        // The timeout covers sending and reading together.
        let received = async {
            let mut response = self.send(request, false).await?;
            self.read(&mut response).await
        };
        let bytes =
            timeout(self.patience(), received).await.map_err(|_| self.failing().timeout())??;
        // Some formats have tool arguments as JSON values, whose large numbers would be lost once the body is parsed.
        let body = str::from_utf8(&bytes).ok();
        let body = body.and_then(|body| serde_json::from_str(&keep_numbers(body).0).ok());
        let body = body.ok_or_else(|| self.failing().bad("it is not valid JSON"))?;
        let draft =
            parse_answer(self.settings.wire, &body).map_err(|flaw| self.failing().flaw(&flaw))?;
        draft.answer(&self.failing())
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
        let mut response = post.send().await.map_err(|error| self.failing().network(&error))?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        // The body of an error is read only for its message, so a failure to read it does not matter.
        let body = error_text(&mut response).await;
        Err(self.failing().status(status, &body, &headers))
    }

    /// Reads a whole body, unless it is too long.
    async fn read(&self, response: &mut Response) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        while let Some(chunk) =
            response.chunk().await.map_err(|error| self.failing().network(&error))?
        {
            bytes.extend_from_slice(&chunk);
            // Measured while reading: a declared length may be absent or wrong.
            if bytes.len() > RESPONSE_BYTES_MAX {
                return Err(self.failing().too_long());
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

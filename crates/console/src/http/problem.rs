//! Errors as browsers get them: the envelope as `application/problem+json`, with a status that fits its code.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use piton_core::{Code, Envelope};
use serde::Serialize;

/// An error with its status.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    envelope: Box<Envelope>,
}

/// An error as RFC 9457 has it, with the fields of the envelope as its extension.
#[derive(Serialize)]
struct ProblemBody<'a> {
    #[serde(rename = "type")]
    kind: String,
    status: u16,
    #[serde(flatten)]
    envelope: &'a Envelope,
}

impl From<Envelope> for Problem {
    fn from(envelope: Envelope) -> Self {
        Self { status: status(envelope.code), envelope: Box::new(envelope) }
    }
}

impl Problem {
    /// Creates an error for which HTTP has a status of its own.
    pub(super) fn with_status(status: StatusCode, envelope: Envelope) -> Self {
        Self { status, envelope: Box::new(envelope) }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = ProblemBody {
            kind: format!("urn:piton:error:{}", self.envelope.code.as_str()),
            status: self.status.as_u16(),
            envelope: &self.envelope,
        };
        let body = serde_json::to_vec(&body).expect("an envelope is made of JSON's own types");
        (self.status, [(CONTENT_TYPE, "application/problem+json")], body).into_response()
    }
}

/// Returns the status for a code: whose fault it is, and whether it passes.
fn status(code: Code) -> StatusCode {
    use Code as C;
    match code {
        C::ConsoleSignInRequired | C::ConsoleLinkInvalid => StatusCode::UNAUTHORIZED,
        C::ConsoleOriginRefused
        | C::BackpackAccessDenied
        | C::ContextForbidden
        | C::WorkspaceScope
        | C::WorkspaceHidden
        | C::WorkspaceProtected
        | C::WorkspacePermission => StatusCode::FORBIDDEN,
        C::StoreNotFound
        | C::SessionNotFound
        | C::TokenUnknownNode
        | C::ModelNotFound
        | C::BackpackKeyMissing
        | C::BackpackUnknownCommit
        | C::BackpackNotFound
        | C::ContextNodeNotFound
        | C::ContextRootNotFound
        | C::ContextFrameNotFound
        | C::ContextUnknownAgent
        | C::WorkspaceUnmapped
        | C::WorkspaceNotFound => StatusCode::NOT_FOUND,
        C::StoreConflict
        | C::SessionLocked
        | C::TokenSessionLocked
        | C::TokenStepPassed
        | C::BackpackLocked
        | C::ContextNodeStale
        | C::WorkspaceConflict
        | C::WorkspaceExists
        | C::WorkspaceNotEmpty => StatusCode::CONFLICT,
        C::WorkspaceTooLarge | C::StoreLimitExceeded | C::WorkspaceLimit => {
            StatusCode::PAYLOAD_TOO_LARGE
        }
        C::StoreFull | C::WorkspaceQuota => StatusCode::INSUFFICIENT_STORAGE,
        C::StoreIo | C::StoreBusy | C::WorkspaceBusy | C::WorkspaceIo | C::ModelUnavailable => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        C::StoreInvariantViolation
        | C::StoreCorruptBlob
        | C::StoreTableDamaged
        | C::StoreUnsupportedVersion
        | C::StoreUnsupportedFilesystem
        | C::SessionNotHealthy
        | C::SessionPoisoned
        | C::KeyringCorrupt
        | C::BackpackDamaged
        | C::ContextIntegrity
        | C::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        // Everything else is about what the caller sent.
        _ => StatusCode::BAD_REQUEST,
    }
}

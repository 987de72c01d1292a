//! Reading of artifacts.
//!
//! *Invariants*: an artifact is named by the digest of its bytes, and the bytes returned have that digest. An agent
//! reads it in parts of bounded size.

use std::collections::BTreeMap;

use piton_core::{Code, Digest, Envelope, SessionId, shorten, truncate};
use piton_workflow::artifact::Artifact;
use piton_workflow::event::OutputPayload;
use piton_workflow::projection::{RecordedOutput, RunNode, RunState, headline};

use super::loaded_session::LoadedSession;
use super::reference::{Meant, Reach, ambiguous, ends};
use super::runtime::Runtime;
use crate::bounds::{
    ARTIFACT_PART_BYTES_MAX, ARTIFACTS_SEARCHED_MAX, HEADLINE_BYTES_MAX, NAME_QUOTED_BYTES_MAX,
};
use crate::connection::Connection;
use crate::reply::{ArtifactPart, SessionArtifact};
use crate::request::{GetArtifact, SessionReference};

/// An artifact of a run, with the node and output that it was submitted in.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    run: &'a RunState,
    node: &'a RunNode,
    output: &'a RecordedOutput,
    digest: Digest,
}

impl Connection {
    /// Returns an artifact, or a part of a large one.
    pub async fn get_artifact(&self, request: &GetArtifact) -> Result<ArtifactPart, Envelope> {
        let digest: Digest = request.digest.trim().parse().map_err(|_| no_digest(request))?;
        let artifact = Artifact::read(&*self.runtime.ports.blobs, digest).await;
        let Artifact { kind, text, .. } = artifact.map_err(|error| match error.code() {
            Code::StoreCorruptBlob => error.envelope().with_suggestion(
                "If you still have its content, submit the artifact once more: that stores it again. Otherwise tell the \
                 person to run `piton doctor`, which shows what it belongs to.",
            ),
            _ => error.envelope(),
        })?;
        let offset = request.offset.unwrap_or_default();
        // The offset comes from the agent. Slicing inside a character would panic.
        if offset > text.len() || !text.is_char_boundary(offset) {
            let message =
                format!("The artifact has {} bytes, and no part begins at {offset}.", text.len());
            let suggestion = "Leave `offset` out, or take it from the reply before.";
            return Err(Envelope::new(Code::ValidationError, message).with_suggestion(suggestion));
        }
        // The kind is free text from the submitter, so it is cut like a headline.
        let kind = kind.as_deref().and_then(headline);
        let kind = kind.map(|kind| shorten(kind, HEADLINE_BYTES_MAX).into_owned());
        let end = text.floor_char_boundary(offset.saturating_add(ARTIFACT_PART_BYTES_MAX));
        Ok(ArtifactPart {
            digest,
            kind,
            bytes: text.len(),
            offset,
            text: text[offset..end].to_owned(),
            next_offset: (end < text.len()).then_some(end),
        })
    }
}

impl Runtime {
    /// Reads a whole artifact of a session. `name` is its digest or the id of its output, the end of either, or its
    /// kind if only one artifact has it.
    pub async fn session_artifact(
        &self,
        reference: &SessionReference,
        name: &str,
    ) -> Result<SessionArtifact, Envelope> {
        let Meant { session, run } = self.meant(reference, Reach::Use).await?;
        let reading = LoadedSession::of(&self.ports, session).await?;
        let runs = reading.state.runs().iter();
        let runs: Vec<_> = runs.filter(|state| run.is_none_or(|run| state.id == run)).collect();
        let mut found = candidates(&runs);
        // Newest first: the search by kind is bounded and should favour recent artifacts.
        found.reverse();
        let named = |candidate: &&Candidate<'_>| {
            ends(&candidate.digest.to_string(), name)
                || ends(&candidate.output.id.to_string(), name)
        };
        let by_name: Vec<_> = found.iter().filter(named).copied().collect();
        let mut unreadable = 0;
        // The kind is inside the blob, so finding it means reading artifacts. That is done only if no id matches.
        let chosen = if by_name.is_empty() {
            let mut of_kind = Vec::new();
            for candidate in found.iter().take(ARTIFACTS_SEARCHED_MAX) {
                match Artifact::read(&*self.ports.blobs, candidate.digest).await {
                    Ok(artifact) if artifact.kind.as_deref() == Some(name) => {
                        of_kind.push(*candidate);
                    }
                    Ok(_) => {}
                    Err(_) => unreadable += 1,
                }
            }
            of_kind
        } else {
            by_name
        };
        // The same bytes may have been submitted several times. The newest submission comes first and wins.
        let mut distinct = BTreeMap::new();
        for candidate in chosen {
            distinct.entry(candidate.digest).or_insert(candidate);
        }
        let chosen: Vec<_> = distinct.into_values().collect();
        let Candidate { run, node, output, digest } = match chosen.as_slice() {
            [one] => *one,
            [] => return Err(nothing(session, name, found.len(), unreadable)),
            several => {
                let lines = several.iter().map(|one| format!("{} ({})", one.digest, one.node.id));
                return Err(ambiguous(name, lines));
            }
        };
        let artifact = Artifact::read(&*self.ports.blobs, digest).await;
        let artifact = artifact.map_err(|error| content_lost(session, error.envelope()))?;
        let Artifact { kind, text, .. } = artifact;
        let content = serde_json::from_str(&text).map_err(|error| {
            let message = format!("The artifact {digest} is no JSON: {error}.");
            Envelope::new(Code::StoreInvariantViolation, message)
        })?;
        let (run_id, node_id, output_id) = (run.id, node.id, output.id);
        Ok(SessionArtifact {
            session_id: session,
            run_id,
            node_id,
            output_id,
            digest,
            kind,
            content,
        })
    }
}

/// Returns every artifact of these runs, oldest first.
fn candidates<'a>(runs: &[&'a RunState]) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for run in runs {
        for node in run.graph.nodes() {
            for output in run.outputs.at_node(node.id) {
                if let OutputPayload::ArtifactRef { sha256, .. } = &output.payload {
                    found.push(Candidate { run, node, output, digest: *sha256 });
                }
            }
        }
    }
    found.sort_by_key(|candidate| candidate.output.index);
    found
}

/// Adds advice to an error about stored content of a session: where the ways to recover it are listed. Other errors
/// pass unchanged. Missing content that a session refers to counts as damage.
pub(crate) fn content_lost(session: SessionId, error: Envelope) -> Envelope {
    if !is_content(error.code) {
        return error;
    }
    let error = match error.code {
        Code::StoreNotFound => Envelope::new(Code::StoreInvariantViolation, error.message),
        _ => error,
    };
    error.with_suggestion(format!(
        "Run `piton session verify {session}`: it lists what is damaged, which other sessions need it, and each way to \
         get it back."
    ))
}

/// True if the error says that stored content of a session is gone or damaged.
fn is_content(code: Code) -> bool {
    matches!(code, Code::StoreCorruptBlob | Code::StoreNotFound | Code::StoreInvariantViolation)
}

fn nothing(session: SessionId, name: &str, artifacts: usize, unreadable: usize) -> Envelope {
    let shown = truncate(name, NAME_QUOTED_BYTES_MAX);
    if unreadable > 0 {
        let message = format!(
            "No artifact of the session that can be read is called `{shown}`; {unreadable} of {artifacts} cannot be \
             read."
        );
        return content_lost(session, Envelope::new(Code::StoreCorruptBlob, message));
    }
    let message = format!("The session has no artifact `{shown}`; it has {artifacts} of them.");
    Envelope::new(Code::StoreNotFound, message).with_suggestion(format!(
        "`piton session show {session}` lists the artifacts with the ends of their digests."
    ))
}

fn no_digest(request: &GetArtifact) -> Envelope {
    let shown = truncate(&request.digest, NAME_QUOTED_BYTES_MAX);
    let message = format!("`{shown}` is no digest: one is `sha256:` and 64 hex digits.");
    Envelope::new(Code::ValidationError, message).with_suggestion(
        "Copy the digest whole from the reply that lists the artifact; continue_workflow with a stateToken lists them.",
    )
}

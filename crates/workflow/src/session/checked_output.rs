//! A submitted output, in the form in which it is judged and recorded.
//!
//! *Invariants*: there is at most one recap, followed by artifacts ordered by digest and content type. The same
//! output is recorded as the same events with the same ids. Blank notes count as none.

use piton_core::{AttemptId, Digest, OutputId, byte_len, canonical};
use piton_store::NewBlob;
use piton_store::port::BlobNamespace;
use serde_json::Value;

use super::derive;
use super::error::Refusal;
use super::reply::ReplyNotice;
use super::request;
use crate::bounds::{
    ARTIFACT_BYTES_MAX, ARTIFACTS_MAX, HANDED_IN_NOTES_BYTES_MAX, NOTES_BYTES_MAX,
};
use crate::engine::Submission;
use crate::event::{ContentType, NodeOutputAppended, OutputPayload};
use crate::output::OutputChannel;

/// An output with a valid form.
#[derive(Debug)]
pub(super) struct CheckedOutput {
    notes: Option<String>,
    artifacts: Vec<Value>,
    payloads: Vec<(Digest, OutputPayload)>,
    blobs: Vec<NewBlob>,
}

impl CheckedOutput {
    /// Checks sizes and counts, and brings everything into the form that is recorded.
    pub(super) fn check(output: Option<request::SubmittedOutput>) -> Result<Self, Refusal> {
        let request::SubmittedOutput { notes_markdown, artifacts } = output.unwrap_or_default();
        let notes = notes_markdown.filter(|notes| !notes.trim().is_empty());
        if let Some(notes) = &notes
            && byte_len(notes) > HANDED_IN_NOTES_BYTES_MAX
        {
            return Err(Refusal::NotesTooLarge { measured: byte_len(notes) });
        }
        if artifacts.len() > ARTIFACTS_MAX {
            return Err(Refusal::TooManyArtifacts { count: artifacts.len() });
        }
        let mut stored = Vec::with_capacity(artifacts.len());
        for (index, artifact) in artifacts.iter().enumerate() {
            stored.push(artifact_blob(index, artifact)?);
        }
        // Ordered by content and without duplicates, the same artifacts give the same events in whatever order they
        // are sent.
        stored.sort_by_key(|(digest, ..)| *digest);
        stored.dedup_by_key(|(digest, ..)| *digest);
        let mut payloads: Vec<_> = notes.iter().map(|notes| recap(notes)).collect();
        let mut blobs = Vec::with_capacity(stored.len());
        for (digest, payload, blob) in stored {
            payloads.push((digest, payload));
            blobs.push(blob);
        }
        Ok(Self { notes, artifacts, payloads, blobs })
    }

    /// Returns the output in the form that the engine judges.
    pub(super) fn submission(&self) -> Submission<'_> {
        Submission { notes: self.notes.as_deref(), artifacts: &self.artifacts }
    }

    /// Returns a notice if less of the notes is kept than was submitted.
    pub(super) fn notice(&self) -> Option<ReplyNotice> {
        let submitted = byte_len(self.notes.as_deref()?);
        (submitted > NOTES_BYTES_MAX).then(|| ReplyNotice::NotesCut {
            message: format!(
                "NOTES_CUT: your notes have {submitted} bytes; the first {NOTES_BYTES_MAX} are kept and shown \
                 later. All of them were judged. Put what must be kept whole into an artifact."
            ),
        })
    }

    /// Returns the artifacts as they were submitted.
    pub(super) fn artifacts(&self) -> &[Value] {
        &self.artifacts
    }

    /// Returns the outputs of `attempt`. Each supersedes one that `standing` lists for the same channel, as far as
    /// there are any. That says nothing about branches: the branch of an output follows from its attempt.
    pub(super) fn outputs(
        &self,
        attempt: AttemptId,
        standing: impl Fn(OutputChannel) -> Vec<OutputId>,
    ) -> Vec<NodeOutputAppended> {
        let mut recaps = standing(OutputChannel::Recap).into_iter();
        let mut artifacts = standing(OutputChannel::Artifact).into_iter();
        let output = |(digest, payload): &(Digest, OutputPayload)| {
            let supersedes_output_id = match payload.channel() {
                OutputChannel::Recap => recaps.next(),
                OutputChannel::Artifact => artifacts.next(),
            };
            let output_id = derive::output(attempt, payload.channel(), *digest);
            NodeOutputAppended { output_id, supersedes_output_id, payload: payload.clone() }
        };
        self.payloads.iter().map(output).collect()
    }

    /// Returns the contents of the artifacts.
    pub(super) fn blobs(&self) -> &[NewBlob] {
        &self.blobs
    }

    /// True if `attempt` submitted this same output when it was recorded.
    pub(super) fn is_what(&self, attempt: AttemptId, recorded: &[OutputId]) -> bool {
        let own = self
            .payloads
            .iter()
            .map(|(digest, payload)| derive::output(attempt, payload.channel(), *digest));
        let own: Vec<_> = own.collect();
        own.len() == recorded.len() && own.iter().all(|id| recorded.contains(id))
    }
}

fn recap(notes: &str) -> (Digest, OutputPayload) {
    let payload = OutputPayload::notes(notes);
    let bytes = canonical::encode(&payload).expect("a text has a canonical form");
    (Digest::of(&bytes), payload)
}

fn artifact_blob(
    index: usize,
    artifact: &Value,
) -> Result<(Digest, OutputPayload, NewBlob), Refusal> {
    if let Some(given) = flaw(artifact) {
        return Err(Refusal::ArtifactForm { index, given });
    }
    let bytes = canonical::encode(artifact)
        .map_err(|error| Refusal::Artifact { index, reason: error.to_string() })?;
    let measured = bytes.len();
    let too_large = Refusal::ArtifactTooLarge { index, measured };
    let byte_length = u32::try_from(measured).ok().filter(|_| measured <= ARTIFACT_BYTES_MAX);
    let byte_length = byte_length.ok_or(too_large)?;
    let blob = NewBlob::canonical(BlobNamespace::Artifacts, bytes);
    let content_type: ContentType = "application/json".parse().expect("it is a content type");
    let sha256 = blob.digest();
    Ok((sha256, OutputPayload::ArtifactRef { sha256, content_type, byte_length }, blob))
}

/// Describes a value that is no artifact, or returns `None` if it is one.
fn flaw(artifact: &Value) -> Option<&'static str> {
    match artifact {
        Value::Object(fields) => match fields.get("kind") {
            Some(Value::String(kind)) if !kind.trim().is_empty() => None,
            Some(Value::String(_)) => Some("an object whose `kind` is empty"),
            Some(_) => Some("an object whose `kind` is no text"),
            None => Some("an object without a `kind`"),
        },
        Value::Null => Some("null"),
        Value::Bool(_) => Some("true or false"),
        Value::Number(_) => Some("a number"),
        Value::String(_) => Some("a text"),
        Value::Array(_) => Some("a list"),
    }
}

//! Artifacts as they are read back: by their digest, checked.

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BlobReader};
use serde::Deserialize;

use crate::bounds::ARTIFACT_SHOWN_BYTES_MAX;
use crate::projection::ArtifactText;

/// An artifact, read whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    pub digest: Digest,
    /// The value of its `kind` field, if it has one.
    pub kind: Option<String>,
    /// Its JSON, as it is stored.
    pub text: String,
}

impl Artifact {
    /// Reads an artifact. A missing or damaged one is an error.
    pub async fn read(blobs: &dyn BlobReader, digest: Digest) -> Result<Self, piton_store::Error> {
        let namespace = BlobNamespace::Artifacts;
        let bytes = blobs.fetch(namespace, digest).await?;
        let kind = serde_json::from_slice::<Kinded>(&bytes).ok().and_then(|named| named.kind);
        // The stored bytes are canonical JSON and their digest was checked, so nothing is lost here.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Self { digest, kind, text })
    }
}

/// The only field of an artifact that is read.
#[derive(Deserialize)]
struct Kinded {
    kind: Option<String>,
}

impl ArtifactText {
    /// Reads as much of an artifact as is shown among others.
    pub async fn read(blobs: &dyn BlobReader, digest: Digest) -> Self {
        match Artifact::read(blobs, digest).await {
            Ok(artifact) if artifact.text.len() <= ARTIFACT_SHOWN_BYTES_MAX => {
                Self::Whole(artifact.kind, artifact.text)
            }
            Ok(artifact) => Self::Large(artifact.kind),
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }
}

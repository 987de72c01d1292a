//! Maintenance: check, repair, clean, export, import, and new keys.
//!
//! *Invariants*: every namespace of blobs has its owner here, which keeps its blobs alive; a new namespace does not
//! compile without one. A cleaning asks nobody else, and leaves a namespace alone if this process was not given its
//! owner.

use std::sync::Arc;

use piton_backpack::journal::blob_roots;
use piton_context::FrameRoots;
use piton_context::check::{SetAside, set_aside_of_all};
use piton_core::{BoundedText, Code, Envelope, SessionId};
use piton_store::JournalRoots;
use piton_store::collect::{CollectMode, SweepReport};
use piton_store::port::BoxFuture;
use piton_store::port::{BlobNamespace, JournalReader, Roots};
use piton_workflow::SessionEvent;
use piton_workflow::bundle::{Bundle, Producer};
use piton_workflow::maintenance::{
    Fate, RetentionDays, artifact_roots, clean, repair, sharing, verify, workflow_roots,
};
use piton_workflow::transfer::{self, TransferError, export, import, remove_unfinished};
use piton_workspaces::virtual_store::VirtualRoots;

use super::artifacts::content_lost;
use super::reference::Reach;
use super::runtime::Runtime;
use crate::reply::{
    CleanedUp, ImportedSession, SetAsideList, SetAsideShown, Soundness, SweptBlobs,
};
use crate::request::SessionReference;

impl Runtime {
    /// Checks a session as the storage medium holds it, and everything that it refers to. Changes nothing.
    pub async fn verify_session(
        &self,
        reference: &SessionReference,
    ) -> Result<Soundness, Envelope> {
        let session = self.meant(reference, Reach::Use).await?.session;
        let journal = &*self.ports.journal;
        let mut found = verify(journal, &*self.ports.blobs, session).await?;
        found.shared_with = sharing(journal, session, &found.broken).await?;
        let (is_sound, summary) = (found.is_sound(), found.summary());
        Ok(Soundness::new(found, is_sound, summary))
    }

    /// True if a session and everything that it refers to is as it was written.
    pub async fn is_session_sound(&self, session: SessionId) -> Result<bool, Envelope> {
        Ok(verify(&*self.ports.journal, &*self.ports.blobs, session).await?.is_sound())
    }

    /// Rebuilds the control records of a damaged session, or rolls it back to its last whole plan. Keeps everything
    /// that it removes.
    pub async fn repair_session(
        &self,
        reference: &SessionReference,
    ) -> Result<Soundness, Envelope> {
        let session = self.meant(reference, Reach::TakeAway).await?.session;
        let done = repair(&*self.ports.journal, &*self.ports.blobs, session).await?;
        let (is_sound, summary) = (done.is_sound(), done.summary());
        Ok(Soundness::new(done.after, is_sound, summary))
    }

    /// Returns everything that repairs and interrupted writes took out of sessions and that is kept.
    pub async fn set_aside(&self) -> Result<SetAsideList, Envelope> {
        let kept = self.ports.journal.set_aside(None).await?;
        Ok(SetAsideList { set_aside: kept.into_iter().map(SetAsideShown::from).collect() })
    }

    /// Returns everything that repairs took out of the context of any project and that the table keeps.
    pub async fn set_aside_of_context(&self) -> Result<Vec<SetAside>, piton_store::Error> {
        match &self.frames {
            Some(frames) => set_aside_of_all(&*frames.table).await,
            None => Ok(Vec::new()),
        }
    }

    /// Removes expired sessions and unreferenced blobs, or only reports what would be removed.
    pub fn clean(&self, intent: CollectMode) -> BoxFuture<'_, Result<CleanedUp, Envelope>> {
        Box::pin(async move {
            let settings = self
                .settings_for(None)
                .map_err(|found| crate::config::ConfigProblem::envelope(&found))?;
            let days = RetentionDays::new(settings.retention_days()).map_err(|error| {
                Envelope::new(Code::ValidationError, format!("`retention.days`: {error}."))
            })?;
            let ports = self.ports.of_sessions();
            let cleaned = clean(ports, days, &self.owners(), intent).await?;
            let removed = cleaned.sessions.iter().filter(|one| one.fate == Fate::Removed);
            let removed: Vec<SessionId> = removed.map(|one| one.session).collect();
            let blobs = cleaned.blobs.iter().filter_map(|(namespace, swept)| match swept {
                SweepReport::Done(counts) => Some(SweptBlobs {
                    namespace: *namespace,
                    kept: counts.kept + counts.young,
                    removed: counts.removed,
                    removed_bytes: counts.removed_bytes,
                }),
                SweepReport::Spared { .. } => None,
            });
            Ok(CleanedUp {
                is_rehearsal: intent == CollectMode::Rehearse,
                removed,
                young: cleaned.count(Fate::Young),
                kept: cleaned.count(Fate::Kept),
                spared: cleaned.count(Fate::Spared),
                blobs: blobs.collect(),
                safe_mode: cleaned.safe_mode,
                warnings: cleaned.warnings,
            })
        })
    }

    /// Exports a session as the bytes of a file. With `salvage`, takes what can be read of a damaged session, to be
    /// looked at only.
    pub async fn export_session(
        &self,
        reference: &SessionReference,
        salvage: bool,
    ) -> Result<Vec<u8>, Envelope> {
        let session = self.meant(reference, Reach::Use).await?.session;
        let producer = Producer {
            app_version: BoundedText::truncated(env!("CARGO_PKG_VERSION")),
            applied_config_hash: Some(self.applied().digest()),
        };
        let ports = self.ports.of_sessions();
        let bytes = if salvage {
            transfer::salvage(ports, session, producer).await?.encode()
        } else {
            let bundle = export(ports, session, producer).await;
            bundle.map_err(|error| content_lost(session, error.envelope()))?.encode()
        };
        Ok(bytes.map_err(TransferError::from)?.as_bytes().to_vec())
    }

    /// Removes what imports that crashed left behind, and returns the sessions.
    pub async fn remove_unfinished_imports(&self) -> Result<Vec<SessionId>, Envelope> {
        Ok(remove_unfinished(self.ports.of_sessions()).await?)
    }

    /// Creates a session from the bytes of a bundle.
    pub async fn import_session(&self, bytes: &[u8]) -> Result<ImportedSession, Envelope> {
        let bundle = Bundle::read(bytes).map_err(TransferError::from)?;
        let imported = import(self.ports.of_sessions(), &bundle).await?;
        Ok(ImportedSession {
            session_id: imported.session,
            renamed_from: imported.renamed_from,
            events: imported.events,
        })
    }

    /// Reads the keys that sign tokens. Fails if they are damaged.
    pub async fn verify_keys(&self) -> Result<(), Envelope> {
        // The signature is made up. Verifying anything at all makes the key ring read its keys.
        self.ports.keys.verify(b"", &[0; 32]).await?;
        Ok(())
    }

    /// Replaces unreadable keys with new ones. Returns the location of the old ones; `None` if they are readable.
    pub async fn repair_keys(&self) -> Result<Option<String>, Envelope> {
        Ok(self.ports.keys.repair().await?)
    }

    /// Creates a new key for tokens. Tokens signed with the key before the last become invalid.
    pub async fn rotate_keys(&self) -> Result<(), Envelope> {
        Ok(self.ports.keys.rotate().await?)
    }

    /// Returns the owners of every namespace.
    fn owners(&self) -> Vec<Box<dyn Roots + '_>> {
        BlobNamespace::ALL.iter().filter_map(|namespace| self.owner(*namespace)).collect()
    }

    /// Returns the owner of a namespace; `None` if this process does not have that part.
    fn owner(&self, namespace: BlobNamespace) -> Option<Box<dyn Roots + '_>> {
        let sessions: &dyn JournalReader<SessionEvent> = &*self.ports.journal;
        // No wildcard: a new namespace must name its owner before this compiles.
        Some(match namespace {
            BlobNamespace::Snapshots => Box::new(JournalRoots::pins(sessions)),
            BlobNamespace::Artifacts => Box::new(artifact_roots(sessions)),
            BlobNamespace::PinnedWorkflows => Box::new(workflow_roots(sessions)),
            BlobNamespace::Backpacks => Box::new(blob_roots(&*self.backpacks.as_ref()?.journal)),
            BlobNamespace::Virtual => Box::new(VirtualRoots::new(Arc::clone(&self.ports.table))),
            BlobNamespace::Context => Box::new(FrameRoots::new(&*self.frames.as_ref()?.table)),
        })
    }
}

//! Records the configuration in force.

use std::sync::Arc;

use piton_core::{Digest, Envelope};
use piton_store::port::{EntryChange, Expect, Key, TableWrite};

use super::runtime::Runtime;

/// Key of the digest in the table.
const KEY: &str = "runtime/applied_config_hash";

impl Runtime {
    /// Records the digest of the configuration that this process uses. A front end does so when it opens.
    pub async fn note_applied(&self) -> Result<Digest, Envelope> {
        let digest = self.applied().digest();
        let noted = self.ports.table.get(KEY.as_bytes()).await?;
        // Most starts find the same configuration, and then nothing is written.
        if noted.is_some_and(|noted| noted.value == digest.to_string().into_bytes()) {
            return Ok(digest);
        }
        let key: Key = Arc::from(KEY.as_bytes());
        let change = EntryChange::Put(digest.to_string().into_bytes());
        let write = TableWrite { key, expect: Expect::Anything, change };
        self.ports.table.commit(vec![write]).await?;
        Ok(digest)
    }
}

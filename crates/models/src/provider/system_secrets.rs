//! Keys on this machine: its environment and its files.
#![expect(clippy::disallowed_methods, reason = "the adapter that reads keys where they lie")]

use std::io::Read as _;

use super::key::{KeyReference, SecretSource};
use crate::bounds::KEY_BYTES_MAX;

/// Reads keys from the environment of this process and from files.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSecrets;

impl SecretSource for SystemSecrets {
    fn read(&self, reference: &KeyReference) -> Result<String, String> {
        match reference {
            KeyReference::Env(name) => std::env::var(name).map_err(|problem| match problem {
                std::env::VarError::NotPresent => "it is not set".to_owned(),
                std::env::VarError::NotUnicode(_) => "it is not text".to_owned(),
            }),
            KeyReference::File(path) => {
                let file = std::fs::File::open(path).map_err(|error| error.kind().to_string())?;
                let mut text = String::new();
                // One byte beyond the limit and a newline are enough to tell that a file is too long.
                let limit = KEY_BYTES_MAX as u64 + 2;
                let read = file.take(limit).read_to_string(&mut text);
                read.map(|_| text).map_err(|error| error.kind().to_string())
            }
        }
    }
}

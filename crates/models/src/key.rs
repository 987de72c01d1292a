//! Keys: references to them, and their handling while a call needs them.
//!
//! *Invariants*: a key is never a setting, only a reference to one is. A [`Secret`] cannot be printed, compared or
//! serialized.

use std::fmt;
#[cfg(feature = "providers")]
use std::io::Read as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bounds::KEY_BYTES_MAX;
use crate::error::Error;
use crate::provider::ProviderName;

/// The location of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyReference {
    /// An environment variable.
    Env(String),
    /// A file that contains nothing else.
    File(PathBuf),
}

impl fmt::Display for KeyReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(formatter, "the environment variable {name}"),
            Self::File(path) => write!(formatter, "the file {}", path.display()),
        }
    }
}

/// Reads the keys that references point to.
pub trait SecretSource: Send + Sync {
    /// Returns the text behind `reference`, or a problem that completes the sentence "the key cannot be read:".
    fn read(&self, reference: &KeyReference) -> Result<String, String>;
}

/// A key.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Reads the key of `provider` behind `reference`.
    pub fn read(
        provider: &ProviderName,
        reference: &KeyReference,
        source: &dyn SecretSource,
    ) -> Result<Self, Error> {
        let lacking = |problem: &str| Error::NotConfigured {
            what: format!("the key of {provider} cannot be read from {reference}: {problem}"),
        };
        let text = source.read(reference).map_err(|problem| lacking(&problem))?;
        // A file usually ends with a newline.
        let key = text.trim();
        if key.is_empty() {
            return Err(lacking("it is empty"));
        }
        if key.len() > KEY_BYTES_MAX {
            return Err(lacking("it is too long for a key"));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(lacking("a key is one line of visible ASCII characters"));
        }
        Ok(Self(key.to_owned()))
    }

    /// Returns the key itself, for the call that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret([key])")
    }
}

/// Reads keys from the environment of this process and from files.
#[cfg(feature = "providers")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSecrets;

#[cfg(feature = "providers")]
#[expect(clippy::disallowed_methods, reason = "the adapter that reads keys where they lie")]
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

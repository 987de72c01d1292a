//! The providers of models.
//!
//! * [`ProviderName`], [`WireFormat`], [`BaseUrl`]: the name, the wire format and the address of a provider.
//! * [`ProviderSettings`]: the complete configuration of a provider.
//! * [`KeyReference`], [`Secret`], [`SecretSource`]: the location of its key, the key, and the reader of keys.

mod key;
mod name;
mod settings;
#[cfg(feature = "providers")]
mod system_secrets;

pub use key::{KeyReference, Secret, SecretSource};
pub use name::{ProviderName, ProviderNameError};
pub use settings::{BaseUrl, BaseUrlError, ProviderSettings, WireFormat, check};

#[cfg(feature = "providers")]
pub use system_secrets::SystemSecrets;

//! Who answers: the providers of models.
//!
//! * [`ProviderName`], [`WireFormat`], [`BaseUrl`]: what a provider is called, speaks, and where it is.
//! * [`ProviderSettings`]: all that is configured of one.
//! * [`KeyReference`], [`Secret`], [`SecretSource`]: where its key lies, the key, and who reads it.

mod base_url;
mod key;
mod name;
mod settings;
#[cfg(feature = "providers")]
mod system_secrets;
mod wire;

pub use base_url::{BaseUrl, BaseUrlError};
pub use key::{KeyReference, Secret, SecretSource};
pub use name::{ProviderName, ProviderNameError};
pub use settings::{ProviderSettings, check};
#[cfg(feature = "providers")]
pub use system_secrets::SystemSecrets;
pub use wire::WireFormat;

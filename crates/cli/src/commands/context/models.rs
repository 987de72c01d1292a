//! Who answers for models.

use std::{path::Path, sync::Arc};

use piton_models::{
    Backoff, ModelClient, Providers, Retrying,
    provider::{KeyReference, SystemSecrets},
};
use piton_runtime::{
    config::section::ModelsSection,
    flows::{self, ModelSettings},
    frames::generate::Asking,
};
use piton_store::local::{SystemClock, SystemTimer};

use crate::{app::App, bounds::SETTINGS_BYTES_MAX, failure::Failure, files};

/// The providers of a file, else of `[models]` in the user's configuration, else those that everybody knows.
pub(super) fn asking(app: &App, file: Option<&Path>) -> Result<Asking, Failure> {
    let settings = match file {
        Some(path) => flows::parse(&files::read_text(path, SETTINGS_BYTES_MAX)?)?,
        None => configured(app)?.unwrap_or_default(),
    };
    let providers = Providers::new(settings.providers, settings.default, Arc::new(SystemSecrets));
    let providers = Arc::new(providers.map_err(|error| error.envelope())?);
    let timer = Arc::new(SystemTimer);
    let models: Arc<dyn ModelClient> =
        Arc::new(Retrying::new(providers, Backoff::default(), Arc::clone(&timer) as _));
    Ok(Asking { models, clock: Arc::new(SystemClock), timer })
}

fn configured(app: &App) -> Result<Option<ModelSettings>, Failure> {
    let sections = app.configuration()?.sections_for::<ModelsSection>(None);
    let Some(found) = sections.map_err(Failure::Configuration)?.pop() else { return Ok(None) };
    let (mut providers, default) =
        found.value.settings().expect("a file is checked when it is read");
    for provider in &mut providers {
        if let Some(KeyReference::File(path)) = &mut provider.key {
            *path = found.directory().join(&*path);
        }
    }
    Ok(Some(ModelSettings { default, providers }))
}

//! The clients of models.

use std::{path::Path, sync::Arc};

use piton_runtime::models::SystemSecrets;
use piton_runtime::{
    context::generate::GenerateSpec,
    models::{ModelSettings, client},
};

use crate::adapters::{SystemClock, SystemTimer};
use crate::{app::App, bounds::SETTINGS_BYTES_MAX, failure::Failure, files};

/// Returns the providers of a file, else those of `[models]` in the user's configuration, else the built-in ones.
pub(super) fn asking(app: &App, file: Option<&Path>) -> Result<GenerateSpec, Failure> {
    let settings = match file {
        Some(path) => ModelSettings::parse(&files::read_text(path, SETTINGS_BYTES_MAX)?)?,
        None => ModelSettings::configured(&app.configuration()?)?,
    };
    let timer = Arc::new(SystemTimer);
    let models = client(settings, Arc::new(SystemSecrets), Arc::clone(&timer) as _)?;
    Ok(GenerateSpec { models, clock: Arc::new(SystemClock), timer })
}

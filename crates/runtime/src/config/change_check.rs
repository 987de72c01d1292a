//! Checks what a change of a setting leads to, before the user's file is written.
//!
//! *Invariants*: what would keep the server from starting, or would hide every run, is refused or needs a confirmation.
//! What may be meant so is allowed, with a warning.
#![expect(clippy::disallowed_methods, reason = "looks at the paths that settings name")]

use std::fs;
use std::net::IpAddr;
use std::path::Path;

use super::edit::EditError;
use super::settings::Settings;
use super::table::SettingKey;
use super::value::{Base, Value};

/// What a person should know about a change, and need not act upon.
pub(super) type Warnings = Vec<String>;

/// Checks `text` as the new value of `key`; without one, the setting is removed. `settings` are those of the user before
/// the change, with the environment.
pub(super) fn check(
    key: SettingKey,
    text: Option<&str>,
    settings: &Settings,
    base: Base<'_>,
) -> Result<Warnings, EditError> {
    let value = text.and_then(|text| key.row().form.of_text(text, base).ok());
    let refused = |reason: String, advice: &str| {
        Err(EditError::Refused { reason, advice: advice.to_owned() })
    };
    match (key, &value) {
        (SettingKey::DataDir, Some(Value::Path(path))) => {
            let is_absolute = text
                .is_some_and(|text| text == "~" || text.starts_with("~/") || text.starts_with('/'));
            if !is_absolute {
                let reason = format!("`{}` is a relative path", text.unwrap_or_default());
                return refused(reason, "Write the whole path, from `/` or `~/` on.");
            }
            if path.exists() && !path.is_dir() {
                let reason = format!("`{}` is not a directory", path.display());
                return refused(reason, "Name a directory.");
            }
            let parent = path.parent().unwrap_or(path);
            if !parent.is_dir() {
                let reason = format!("there is no directory `{}`", parent.display());
                return refused(reason, "Create it first, or name another place.");
            }
            Ok(Vec::new())
        }
        (SettingKey::ProjectDir, Some(Value::Path(path))) if !path.is_dir() => {
            let reason = format!("there is no directory `{}`", path.display());
            refused(reason, "Name a directory that exists.")
        }
        (SettingKey::HttpTokenFile, Some(Value::Path(path))) => match fs::File::open(path) {
            Ok(_) if path.is_file() => Ok(Vec::new()),
            Ok(_) => refused(format!("`{}` is not a file", path.display()), "Name a file."),
            Err(error) => refused(
                format!("`{}` cannot be read: {error}", path.display()),
                "Write a token into it first, for example with `openssl rand -hex 32`; `piton up` does not start \
                 without it.",
            ),
        },
        (SettingKey::WorkflowDirs, Some(Value::Paths(paths))) => {
            let missing = paths.iter().filter(|path| !path.is_dir());
            Ok(missing.map(|path| no_directory(path)).collect())
        }
        (SettingKey::HttpBind, Some(Value::Address(address))) => {
            Ok(unprotected(*address, settings.http_token_file()))
        }
        (SettingKey::HttpTokenFile, None) => Ok(unprotected(settings.http().0, None)),
        _ => Ok(Vec::new()),
    }
}

fn no_directory(path: &Path) -> String {
    format!(
        "There is no directory `{}` yet. Until there is, it is listed as a problem.",
        path.display()
    )
}

/// Returns the warning about an address that other machines reach without a token.
fn unprotected(address: IpAddr, token_file: Option<&Path>) -> Warnings {
    if address.is_loopback() || token_file.is_some() {
        return Vec::new();
    }
    vec![format!(
        "{address} can be reached from other machines, and there is no token that callers must send: `piton up` does \
         not start like this. Set `http.token_file` to a file with a token, or `http.bind` to 127.0.0.1."
    )]
}

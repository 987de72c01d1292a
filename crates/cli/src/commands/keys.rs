//! `piton keys`.

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use crate::app::{App, Outcome};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Sign new tokens with a new key
    #[command(after_help = "Example:\n  piton keys rotate")]
    Rotate,
    /// Verify that the keys can be read; nothing is changed
    #[command(after_help = "Example:\n  piton keys verify")]
    Verify,
    /// Replace unreadable keys with new ones, and keep the damaged file
    #[command(after_help = "Example:\n  piton keys repair")]
    Repair,
}

const NO_KEYS: &str = "\
There are no keys. The next token creates them.
Earlier tokens, if there were any, no longer work. No run is lost: an agent gets new tokens with resume_session.";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepairedKeys {
    is_sound: bool,
    has_keys: bool,
    /// Path of the damaged file, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        match self {
            Self::Rotate => {
                open.wait(open.runtime.rotate_keys())?;
                app.output.print("New tokens are signed with a new key.");
                app.output.print("Tokens signed with the previous key still work; older ones do not. An agent gets new ones with resume_session.");
                app.output.finish("piton.keys.rotate/1", &json!({ "rotated": true }))
            }
            Self::Verify => {
                open.wait(open.runtime.verify_keys())?;
                let has_keys = open.adapters.has_keys();
                app.output.print(if has_keys { "The keys can be read." } else { NO_KEYS });
                let reply = RepairedKeys { is_sound: true, has_keys, kept: None };
                app.output.finish("piton.keys.verify/1", &reply)
            }
            Self::Repair => {
                let kept = open.wait(open.runtime.repair_keys())?;
                match &kept {
                    None if !open.adapters.has_keys() => app.output.print(NO_KEYS),
                    None => app.output.print("The keys can be read. Nothing was changed."),
                    Some(kept) => {
                        let root = app.display_path(open.root());
                        app.output.print("New tokens are signed with new keys. No run is lost, but tokens signed with the old keys stop working.");
                        app.output.print("An agent gets new ones with resume_session.");
                        writeln!(app.output, "The damaged file is kept: {root}/{kept}");
                    }
                }
                let reply =
                    RepairedKeys { is_sound: true, has_keys: open.adapters.has_keys(), kept };
                app.output.finish("piton.keys.repair/1", &reply)
            }
        }
    }
}

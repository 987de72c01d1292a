//! Resolution of the backpack that a person names.
//!
//! *Invariants*: an ambiguous name is refused, and the error lists the candidates.

use std::fmt::Write as _;

use piton_backpack::BackpackId;
use piton_backpack::flow::RunRecord;
use piton_core::{Code, Envelope, truncate};

use super::backpacks::Backpacks;
use super::search::Searched;
use crate::bounds::{CANDIDATES_LISTED_MAX, ID_ENDING_BYTES_MIN, PATH_QUOTED_BYTES_MAX};
use crate::nearest::nearest;

/// Prefix of the ids that Piton generates.
const MINTED: &str = "pack_";

/// A backpack as a person names it: by its name, by the start of its id, or by the id of the last run on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackpackReference(pub String);

/// Returns the start of an id for lists: generated ids are longer than anyone types.
pub(super) fn short(id: &BackpackId) -> String {
    const DIGITS: usize = 8;
    let text = id.as_str();
    match text.strip_prefix(MINTED) {
        Some(digits) if digits.len() > DIGITS => digits[..DIGITS].to_owned(),
        _ => text.to_owned(),
    }
}

impl Backpacks {
    /// Returns the backpack that a reference names.
    pub async fn meant(&self, reference: &BackpackReference) -> Result<BackpackId, Envelope> {
        let text = reference.0.trim();
        let streams = self.ports.journal.streams().await.map_err(|error| error.envelope())?;
        let ids: Vec<BackpackId> = streams.into_iter().map(BackpackId::from).collect();
        // An exact id wins even if it is also the start of another one.
        if let Some(exact) = ids.iter().find(|id| id.as_str() == text) {
            return Ok(exact.clone());
        }
        let mut found: Vec<BackpackId> =
            ids.iter().filter(|id| begins(id, text)).cloned().collect();
        let mut caveat = String::new();
        // Finding a run means reading backpacks, so it comes last and only for texts that look like the id of a run.
        if found.is_empty() && text.starts_with("run_") {
            let searched = self.searched().await?;
            found = self.with_run(text, &searched).await;
            caveat = searched.caveat();
        }
        match found.as_slice() {
            [id] => Ok(id.clone()),
            [] => Err(nothing(text, &caveat, &ids)),
            several => Err(ambiguous(text, several)),
        }
    }

    /// Returns the backpacks whose last run has an id that starts with `text`.
    async fn with_run(&self, text: &str, searched: &Searched) -> Vec<BackpackId> {
        let mut found = Vec::new();
        for id in &searched.ids {
            // An unreadable backpack has no run that could be meant.
            let Ok(backpack) = self.read(id).await else { continue };
            let record = RunRecord::of(&backpack).ok().flatten();
            if record.is_some_and(|record| record.run.to_string().starts_with(text)) {
                found.push(id.clone());
            }
        }
        found
    }
}

fn begins(id: &BackpackId, text: &str) -> bool {
    let id = id.as_str();
    let digits = id.strip_prefix(MINTED).unwrap_or(id);
    let enough = text.strip_prefix(MINTED).unwrap_or(text).len() >= ID_ENDING_BYTES_MIN;
    enough && (id.starts_with(text) || digits.starts_with(text))
}

fn nothing(text: &str, caveat: &str, ids: &[BackpackId]) -> Envelope {
    let shown = truncate(text, PATH_QUOTED_BYTES_MAX);
    let message = format!("There is no backpack or run `{shown}` in this data directory.{caveat}");
    let envelope = Envelope::new(Code::BackpackNotFound, message);
    match nearest(text, ids.iter().map(BackpackId::as_str)).as_slice() {
        [] => envelope.with_suggestion("`piton backpack list` shows which there are."),
        close => envelope.with_suggestion(format!(
            "Did you mean {}? `piton backpack list` shows all.",
            close.join(" or ")
        )),
    }
}

fn ambiguous(text: &str, several: &[BackpackId]) -> Envelope {
    let shown = truncate(text, PATH_QUOTED_BYTES_MAX);
    let mut message = format!("`{shown}` fits {} of them:", several.len());
    for id in several.iter().take(CANDIDATES_LISTED_MAX) {
        write!(message, "\n  {id}").expect("writing to a string does not fail");
    }
    let more = several.len().saturating_sub(CANDIDATES_LISTED_MAX);
    if more > 0 {
        write!(message, "\n  and {more} more").expect("writing to a string does not fail");
    }
    Envelope::new(Code::ValidationError, message).with_suggestion("Name one by its whole id.")
}

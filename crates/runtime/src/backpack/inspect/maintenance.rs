//! Checking and repairing backpacks.

use std::fmt::Write as _;

use piton_backpack::journal::{BackpackRepaired, Checked, Holder, check, repair};
use piton_backpack::{BackpackId, Key};
use piton_core::{Envelope, shorten};
use piton_store::port::Blobs;
use schemars::JsonSchema;
use serde::Serialize;

use super::backpacks::Backpacks;
use super::reference::BackpackReference;
use crate::bounds::{CANDIDATES_LISTED_MAX, PATH_QUOTED_BYTES_MAX};

/// The result of checking or repairing a backpack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackSoundness {
    pub backpack: BackpackId,
    /// True if no part of it is damaged.
    pub is_sound: bool,
    /// Number of bytes that an incomplete write left at the end of the log.
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished_bytes: u64,
    /// Number of events that the log is known to have had and that a repair found missing or unusable.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_events: u64,
    /// Findings, or the work done, in words for a person.
    pub summary: String,
    /// The next thing to do, if anything needs to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Keys whose values are damaged, or that were taken out of use for that reason.
    pub keys: Vec<Key>,
    /// Locations of everything that a repair moved away, relative to the data directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

impl BackpackSoundness {
    /// Returns a verdict that says nothing yet but that something is wrong.
    fn unsound(backpack: BackpackId) -> Self {
        Self {
            backpack,
            is_sound: false,
            unfinished_bytes: 0,
            lost_events: 0,
            summary: String::new(),
            next: None,
            keys: Vec::new(),
            kept: Vec::new(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Backpacks {
    /// Checks one backpack, or every one, as the storage medium holds it. Changes nothing.
    pub async fn verify(
        &self,
        reference: Option<&BackpackReference>,
    ) -> Result<Vec<BackpackSoundness>, Envelope> {
        if let Some(reference) = reference {
            let id = self.meant(reference).await?;
            return Ok(vec![self.verified(&id).await?]);
        }
        let streams = self.ports.journal.streams().await.map_err(|error| error.envelope())?;
        let mut verdicts = Vec::with_capacity(streams.len());
        for id in streams.into_iter().map(BackpackId::from) {
            verdicts.push(match self.verified(&id).await {
                Ok(verdict) => verdict,
                // A backpack that cannot be checked at all must not prevent the others from being checked.
                Err(error) => BackpackSoundness {
                    summary: error.message,
                    next: Some(error.suggestion),
                    ..BackpackSoundness::unsound(id)
                },
            });
        }
        Ok(verdicts)
    }

    async fn verified(&self, id: &BackpackId) -> Result<BackpackSoundness, Envelope> {
        Ok(verdict(id, check(&self.ports, id).await?))
    }

    /// Makes a damaged backpack usable again, and keeps everything that it moves away.
    pub async fn repair(
        &self,
        reference: &BackpackReference,
        blobs: &dyn Blobs,
    ) -> Result<BackpackSoundness, Envelope> {
        let id = self.meant(reference).await?;
        let holder = Holder::truncated("piton backpack repair");
        let done = repair(&self.ports, blobs, &id, holder).await?;
        let (summary, kept) = (repaired(&id, &done), kept(&id, &done));
        let mut verdict = if done.events == 0 {
            // No event survived, so there is nothing left to check.
            let next = "Restore it from a backup, or start again. Its name is free: the next write starts a new \
                        backpack under it";
            let next = Some(next.to_owned());
            BackpackSoundness {
                lost_events: done.lost,
                next,
                kept,
                ..BackpackSoundness::unsound(id)
            }
        } else {
            // Checks the log again after the repair: the verdict reports what is on the medium now, not what was
            // intended.
            let verified = self.verified(&id).await?;
            BackpackSoundness { kept, lost_events: done.lost, ..verified }
        };
        let is_whole = verdict.is_sound && verdict.unfinished_bytes == 0;
        verdict.summary = match summary {
            Some(done) if is_whole => done,
            Some(done) => format!("{done} {}", verdict.summary),
            None if is_whole => {
                format!("The backpack {} is sound. Nothing was changed.", verdict.backpack)
            }
            None => format!("{} Nothing was changed.", verdict.summary),
        };
        // The check lists damaged keys. A sound backpack has none, so the keys that the repair took out of use are
        // listed.
        if verdict.is_sound {
            verdict.keys = done.taken_out;
        }
        Ok(verdict)
    }
}

fn verdict(id: &BackpackId, found: Checked) -> BackpackSoundness {
    let is_sound = found.is_sound();
    let events = found.events;
    let mut problems = Vec::new();
    if found.health.is_newer() {
        problems.push(format!("a newer Piton wrote it: {}", found.health));
    } else if !found.health.is_healthy() {
        problems.push(found.health.to_string());
    }
    problems.extend(found.contradiction.clone());
    if !found.damaged.is_empty() {
        let (count, names) = (found.damaged.len(), listed(&found.damaged));
        let are = if count == 1 { "the value of 1 key is" } else { "the values of some keys are" };
        problems.push(format!("{are} damaged, while every other key works: {names}"));
    }
    if found.damaged_past > 0 {
        problems.push(format!("earlier values are damaged: {}", found.damaged_past));
    }
    // An unfinished tail alone is not damage: a crash leaves one, and the next write sets it aside.
    let unfinished_bytes = found.torn_tail.map_or(0, |torn| torn.bytes);
    let mut summary = if !is_sound {
        format!("The backpack {id} is damaged: {}.", problems.join("; "))
    } else if unfinished_bytes == 0 {
        format!("The backpack {id} is sound: {events} events, every byte as it was written.")
    } else {
        format!("The backpack {id} has {events} whole events.")
    };
    if found.lost_past > 0 {
        write!(summary, " Earlier values that are gone and cannot be shown: {}.", found.lost_past)
            .expect("writing to a string does not fail");
    }
    if unfinished_bytes > 0 {
        write!(
            summary,
            " Behind them are {unfinished_bytes} bytes of a write that did not end. A crash leaves that, and then nothing \
             that was acknowledged is missing. If something else cut the file, what followed is lost. The next write \
             sets these bytes aside."
        )
        .expect("writing to a string does not fail");
    }
    let next = if is_sound {
        None
    } else if found.health.is_newer() {
        Some("Upgrade Piton: nothing was changed".to_owned())
    } else if found.contradiction.is_some() {
        Some("Fork or start it again under another name: its log is kept as it is".to_owned())
    } else {
        Some(format!("Fix it: piton backpack repair {id}"))
    };
    let (keys, unsound) = (found.damaged, BackpackSoundness::unsound(id.clone()));
    BackpackSoundness { is_sound, unfinished_bytes, summary, next, keys, ..unsound }
}

/// Describes the work of a repair for a person. Returns `None` if there was nothing to do.
fn repaired(id: &BackpackId, done: &BackpackRepaired) -> Option<String> {
    let mut steps = Vec::new();
    let ends = format!("The backpack {id} ends after its {} whole events.", done.events);
    // The log as it was is kept only if something was cut off. Events may also be lost without a cut, when the file
    // itself is short.
    match (&done.cut_off, done.events) {
        (Some(cut_off), 0) => steps.push(format!(
            "Nothing of the backpack {id} can be used. All of it is in backpacks/{id}/{cut_off}."
        )),
        (Some(cut_off), _) => {
            steps.push(format!("{ends} The whole log as it was is in backpacks/{id}/{cut_off}."));
        }
        (None, 0) => steps.push(format!(
            "The log of the backpack {id} is gone, and nothing of it is left to repair."
        )),
        (None, _) if done.lost > 0 => steps.push(ends),
        (None, _) => {}
    }
    if done.lost > 0 {
        let had = done.events + done.lost;
        steps.push(match done.lost {
            1 => format!("It had {had} events; the last one is no longer part of it."),
            lost => format!("It had {had} events; the last {lost} are no longer part of it."),
        });
    }
    if !done.taken_out.is_empty() {
        steps.push(format!(
            "Keys with damaged values are out of use and can be packed again: {}.",
            listed(&done.taken_out)
        ));
    }
    if !done.set_aside.is_empty() {
        steps.push(format!("Damaged files are in damaged/backpacks: {}.", done.set_aside.len()));
    }
    (!steps.is_empty()).then(|| steps.join(" "))
}

/// Returns the locations of everything that was moved away.
fn kept(id: &BackpackId, done: &BackpackRepaired) -> Vec<String> {
    let cut_off = done.cut_off.iter().map(|name| format!("backpacks/{id}/{name}"));
    cut_off.chain(done.set_aside.iter().cloned()).collect()
}

/// Lists the first few keys and the number of those left out.
fn listed(keys: &[Key]) -> String {
    let first = keys.iter().take(CANDIDATES_LISTED_MAX);
    let first = first.map(|key| format!("`{}`", shorten(key.as_str(), PATH_QUOTED_BYTES_MAX)));
    let first = first.collect::<Vec<_>>().join(", ");
    match keys.len().saturating_sub(CANDIDATES_LISTED_MAX) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

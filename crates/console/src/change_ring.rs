//! Hints that something changed, as the page gets them: numbered, paced, and the last of them kept.
//!
//! A hint names what changed and carries no content: the page asks again for what it shows.
//!
//! *Invariants*: a page that was away gets every hint since, or learns that some are missing. Of one thing, no two
//! hints are closer together than [`HINT_EVERY`], and the last one always comes. None comes before [`HINT_DELAY`].

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use piton_runtime::{ChangeHint, ChangedPart};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bounds::{HINT_DELAY, HINT_EVERY, HINTS_KEPT};

piton_core::closed_set! {
    /// The kind of thing that changed.
    pub enum ChangeScope {
        /// A session, with its runs.
        Run => "run",
        Backpack => "backpack",
        /// Files of Workspaces, overlays and records about them.
        Files => "files",
        /// Frames, or the tree of a project.
        Context => "context",
        Workflows => "workflows",
        Settings => "settings",
    }
}

/// Tells a page that something may have changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeNotice {
    pub scope: ChangeScope,
    /// The id of what changed. Without one, anything of the kind may have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The position after the change, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl ChangeNotice {
    /// Returns what a page learns of a hint.
    pub fn of(hint: ChangeHint) -> Vec<Self> {
        let ChangeHint { part, name, cursor } = hint;
        let unnamed = |scope| Self { scope, name: None, cursor: None };
        match part {
            ChangedPart::Session => vec![Self { scope: ChangeScope::Run, name, cursor }],
            ChangedPart::Backpack => vec![Self { scope: ChangeScope::Backpack, name, cursor }],
            // Pages know what a table holds and not its name: one holds frames, the others files and records about them.
            ChangedPart::Table => match name.as_deref() {
                None => vec![unnamed(ChangeScope::Context), unnamed(ChangeScope::Files)],
                Some("context") => vec![unnamed(ChangeScope::Context)],
                Some(_) => vec![unnamed(ChangeScope::Files)],
            },
            ChangedPart::Workflows => vec![unnamed(ChangeScope::Workflows)],
            ChangedPart::Settings => vec![unnamed(ChangeScope::Settings)],
        }
    }
}

/// The newest notices, with their numbers.
#[derive(Debug)]
pub struct ChangeRing {
    /// Tells the numbers of this process from those of an earlier one.
    process: String,
    /// Number of the first notice that is kept, or of the next one.
    oldest: u64,
    kept: VecDeque<ChangeNotice>,
}

/// What a page at some position gets next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RingEntry {
    /// Notices are missing: look at everything.
    Reset,
    Notice(ChangeNotice),
}

impl ChangeRing {
    /// Creates an empty ring for a process.
    pub fn new(process: String) -> Self {
        Self { process, oldest: 1, kept: VecDeque::new() }
    }

    /// Returns the number of the next notice.
    pub fn next_number(&self) -> u64 {
        self.oldest + self.kept.len() as u64
    }

    /// Keeps a notice. The oldest makes room.
    pub fn push(&mut self, notice: ChangeNotice) {
        if self.kept.len() == HINTS_KEPT {
            self.kept.pop_front();
            self.oldest += 1;
        }
        self.kept.push_back(notice);
    }

    /// Records that notices were lost. Whoever waits for the next one learns it.
    pub fn lose(&mut self) {
        // The loss takes a number of its own, so that a page which was told of it is not told again.
        self.oldest = self.next_number() + 1;
        self.kept.clear();
    }

    /// Returns what comes at a position, and the position behind it; `None` if nothing is there yet.
    pub fn at(&self, position: u64) -> Option<(RingEntry, u64)> {
        let Some(index) = position.checked_sub(self.oldest) else {
            return Some((RingEntry::Reset, self.oldest));
        };
        let notice = self.kept.get(usize::try_from(index).ok()?)?;
        Some((RingEntry::Notice(notice.clone()), position + 1))
    }

    /// Returns the id of the event before a position, which a page sends to continue there.
    pub fn id(&self, position: u64) -> String {
        format!("{}-{}", self.process, position - 1)
    }

    /// Returns the position after an event that a page has seen. An id that is not of this process, or not of the past,
    /// leads to a reset.
    pub fn position(&self, last_event_id: &str) -> u64 {
        let own = last_event_id.strip_prefix(&self.process).and_then(|rest| rest.strip_prefix('-'));
        let seen = own.and_then(|number| number.parse::<u64>().ok());
        let position = seen.and_then(|seen| seen.checked_add(1));
        position.filter(|position| *position <= self.next_number()).unwrap_or(0)
    }
}

/// Holds back notices about things that were just reported.
#[derive(Debug, Default)]
pub struct ChangePacer(HashMap<(ChangeScope, Option<String>), Paced>);

#[derive(Debug)]
struct Paced {
    /// When the next notice may pass.
    free_at: Duration,
    /// The newest notice that waits for it.
    waiting: Option<ChangeNotice>,
}

impl ChangePacer {
    /// Keeps a notice until its time. A later one replaces it.
    pub fn offer(&mut self, notice: ChangeNotice, now: Duration) {
        let thing = (notice.scope, notice.name.clone());
        let quiet = Paced { free_at: now + HINT_DELAY, waiting: None };
        self.0.entry(thing).or_insert(quiet).waiting = Some(notice);
    }

    /// Returns the notices whose time has come, and forgets things that were quiet.
    pub fn due(&mut self, now: Duration) -> Vec<ChangeNotice> {
        let mut due = Vec::new();
        self.0.retain(|_, paced| {
            if now < paced.free_at {
                return true;
            }
            let waiting = paced.waiting.take();
            paced.free_at = now + HINT_EVERY;
            let is_busy = waiting.is_some();
            due.extend(waiting);
            is_busy
        });
        due
    }

    /// Returns the time at which [`due`](Self::due) has something to do.
    pub fn next_due(&self) -> Option<Duration> {
        self.0.values().map(|paced| paced.free_at).min()
    }

    /// Forgets everything, also what waits.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str) -> ChangeNotice {
        ChangeNotice { scope: ChangeScope::Run, name: Some(name.to_owned()), cursor: None }
    }

    /// Everything that a page at `position` gets.
    fn rest(ring: &ChangeRing, mut position: u64) -> Vec<RingEntry> {
        let mut all = Vec::new();
        while let Some((entry, next)) = ring.at(position) {
            all.push(entry);
            position = next;
        }
        all
    }

    #[test]
    fn a_page_continues_where_it_was() {
        let mut ring = ChangeRing::new("p".to_owned());
        let start = ring.next_number();
        assert_eq!(rest(&ring, start), []);
        ring.push(run("a"));
        let after_a = ring.id(ring.next_number());
        ring.push(run("b"));
        assert_eq!(after_a, "p-1");
        assert_eq!(rest(&ring, ring.position(&after_a)), [RingEntry::Notice(run("b"))]);
        assert_eq!(rest(&ring, ring.position("p-2")), []);
    }

    #[test]
    fn an_id_of_elsewhere_or_of_the_future_is_answered_by_a_reset() {
        let mut ring = ChangeRing::new("p".to_owned());
        ring.push(run("a"));
        for id in ["q-1", "p-2", "p-", "p", "", "p-18446744073709551615", "p1"] {
            let rest = rest(&ring, ring.position(id));
            assert_eq!(rest, [RingEntry::Reset, RingEntry::Notice(run("a"))], "{id}");
        }
    }

    #[test]
    fn a_page_that_was_away_for_too_long_is_told_so() {
        let mut ring = ChangeRing::new("p".to_owned());
        for number in 0..=HINTS_KEPT {
            ring.push(run(&number.to_string()));
        }
        let all = rest(&ring, ring.position("p-0"));
        assert_eq!(all[0], RingEntry::Reset);
        assert_eq!(all.len(), HINTS_KEPT + 1);
        let all = rest(&ring, ring.position("p-1"));
        assert_eq!(all.len(), HINTS_KEPT, "nothing is missing behind the first");
        assert_eq!(all[0], RingEntry::Notice(run("1")));
    }

    #[test]
    fn a_loss_is_told_once() {
        let mut ring = ChangeRing::new("p".to_owned());
        ring.push(run("a"));
        let waiting = ring.next_number();
        ring.lose();
        let (entry, next) = ring.at(waiting).unwrap();
        assert_eq!(entry, RingEntry::Reset);
        assert_eq!(ring.at(next), None);
        assert_eq!(rest(&ring, ring.position(&ring.id(next))), []);
        ring.push(run("b"));
        assert_eq!(rest(&ring, next), [RingEntry::Notice(run("b"))]);
    }

    #[test]
    fn one_thing_is_reported_at_most_once_in_its_time_and_the_last_change_always_comes() {
        let mut pacer = ChangePacer::default();
        let ms = Duration::from_millis;
        pacer.offer(run("a"), ms(0));
        assert_eq!(pacer.next_due(), Some(HINT_DELAY));
        assert_eq!(pacer.due(HINT_DELAY.saturating_sub(ms(1))), [], "the agent's call comes first");
        assert_eq!(pacer.due(HINT_DELAY), [run("a")]);
        let next = HINT_DELAY + HINT_EVERY;
        for at in 1..100 {
            pacer.offer(run("a"), HINT_DELAY + ms(at));
        }
        pacer.offer(run("b"), next.saturating_sub(HINT_DELAY));
        assert_eq!(pacer.due(next.saturating_sub(ms(1))), []);
        let mut due = pacer.due(next);
        due.sort_by(|one, other| one.name.cmp(&other.name));
        assert_eq!(due, [run("a"), run("b")], "another thing is not held back");
        pacer.offer(run("a"), next + ms(50));
        assert_eq!(pacer.due(next + HINT_EVERY), [run("a")], "the late one counts as well");
        pacer.due(next + 2 * HINT_EVERY);
        assert_eq!(pacer.next_due(), None, "what is quiet is forgotten");
    }
}

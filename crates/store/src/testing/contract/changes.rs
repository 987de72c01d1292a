//! The promise of [`Changes`].

use std::time::Duration;

use tokio::time::timeout;

use crate::bounds::CHANGES_WAITING_MAX;
use crate::port::{Change, ChangeHint, ChangeWatch, ChangedPart, Changes};

/// Time within which a change is reported. Adapters that look in turn need some seconds.
const REPORT_WAIT: Duration = Duration::from_secs(20);

/// The adapter, and something that makes the changes that it reports.
pub trait ChangesRig {
    fn changes(&self) -> &dyn Changes;

    /// Changes something: the stream of this name, or anything of a part that has no names.
    fn make_change(&self, part: ChangedPart, name: &str) -> impl Future<Output = ()>;
}

/// Checks every sentence of the promise. `make` returns an adapter over an empty store.
pub async fn suite<R: ChangesRig>(make: impl AsyncFn() -> R) {
    a_change_of_each_part_is_reported(&make().await).await;
    something_that_appears_is_reported_and_so_is_its_next_change(&make().await).await;
    every_watch_hears_of_every_change(&make().await).await;
    a_wait_that_is_given_up_loses_nothing(&make().await).await;
    a_watch_that_is_not_read_holds_a_bounded_number_of_changes(&make().await).await;
}

async fn watch(rig: &impl ChangesRig) -> Box<dyn ChangeWatch> {
    rig.changes().watch().await.expect("changes can be watched")
}

/// True if a change says, or may say, that this thing changed.
fn covers(change: &Change, part: ChangedPart, name: &str) -> bool {
    match change {
        Change::Lost => true,
        Change::Hint(ChangeHint { part: found, name: named, .. }) => {
            *found == part && named.as_deref().is_none_or(|named| named == name)
        }
    }
}

/// Waits until a change of this thing is reported.
async fn hear_of(watch: &mut dyn ChangeWatch, part: ChangedPart, name: &str) {
    let heard =
        async { while !covers(&watch.next().await.expect("the watch goes on"), part, name) {} };
    timeout(REPORT_WAIT, heard)
        .await
        .unwrap_or_else(|_| panic!("nothing was heard of {part} {name}"));
}

async fn a_change_of_each_part_is_reported(rig: &impl ChangesRig) {
    let mut watch = watch(rig).await;
    for part in ChangedPart::ALL {
        rig.make_change(*part, "one").await;
        hear_of(&mut *watch, *part, "one").await;
    }
}

async fn something_that_appears_is_reported_and_so_is_its_next_change(rig: &impl ChangesRig) {
    let part = ChangedPart::Session;
    rig.make_change(part, "old").await;
    let mut watch = watch(rig).await;
    for name in ["new", "old", "new", "newer", "old"] {
        rig.make_change(part, name).await;
        hear_of(&mut *watch, part, name).await;
    }
}

async fn every_watch_hears_of_every_change(rig: &impl ChangesRig) {
    let (mut one, mut other) = (watch(rig).await, watch(rig).await);
    rig.make_change(ChangedPart::Backpack, "shared").await;
    for watch in [&mut one, &mut other] {
        hear_of(&mut **watch, ChangedPart::Backpack, "shared").await;
    }
    drop(one);
    rig.make_change(ChangedPart::Session, "later").await;
    hear_of(&mut *other, ChangedPart::Session, "later").await;
}

async fn a_wait_that_is_given_up_loses_nothing(rig: &impl ChangesRig) {
    let mut watch = watch(rig).await;
    for _ in 0..3 {
        // Nothing changes, so the wait is given up; hints that come nevertheless are about nothing.
        let _ = timeout(Duration::from_millis(5), watch.next()).await;
    }
    rig.make_change(ChangedPart::Session, "one").await;
    hear_of(&mut *watch, ChangedPart::Session, "one").await;
}

async fn a_watch_that_is_not_read_holds_a_bounded_number_of_changes(rig: &impl ChangesRig) {
    let mut watch = watch(rig).await;
    // Few things change often: their changes may be joined, or be lost together, and are never more than the bound.
    for number in 0..20 {
        rig.make_change(ChangedPart::Session, &format!("s{}", number % 3)).await;
    }
    hear_of(&mut *watch, ChangedPart::Session, "s1").await;
    let mut count = 1;
    while timeout(Duration::from_millis(200), watch.next()).await.is_ok() {
        count += 1;
    }
    assert!(count <= CHANGES_WAITING_MAX, "{count}");
}

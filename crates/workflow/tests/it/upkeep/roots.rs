//! What keeps artifacts and pinned workflows alive.

use std::collections::BTreeSet;

use piton_core::Digest;
use piton_store::AppendPlan;
use piton_store::port::{BlobNamespace, Roots as _};
use piton_workflow::maintenance::{artifact_roots, workflow_roots};

use crate::carry::store::Store;
use crate::carry::tale::Tale;
use crate::token::samples::ready;

fn blobs(tale: &Tale, namespace: BlobNamespace) -> BTreeSet<Digest> {
    let own = tale.blobs.iter().filter(|blob| blob.namespace() == namespace);
    own.map(piton_store::NewBlob::digest).collect()
}

#[test]
fn every_artifact_and_workflow_that_an_event_names_is_a_root() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    let journal = store.journal.as_ref();
    for roots in [artifact_roots(journal), workflow_roots(journal)] {
        let (found, _) = ready(roots.roots(None)).unwrap();
        let found: BTreeSet<Digest> = found.into_iter().collect();
        assert!(!found.is_empty());
        assert_eq!(found, blobs(&tale, roots.namespace()), "{}", roots.namespace());
    }
}

#[test]
fn a_later_reading_gives_what_came_since_and_all_of_a_session_that_is_new() {
    let (store, mut tale) = (Store::in_memory(1), Tale::rich(7));
    let all = blobs(&tale, BlobNamespace::Artifacts);
    let newest = tale.plans.pop().unwrap();
    store.write(&tale);
    let roots = artifact_roots(store.journal.as_ref());
    let (before, cursor) = ready(roots.roots(None)).unwrap();
    assert_eq!(ready(roots.roots(Some(&cursor))).unwrap().0, []);
    let stream = tale.session.into();
    let lease = ready(store.journal.lease(&stream)).unwrap();
    ready(store.journal.append(&lease.writer(), AppendPlan::new(newest))).unwrap();
    let (since, cursor) = ready(roots.roots(Some(&cursor))).unwrap();
    assert!(!since.is_empty() && since.len() < all.len());
    let both: BTreeSet<Digest> = before.into_iter().chain(since).collect();
    assert_eq!(both, all);
    // Another session has come, and the first was written anew under its name.
    ready(store.journal.delete(lease)).unwrap();
    let other = Tale::rich(8);
    store.write(&other);
    store.write(&tale);
    let (anew, cursor) = ready(roots.roots(Some(&cursor))).unwrap();
    assert!(anew.len() > all.len(), "all of the other, and all of the first");
    let lease = ready(store.journal.lease(&stream)).unwrap();
    ready(store.journal.delete(lease)).unwrap();
    let (left, cursor) = ready(roots.roots(Some(&cursor))).unwrap();
    assert_eq!((left.len(), cursor.len()), (0, 1), "the one that was deleted is gone");
}

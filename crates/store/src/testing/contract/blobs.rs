//! The promise of [`Blobs`].

use std::time::Duration;

use piton_core::{Digest, FileBytes};

use crate::bounds::BLOB_BYTES_MAX;
use crate::port::{BlobEntry, BlobNamespace, Blobs, Lease, Leases, Mode, Patience};
use crate::{Error, LeaseName, collect};

const HOUR: Duration = Duration::from_hours(1);

/// An adapter, and what a test does to it behind its back.
pub trait Subject {
    /// Returns the blobs.
    fn blobs(&self) -> &dyn Blobs;

    /// Returns the leases that belong to the blobs.
    fn leases(&self) -> &dyn Leases;

    /// Makes everything that exists now that much older.
    fn let_pass(&self, time: Duration);

    /// Changes a blob's bytes without its digest. Returns false if nothing could ever do so.
    fn alter(&self, namespace: BlobNamespace, digest: Digest) -> bool;
}

/// Checks every sentence of the promise. `make` returns a subject without blobs.
pub async fn suite<S: Subject>(make: impl Fn() -> S) {
    what_was_put_is_read_back_under_its_digest(&make()).await;
    what_was_never_put_is_not_there(&make()).await;
    altered_bytes_are_never_returned(&make()).await;
    putting_again_changes_nothing_but_the_age(&make()).await;
    namespaces_do_not_share_blobs(&make()).await;
    a_list_goes_through_all_blobs_in_order(&make()).await;
    only_old_blobs_are_removed(&make()).await;
    a_blob_is_removed_under_the_exclusive_collection_lease_only(&make()).await;
    a_blob_beyond_the_limit_is_refused(&make()).await;
    tidying_takes_no_blob(&make()).await;
}

async fn put(subject: &impl Subject, namespace: BlobNamespace, bytes: &[u8]) -> Digest {
    subject.blobs().put(namespace, bytes.to_vec()).await.expect("the blob is stored")
}

async fn get(subject: &impl Subject, namespace: BlobNamespace, digest: Digest) -> Option<Vec<u8>> {
    subject.blobs().get(namespace, digest).await.expect("the blob can be read")
}

async fn list(subject: &impl Subject, namespace: BlobNamespace) -> Vec<BlobEntry> {
    subject.blobs().list(namespace, None, 1_000).await.expect("the blobs can be listed")
}

async fn lease(subject: &impl Subject, name: LeaseName, mode: Mode) -> Lease {
    subject.leases().acquire(&name, mode, Patience::FailFast).await.expect("nobody holds it")
}

async fn remove(
    subject: &impl Subject,
    namespace: BlobNamespace,
    digests: &[Digest],
) -> Vec<Digest> {
    let lease = lease(subject, collect::lease_name(), Mode::Exclusive).await;
    let removed = subject.blobs().remove(namespace, digests, HOUR, &lease).await;
    removed.expect("blobs can be removed").iter().map(|entry| entry.digest).collect()
}

fn digest(bytes: &[u8]) -> Digest {
    Digest::of(&FileBytes(bytes))
}

async fn what_was_put_is_read_back_under_its_digest(subject: &impl Subject) {
    let large = vec![0; 300_000];
    for bytes in [b"".as_slice(), b"text", &large] {
        let found = put(subject, BlobNamespace::Snapshots, bytes).await;
        assert_eq!(found, digest(bytes));
        assert_eq!(get(subject, BlobNamespace::Snapshots, found).await.as_deref(), Some(bytes));
    }
}

async fn what_was_never_put_is_not_there(subject: &impl Subject) {
    for namespace in BlobNamespace::ALL {
        assert_eq!(get(subject, *namespace, digest(b"nothing")).await, None);
        assert!(list(subject, *namespace).await.is_empty());
        assert!(remove(subject, *namespace, &[digest(b"nothing")]).await.is_empty());
    }
}

// shows in part: WR-215 (altered bytes are noticed)
async fn altered_bytes_are_never_returned(subject: &impl Subject) {
    let blob = put(subject, BlobNamespace::Artifacts, b"original").await;
    if !subject.alter(BlobNamespace::Artifacts, blob) {
        return;
    }
    let read = subject.blobs().get(BlobNamespace::Artifacts, blob).await;
    let Err(Error::BlobCorrupt { namespace, digest }) = read else {
        panic!("altered bytes were not noticed: {read:?}");
    };
    assert_eq!((namespace, digest), (BlobNamespace::Artifacts, blob));
    put(subject, BlobNamespace::Artifacts, b"original").await;
    let healed = get(subject, BlobNamespace::Artifacts, blob).await;
    assert_eq!(healed, Some(b"original".to_vec()), "putting it again stores it");
}

// shows: WR-215
async fn putting_again_changes_nothing_but_the_age(subject: &impl Subject) {
    let first = put(subject, BlobNamespace::Backpacks, b"twice").await;
    subject.let_pass(2 * HOUR);
    let old = list(subject, BlobNamespace::Backpacks).await;
    assert!(old.len() == 1 && old[0].age >= 2 * HOUR, "{old:?}");
    assert_eq!(put(subject, BlobNamespace::Backpacks, b"twice").await, first);
    let young = list(subject, BlobNamespace::Backpacks).await;
    assert!(young.len() == 1 && young[0].age < HOUR, "{young:?}");
    assert_eq!((young[0].digest, young[0].bytes), (first, 5));
    assert_eq!(get(subject, BlobNamespace::Backpacks, first).await, Some(b"twice".to_vec()));
}

async fn namespaces_do_not_share_blobs(subject: &impl Subject) {
    let blob = put(subject, BlobNamespace::Snapshots, b"mine").await;
    for namespace in BlobNamespace::ALL.iter().filter(|other| **other != BlobNamespace::Snapshots) {
        assert_eq!(get(subject, *namespace, blob).await, None, "{namespace}");
        assert!(list(subject, *namespace).await.is_empty(), "{namespace}");
        put(subject, *namespace, b"mine").await;
    }
    subject.let_pass(2 * HOUR);
    assert_eq!(remove(subject, BlobNamespace::Context, &[blob]).await, [blob]);
    for namespace in BlobNamespace::ALL.iter().filter(|other| **other != BlobNamespace::Context) {
        let kept = get(subject, *namespace, blob).await;
        assert_eq!(kept, Some(b"mine".to_vec()), "{namespace}");
    }
}

async fn a_list_goes_through_all_blobs_in_order(subject: &impl Subject) {
    let mut all = Vec::new();
    for number in 0..40_u64 {
        all.push(put(subject, BlobNamespace::Virtual, &number.to_be_bytes()).await);
    }
    all.sort_unstable();
    for limit in [1, 7, 39, 40, 41] {
        let mut seen: Vec<Digest> = Vec::new();
        loop {
            let after = seen.last().copied();
            let page = subject.blobs().list(BlobNamespace::Virtual, after, limit).await;
            let page = page.expect("the blobs can be listed");
            assert!(page.len() <= limit);
            assert!(page.iter().all(|entry| entry.bytes == 8 && entry.age < HOUR));
            if page.is_empty() {
                break;
            }
            seen.extend(page.iter().map(|entry| entry.digest));
        }
        assert_eq!(seen, all, "limit {limit}");
    }
    // A listing continues after a blob that no longer exists.
    subject.let_pass(2 * HOUR);
    assert_eq!(remove(subject, BlobNamespace::Virtual, &[all[20]]).await, [all[20]]);
    let rest = subject.blobs().list(BlobNamespace::Virtual, Some(all[20]), 1).await;
    assert_eq!(rest.expect("the blobs can be listed")[0].digest, all[21]);
}

async fn only_old_blobs_are_removed(subject: &impl Subject) {
    let old = put(subject, BlobNamespace::Snapshots, b"old").await;
    let spared = put(subject, BlobNamespace::Snapshots, b"old, but not named").await;
    subject.let_pass(HOUR);
    let young = put(subject, BlobNamespace::Snapshots, b"young").await;
    let named = [young, old, digest(b"nothing")];
    assert_eq!(remove(subject, BlobNamespace::Snapshots, &named).await, [old]);
    assert_eq!(get(subject, BlobNamespace::Snapshots, old).await, None);
    assert!(get(subject, BlobNamespace::Snapshots, young).await.is_some());
    assert!(get(subject, BlobNamespace::Snapshots, spared).await.is_some());
    put(subject, BlobNamespace::Snapshots, b"old").await;
    assert!(get(subject, BlobNamespace::Snapshots, old).await.is_some(), "it can come back");
}

async fn a_blob_is_removed_under_the_exclusive_collection_lease_only(subject: &impl Subject) {
    let blob = put(subject, BlobNamespace::Snapshots, b"old").await;
    subject.let_pass(2 * HOUR);
    let another: LeaseName = "another".parse().expect("a name");
    for (name, mode) in [(collect::lease_name(), Mode::Shared), (another.clone(), Mode::Exclusive)]
    {
        let lease = lease(subject, name, mode).await;
        let refused = subject.blobs().remove(BlobNamespace::Snapshots, &[blob], HOUR, &lease).await;
        assert!(matches!(refused, Err(Error::BadRequest { .. })), "{refused:?}");
    }
    assert!(get(subject, BlobNamespace::Snapshots, blob).await.is_some());
}

async fn a_blob_beyond_the_limit_is_refused(subject: &impl Subject) {
    let refused = subject.blobs().put(BlobNamespace::Snapshots, vec![0; BLOB_BYTES_MAX + 1]).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    assert!(list(subject, BlobNamespace::Snapshots).await.is_empty());
}

async fn tidying_takes_no_blob(subject: &impl Subject) {
    let blob = put(subject, BlobNamespace::Snapshots, b"kept").await;
    subject.let_pass(2 * HOUR);
    subject.blobs().tidy(BlobNamespace::Snapshots).await.expect("there is nothing to tidy");
    assert_eq!(get(subject, BlobNamespace::Snapshots, blob).await, Some(b"kept".to_vec()));
}

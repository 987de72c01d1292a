//! The promise of every journal about whole streams.

use std::time::Duration;

use piton_core::EventIndex;

use super::suite::{TwoProcesses, append, stream, texts};
use crate::port::Journal;
use crate::testing::Sample;
use crate::{Error, Health};

pub(super) async fn a_stream_that_was_never_written_does_not_exist<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("nothing");
    let missing = |error: Error| matches!(error, Error::NotFound { .. });
    assert!(missing(store.here.load(&name).await.unwrap_err()));
    assert!(missing(store.here.load_validated_prefix(&name).await.unwrap_err()));
    assert!(missing(store.here.verify(&name).await.unwrap_err()));
    assert!(missing(store.here.repair(&name).await.unwrap_err()));
    drop(store.here.lease(&name).await.unwrap());
    assert!(missing(store.here.load(&name).await.unwrap_err()));
    assert!(store.here.streams().await.unwrap().is_empty());
}

pub(super) async fn a_stream_is_young_when_it_was_just_written<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("young");
    let lease = store.here.lease(&name).await.unwrap();
    let missing = store.there.age(&name).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    append(&store.here, &lease, 1, "a").await.unwrap();
    assert!(store.there.age(&name).await.unwrap() < Duration::from_hours(1));
}

pub(super) async fn a_deleted_stream_is_gone_and_its_name_free<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let (name, other) = (stream("deleted"), stream("kept"));
    for name in [&name, &other] {
        let lease = store.here.lease(name).await.unwrap();
        append(&store.here, &lease, 2, "a").await.unwrap();
    }
    assert_eq!(store.there.streams().await.unwrap(), [name.clone(), other.clone()]);
    assert_eq!(texts(&store.there, &name).await.len(), 2);
    store.here.delete(store.here.lease(&name).await.unwrap()).await.unwrap();
    for journal in [&store.here, &store.there] {
        assert!(matches!(journal.load(&name).await.unwrap_err(), Error::NotFound { .. }));
        assert_eq!(journal.streams().await.unwrap(), std::slice::from_ref(&other));
    }
    let lease = store.there.lease(&name).await.unwrap();
    assert_eq!(lease.next_event(), EventIndex::ZERO);
    append(&store.there, &lease, 1, "a").await.unwrap();
    assert_eq!(texts(&store.here, &name).await.len(), 1);
}

pub(super) async fn a_sound_stream_needs_no_repair<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("sound");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 4, "a").await.unwrap();
    drop(lease);
    let salvaged = store.there.load_validated_prefix(&name).await.unwrap();
    assert_eq!((salvaged.events.len(), salvaged.health), (4, Health::Healthy));
    let verified = store.there.verify(&name).await.unwrap();
    assert_eq!((verified.events, &verified.health), (4, &Health::Healthy));
    assert!(!verified.mark_lifted && verified.torn_tail.is_none());
    let repaired = store.there.repair(&name).await.unwrap();
    assert_eq!((repaired.was, repaired.backup), (Health::Healthy, None));
    assert_eq!(store.there.set_aside(None).await.unwrap(), []);
    assert_eq!(store.there.digests_set_aside().await.unwrap(), []);
    assert_eq!(texts(&store.here, &name).await.len(), 4);
}

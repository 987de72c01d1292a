//! The promise of [`Replies`].
//!
//! Limitations: files that are written within one tick of a clock have the same age, so the suite does not show which
//! of them goes first. To show that an entry outlives its process takes a second adapter on the same disk, and to show
//! that it expires takes a clock that can be moved; the adapters have tests of their own for both.

use crate::Error;
use crate::bounds::{REPLIES_PER_CLIENT_MAX, REPLY_BYTES_PER_CLIENT_MAX, REPLY_CLIENTS_MAX};
use crate::port::{Replies, ReplyKey};

/// Checks every sentence of the promise. `make` returns an adapter that has kept nothing.
pub async fn suite<R: Replies>(make: impl Fn() -> R) {
    what_was_kept_last_is_found_whole(&make()).await;
    an_entry_belongs_to_its_client(&make()).await;
    the_oldest_entries_make_room(&make()).await;
    the_bytes_of_a_client_are_bounded(&make()).await;
    the_client_who_kept_nothing_for_the_longest_time_makes_room(&make()).await;
}

/// Checks the promise about claims, with adapters of two processes.
pub async fn claims(here: &impl Replies, there: &impl Replies) {
    let own = key("one", "a");
    let claim = here.claim(&own).await.expect("it can be asked");
    assert!(claim.is_some(), "nobody else has it");
    for replies in [here as &dyn Replies, there] {
        assert!(replies.claim(&own).await.expect("it can be asked").is_none(), "it is taken");
        for other in [key("one", "b"), key("two", "a")] {
            let claim = replies.claim(&other).await.expect("it can be asked");
            assert!(claim.is_some(), "each key has claims of its own");
        }
    }
    keep(there, &own, b"a reply").await;
    assert_eq!(get(here, &own).await.as_deref(), Some(b"a reply".as_slice()));
    assert!(there.claim(&own).await.expect("it can be asked").is_none(), "it is still taken");
    drop(claim);
    let claim = there.claim(&own).await.expect("it can be asked");
    assert!(claim.is_some(), "it is free again");
    assert!(here.claim(&own).await.expect("it can be asked").is_none(), "and taken once more");
    assert_eq!(get(here, &own).await.as_deref(), Some(b"a reply".as_slice()));
}

fn key(session: &str, name: &str) -> ReplyKey {
    ReplyKey::new(session, name.parse().expect("a name"))
}

async fn get(replies: &impl Replies, key: &ReplyKey) -> Option<Vec<u8>> {
    replies.get(key).await.expect("it can be asked")
}

async fn keep(replies: &impl Replies, key: &ReplyKey, bytes: &[u8]) {
    replies.keep(key, bytes.to_vec()).await.expect("it is kept");
}

async fn what_was_kept_last_is_found_whole(replies: &impl Replies) {
    let key = key("one", "a");
    assert_eq!(get(replies, &key).await, None);
    let large = vec![0xa5; REPLY_BYTES_PER_CLIENT_MAX];
    for content in [b"first".as_slice(), b"", &large, b"last"] {
        keep(replies, &key, content).await;
        assert_eq!(get(replies, &key).await.as_deref(), Some(content));
    }
    let refused = replies.keep(&key, vec![0; REPLY_BYTES_PER_CLIENT_MAX + 1]).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    assert_eq!(get(replies, &key).await.as_deref(), Some(b"last".as_slice()));
}

async fn an_entry_belongs_to_its_client(replies: &impl Replies) {
    keep(replies, &key("one", "a"), b"of one").await;
    assert_eq!(get(replies, &key("two", "a")).await, None);
    keep(replies, &key("two", "a"), b"of two").await;
    replies.forget(ReplyKey::client("one")).await.expect("it is forgotten");
    replies.forget(ReplyKey::client("nobody")).await.expect("there is nothing to forget");
    assert_eq!(get(replies, &key("one", "a")).await, None);
    assert_eq!(get(replies, &key("two", "a")).await, Some(b"of two".to_vec()));
}

async fn the_oldest_entries_make_room(replies: &impl Replies) {
    let keys: Vec<ReplyKey> =
        (0..REPLIES_PER_CLIENT_MAX + 2).map(|number| key("one", &format!("n{number}"))).collect();
    for own in &keys {
        keep(replies, own, own.name.as_str().as_bytes()).await;
    }
    let mut found = 0;
    for own in &keys {
        found += usize::from(get(replies, own).await.is_some());
    }
    assert_eq!(found, REPLIES_PER_CLIENT_MAX);
    let newest = keys.last().expect("there are some");
    assert!(get(replies, newest).await.is_some(), "what was kept just now stays");
}

async fn the_bytes_of_a_client_are_bounded(replies: &impl Replies) {
    let half = vec![1; REPLY_BYTES_PER_CLIENT_MAX / 2];
    for name in ["a", "b", "c"] {
        keep(replies, &key("one", name), &half).await;
    }
    assert!(get(replies, &key("one", "c")).await.is_some());
    let before = [get(replies, &key("one", "a")).await, get(replies, &key("one", "b")).await];
    assert_eq!(before.iter().flatten().count(), 1, "one of those before had to go");
}

async fn the_client_who_kept_nothing_for_the_longest_time_makes_room(replies: &impl Replies) {
    for number in 0..=REPLY_CLIENTS_MAX {
        keep(replies, &key(&format!("client {number}"), "a"), b"x").await;
    }
    let mut found = 0;
    for number in 0..=REPLY_CLIENTS_MAX {
        let own = key(&format!("client {number}"), "a");
        found += usize::from(get(replies, &own).await.is_some());
    }
    assert_eq!(found, REPLY_CLIENTS_MAX);
    let newest = key(&format!("client {REPLY_CLIENTS_MAX}"), "a");
    assert!(get(replies, &newest).await.is_some());
}

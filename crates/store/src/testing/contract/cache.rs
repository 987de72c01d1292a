//! The promise of [`Cache`].

use crate::bounds::CACHE_ENTRY_BYTES_MAX;
use crate::port::{Cache, CacheKey};
use crate::{Error, StreamId};

/// Names of the streams that the suite uses; an adapter that keeps results beside a stream creates them.
pub const STREAMS: [&str; 2] = ["one", "two"];

/// Checks every sentence of the promise. `make` returns an empty cache in which the streams [`STREAMS`] may have
/// results.
///
/// A cache may lose anything at any time, but then a suite could show nothing: while nothing disturbs it, an adapter
/// must keep what it is given.
pub async fn suite<C: Cache>(make: impl Fn() -> C) {
    what_was_never_put_is_a_miss(&make()).await;
    what_was_put_last_is_found_whole(&make()).await;
    a_result_belongs_to_its_stream_its_projection_and_its_version(&make()).await;
    invalidating_a_stream_forgets_its_results_and_no_others(&make()).await;
    a_result_beyond_the_limit_is_refused(&make()).await;
}

fn key(stream: &str, projection: &str, version: u32) -> CacheKey {
    CacheKey {
        stream: stream.parse().expect("a name"),
        projection: projection.parse().expect("a name"),
        version,
    }
}

async fn get(cache: &impl Cache, key: &CacheKey) -> Option<Vec<u8>> {
    cache.get(key).await.expect("the cache can be asked")
}

async fn put(cache: &impl Cache, key: &CacheKey, bytes: &[u8]) {
    cache.put(key, bytes.to_vec()).await.expect("the cache takes it");
}

async fn what_was_never_put_is_a_miss(cache: &impl Cache) {
    assert_eq!(get(cache, &key("one", "summary", 1)).await, None);
    let nowhere: StreamId = "nowhere".parse().expect("a name");
    assert_eq!(get(cache, &key("nowhere", "summary", 1)).await, None);
    cache.invalidate(&nowhere).await.expect("nothing to forget");
}

async fn what_was_put_last_is_found_whole(cache: &impl Cache) {
    let key = key("one", "summary", 1);
    let large = vec![0xa5; 100_000];
    for content in [b"first".as_slice(), b"", &large, b"last"] {
        put(cache, &key, content).await;
        assert_eq!(get(cache, &key).await.as_deref(), Some(content));
    }
}

async fn a_result_belongs_to_its_stream_its_projection_and_its_version(cache: &impl Cache) {
    let keys = [
        key("one", "summary", 1),
        key("one", "summary", 2),
        key("one", "summary", 12),
        key("one", "summary-v1", 2),
        key("one", "tree", 1),
        key("two", "summary", 1),
    ];
    for (number, own) in keys.iter().enumerate() {
        assert_eq!(get(cache, own).await, None, "{own:?}");
        put(cache, own, number.to_string().as_bytes()).await;
    }
    for (number, own) in keys.iter().enumerate() {
        assert_eq!(get(cache, own).await, Some(number.to_string().into_bytes()), "{own:?}");
    }
}

async fn invalidating_a_stream_forgets_its_results_and_no_others(cache: &impl Cache) {
    let (first, second) = (key("one", "summary", 1), key("one", "tree", 3));
    let other = key("two", "summary", 1);
    for key in [&first, &second, &other] {
        put(cache, key, b"content").await;
    }
    cache.invalidate(&first.stream).await.expect("the stream can be forgotten");
    assert_eq!(get(cache, &first).await, None);
    assert_eq!(get(cache, &second).await, None);
    assert_eq!(get(cache, &other).await, Some(b"content".to_vec()));
    put(cache, &first, b"again").await;
    assert_eq!(get(cache, &first).await, Some(b"again".to_vec()));
}

async fn a_result_beyond_the_limit_is_refused(cache: &impl Cache) {
    let key = key("one", "summary", 1);
    put(cache, &key, b"small").await;
    let refused = cache.put(&key, vec![0; CACHE_ENTRY_BYTES_MAX + 1]).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    assert_eq!(get(cache, &key).await, Some(b"small".to_vec()));
}

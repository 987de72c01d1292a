//! The cache on disk: what damage and missing sessions do to it.

use std::fs;
use std::path::PathBuf;

use piton_core::{Digest, FileBytes};
use piton_store::local::{DataDir, LocalCache};
use piton_store::port::{Cache, CacheKey};
use tempfile::TempDir;

struct Scene {
    _house: TempDir,
    dir: DataDir,
    cache: LocalCache,
    key: CacheKey,
}

impl Scene {
    /// A session with one cached result.
    async fn with(content: &[u8]) -> Self {
        let house = TempDir::new().unwrap();
        let dir = DataDir::open(house.path()).unwrap();
        let key = CacheKey {
            stream: "session".parse().unwrap(),
            projection: "summary".parse().unwrap(),
            version: 3,
        };
        fs::create_dir(dir.sessions().join("session")).unwrap();
        let cache = LocalCache::new(dir.clone());
        cache.put(&key, content.to_vec()).await.unwrap();
        Self { _house: house, dir, cache, key }
    }

    fn file(&self) -> PathBuf {
        self.dir.sessions().join("session/cache/summary-v3")
    }

    async fn get(&self) -> Option<Vec<u8>> {
        self.cache.get(&self.key).await.unwrap()
    }
}

#[tokio::test]
async fn an_entry_is_the_digest_of_its_content_and_the_content() {
    let scene = Scene::with(b"content").await;
    let digest = Digest::of(&FileBytes(b"content"));
    assert_eq!(
        fs::read(scene.file()).unwrap(),
        [digest.as_bytes(), b"content".as_slice()].concat()
    );
    let names: Vec<_> = fs::read_dir(scene.file().parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing unfinished is left");
}

#[tokio::test]
async fn a_damaged_entry_is_a_miss_and_can_be_replaced() {
    let scene = Scene::with(b"content").await;
    let whole = fs::read(scene.file()).unwrap();
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        fs::write(scene.file(), damaged).unwrap();
        assert_eq!(scene.get().await, None, "byte {place} flipped");
        fs::write(scene.file(), &whole[..place]).unwrap();
        assert_eq!(scene.get().await, None, "cut at {place}");
    }
    fs::write(scene.file(), [&whole, b"!".as_slice()].concat()).unwrap();
    assert_eq!(scene.get().await, None, "a byte too many");
    scene.cache.put(&scene.key, b"again".to_vec()).await.unwrap();
    assert_eq!(scene.get().await, Some(b"again".to_vec()));
}

#[tokio::test]
async fn a_session_that_does_not_exist_is_given_no_cache() {
    let scene = Scene::with(b"content").await;
    let key = CacheKey { stream: "nowhere".parse().unwrap(), ..scene.key.clone() };
    scene.cache.put(&key, b"lost".to_vec()).await.unwrap();
    assert_eq!(scene.cache.get(&key).await.unwrap(), None);
    scene.cache.invalidate(&key.stream).await.unwrap();
    assert!(!scene.dir.sessions().join("nowhere").exists());
}

#[tokio::test]
async fn a_cache_that_was_deleted_is_empty_and_goes_on() {
    let scene = Scene::with(b"content").await;
    fs::remove_dir_all(scene.file().parent().unwrap()).unwrap();
    assert_eq!(scene.get().await, None);
    scene.cache.put(&scene.key, b"again".to_vec()).await.unwrap();
    assert_eq!(scene.get().await, Some(b"again".to_vec()));
}

#[tokio::test]
async fn invalidation_also_removes_what_a_dead_process_left_unfinished() {
    let scene = Scene::with(b"content").await;
    let cache = scene.file().parent().unwrap().to_path_buf();
    fs::write(cache.join("summary-v3.4242-0.new"), "half").unwrap();
    scene.cache.invalidate(&scene.key.stream).await.unwrap();
    assert_eq!(fs::read_dir(cache).unwrap().count(), 0);
}

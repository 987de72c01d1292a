//! The index: both adapters, and what damage and other processes do to the one on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use piton_store::index::Term;
use piton_store::local::{DataDir, LocalIndex};
use piton_store::memory::MemoryIndex;
use piton_store::port::{
    Collection, Document, FieldValue, Filter, Index, IndexPage, IndexQuery, IndexedSource, Order,
};
use piton_store::testing::contract;
use piton_store::testing::contract::index::{document, everything, name, runs, source};
use proptest::prelude::*;
use tempfile::TempDir;

/// A data directory with an index.
struct Scene {
    house: TempDir,
    index: LocalIndex,
}

impl Scene {
    fn new() -> Self {
        let house = TempDir::new().unwrap();
        let index = LocalIndex::new(DataDir::open(house.path()).unwrap());
        Self { house, index }
    }

    /// Another process that uses the same directory.
    fn other(&self) -> LocalIndex {
        LocalIndex::new(DataDir::open(self.house.path()).unwrap())
    }

    /// The files of the index, by name.
    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.house.path().join("index")) else { return Vec::new() };
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        self.files().iter().map(name).collect()
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        let found = |path: &PathBuf| {
            fs::read(path).unwrap().windows(bytes.len()).any(|window| window == bytes)
        };
        self.files().iter().any(found)
    }
}

async fn put(index: &impl Index, name: &str) {
    let document = document("a", &format!("text of {name}"), &[("status", "open".into())]);
    index.replace(&runs(), vec![source(name, vec![document])]).await.unwrap();
}

async fn total(index: &impl Index) -> u64 {
    index.query(&everything()).await.unwrap().total
}

#[tokio::test]
async fn the_index_in_memory_keeps_its_promise() {
    contract::index::suite(MemoryIndex::new).await;
}

#[tokio::test]
async fn the_index_on_disk_keeps_its_promise() {
    let houses: std::cell::RefCell<Vec<Scene>> = std::cell::RefCell::default();
    let make = || {
        let scene = Scene::new();
        let index = scene.index.clone();
        houses.borrow_mut().push(scene);
        index
    };
    contract::index::suite(make).await;
}

#[tokio::test]
async fn only_its_owner_can_read_it_and_nothing_is_made_before_it_is_needed() {
    let scene = Scene::new();
    assert!(scene.files().is_empty());
    put(&scene.index, "one").await;
    assert_eq!(scene.names()[0], "v2-1.sqlite3");
    for path in scene.files() {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
    let directory = fs::metadata(scene.house.path().join("index")).unwrap();
    assert_eq!(directory.permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn what_is_removed_or_replaced_leaves_no_bytes_behind() {
    let scene = Scene::new();
    let secret = |word: &str| {
        let text = format!("before {word}text after");
        let field = format!("{word}field");
        let id = format!("{word}id");
        Document {
            payload: format!("{word}payload").into_bytes(),
            ..document(&id, &text, &[("status", field.as_str().into())])
        }
    };
    for number in 0..50 {
        put(&scene.index, &format!("other{number}")).await;
    }
    let gone = |word: &str| {
        ["text", "field", "id", "payload"].map(|what| format!("{word}{what}").into_bytes())
    };
    scene.index.replace(&runs(), vec![source("qqone", vec![secret("zzfirst")])]).await.unwrap();
    assert!(gone("zzfirst").iter().all(|bytes| scene.holds(bytes)));
    scene.index.replace(&runs(), vec![source("qqone", vec![secret("zzsecond")])]).await.unwrap();
    scene.index.remove(&name("runs"), vec!["qqone".to_owned()]).await.unwrap();
    for bytes in gone("zzfirst").iter().chain(&gone("zzsecond")).chain([&b"qqone".to_vec()]) {
        assert!(!scene.holds(bytes), "{}", String::from_utf8_lossy(bytes));
    }
    // Terms of a full-text table share their beginnings, so a part of one may stand alone.
    for part in ["zzfirst", "zzsecond", "firsttext", "secondtext"] {
        assert!(!scene.holds(part.as_bytes()), "{part}");
    }
    assert_eq!(total(&scene.index).await, 50);
}

#[tokio::test]
async fn processes_share_it_and_see_each_others_changes() {
    let scene = Scene::new();
    let other = scene.other();
    assert_eq!(total(&other).await, 0);
    put(&scene.index, "one").await;
    assert_eq!(total(&other).await, 1);
    put(&other, "two").await;
    assert_eq!(total(&scene.index).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_many_handles_lose_nothing() {
    let scene = Scene::new();
    let mut tasks = Vec::new();
    for writer in 0..4 {
        let index = scene.other();
        tasks.push(tokio::spawn(async move {
            for number in 0..25 {
                put(&index, &format!("{writer}-{number}")).await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(total(&scene.index).await, 100);
}

#[tokio::test]
async fn a_file_that_is_no_index_of_ours_is_replaced_by_an_empty_one() {
    let foreign = {
        let house = TempDir::new().unwrap();
        let path = house.path().join("other.sqlite3");
        let made = rusqlite_file(&path);
        (house, made)
    };
    let cases: Vec<Vec<u8>> = vec![b"not a database".repeat(100), vec![0; 8192], foreign.1];
    for bytes in cases {
        let scene = Scene::new();
        fs::create_dir(scene.house.path().join("index")).unwrap();
        fs::write(scene.house.path().join("index/v2-7.sqlite3"), &bytes).unwrap();
        assert_eq!(total(&scene.index).await, 0);
        put(&scene.index, "one").await;
        assert_eq!(total(&scene.other()).await, 1);
        assert!(scene.names().iter().all(|name| name.starts_with("v2-8.sqlite3")));
    }
}

/// The bytes of a table's database, which is a sound database and no index.
fn rusqlite_file(path: &std::path::Path) -> Vec<u8> {
    let house = TempDir::new().unwrap();
    let dir = DataDir::open(house.path()).unwrap();
    let table = piton_store::local::LocalTable::open(&dir, &"name".parse().unwrap()).unwrap();
    drop(table);
    fs::copy(house.path().join("table.sqlite3"), path).unwrap();
    fs::read(path).unwrap()
}

#[tokio::test]
async fn a_damaged_index_is_replaced_in_the_middle_of_its_use() {
    let scene = Scene::new();
    let other = scene.other();
    for number in 0..200 {
        put(&scene.index, &number.to_string()).await;
    }
    // The log is folded into the file, and what follows damages the file itself.
    scene.index.remove(&name("runs"), vec!["0".to_owned()]).await.unwrap();
    assert_eq!(total(&other).await, 199);
    let file = &scene.files()[0];
    let length = fs::metadata(file).unwrap().len();
    assert!(length > 16 * 4096);
    fs::write(file, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
    let fresh = scene.other();
    assert_eq!(total(&fresh).await, 0, "it is empty, and no error");
    put(&fresh, "new").await;
    // Those that had the old one open notice that it is gone.
    assert_eq!(total(&scene.index).await, 1);
    put(&other, "newer").await;
    assert_eq!(total(&fresh).await, 2);
    assert!(
        scene.names().iter().all(|name| name.starts_with("v2-2.sqlite3")),
        "{:?}",
        scene.names()
    );
}

#[tokio::test]
async fn no_single_changed_byte_is_an_error() {
    let scene = Scene::new();
    for number in 0..20 {
        put(&scene.index, &number.to_string()).await;
    }
    scene.index.remove(&name("runs"), vec!["0".to_owned()]).await.unwrap();
    let file = scene.files()[0].clone();
    let whole = fs::read(&file).unwrap();
    drop(scene);
    let step = whole.len() / 60;
    for place in (0..whole.len()).step_by(step.max(1)) {
        let scene = Scene::new();
        fs::create_dir(scene.house.path().join("index")).unwrap();
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        fs::write(scene.house.path().join("index/v2-1.sqlite3"), damaged).unwrap();
        let has = Filter::Has(Term::new("text", false).unwrap());
        let order = Some(Order { field: name("status"), is_descending: false });
        let query = IndexQuery { filter: has, order, facets: vec![name("status")], ..everything() };
        let found = scene.index.query(&query).await;
        assert!(found.is_ok(), "{place}: {found:?}");
        let written = scene.index.replace(&runs(), vec![source("1", Vec::new())]).await;
        assert!(written.is_ok(), "{place}: {written:?}");
    }
}

#[tokio::test]
async fn files_of_older_formats_are_removed_and_those_of_newer_ones_stay() {
    let scene = Scene::new();
    let home = scene.house.path().join("index");
    fs::create_dir(&home).unwrap();
    for file in ["v0-9.sqlite3", "v0-9.sqlite3-wal", "v3-1.sqlite3", "notes.txt"] {
        fs::write(home.join(file), "content").unwrap();
    }
    put(&scene.index, "one").await;
    let names = scene.names();
    assert!(!names.iter().any(|name| name.starts_with("v0")), "{names:?}");
    assert!(["v3-1.sqlite3", "notes.txt"].iter().all(|kept| names.iter().any(|name| name == kept)));
}

/// One call that changes an index.
#[derive(Debug, Clone)]
enum Change {
    Replace(String, Vec<Document>),
    Remove(String),
}

fn values() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        (-2_i64..3).prop_map(FieldValue::Number),
        prop::sample::select(vec!["", "a", "ab", "b", "ä", "1"]).prop_map(FieldValue::from),
    ]
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let words = prop::sample::select(vec!["run", "run_index", "Index", "käse", "登录", "1.5", "-"]);
    let one = (
        prop::sample::select(vec!["a", "b", "c", "B"]),
        prop::collection::vec(words, 0..4),
        prop::option::of(values()),
        prop::option::of(values()),
    );
    prop::collection::vec(one, 0..4).prop_map(|all| {
        let mut documents: Vec<Document> = Vec::new();
        for (id, words, first, second) in all {
            if documents.iter().any(|one| one.id == id) {
                continue;
            }
            let fields = [("first", first), ("second", second)];
            let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
            documents.push(document(id, &words.join(" "), &fields.collect::<Vec<_>>()));
        }
        documents
    })
}

fn changes() -> impl Strategy<Value = Change> {
    let names = prop::sample::select(vec!["one", "two", "three"]).prop_map(str::to_owned);
    prop_oneof![
        4 => (names.clone(), documents()).prop_map(|(name, all)| Change::Replace(name, all)),
        1 => names.prop_map(Change::Remove),
    ]
}

fn filters() -> impl Strategy<Value = Filter> {
    let field = || prop::sample::select(vec!["first", "second", "third"]).prop_map(name);
    let words = prop::sample::select(vec!["run", "index", "run index", "ind", "k", "录", "1"]);
    let leaf = prop_oneof![
        (field(), values()).prop_map(|(field, value)| Filter::Equals(field, value)),
        (field(), prop::sample::select(vec!["", "a", "b"]))
            .prop_map(|(field, start)| Filter::StartsWith(field, start.to_owned())),
        (field(), -2_i64..3).prop_map(|(field, bound)| Filter::Less(field, bound)),
        (field(), -2_i64..3).prop_map(|(field, bound)| Filter::Greater(field, bound)),
        (words, any::<bool>())
            .prop_map(|(words, is_prefix)| Filter::Has(Term::new(words, is_prefix).unwrap())),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::All),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::Any),
            inner.prop_map(|inner| Filter::Not(Box::new(inner))),
        ]
    })
}

fn queries() -> impl Strategy<Value = IndexQuery> {
    let order = (prop::sample::select(vec!["first", "second", "third"]), any::<bool>());
    let order =
        order.prop_map(|(field, is_descending)| Order { field: name(field), is_descending });
    (filters(), prop::option::of(order), 0_u64..4, 0_usize..6).prop_map(
        |(filter, order, from, limit)| IndexQuery {
            filter,
            order,
            from,
            limit,
            facets: vec![name("first"), name("third")],
            ..everything()
        },
    )
}

async fn apply(index: &dyn Index, change: &Change) {
    match change.clone() {
        Change::Replace(name, documents) => {
            let cursor = name.clone().into_bytes();
            let sources = vec![IndexedSource { name, cursor, documents }];
            index.replace(&runs(), sources).await.unwrap();
        }
        Change::Remove(source) => index.remove(&name("runs"), vec![source]).await.unwrap(),
    }
}

async fn answer(index: &dyn Index, query: &IndexQuery) -> IndexPage {
    let version = piton_store::port::IndexVersion(0);
    IndexPage { version, ..index.query(query).await.unwrap() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn both_adapters_answer_alike(
        changes in prop::collection::vec(changes(), 1..12),
        queries in prop::collection::vec(queries(), 1..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (scene, memory) = (Scene::new(), MemoryIndex::new());
        runtime.block_on(async {
            // Another collection has the same words, and must not show.
            let other = Collection { name: name("other"), version: 1 };
            let noise = vec![source("one", vec![document("noise", "run index käse 1 登录", &[])])];
            for index in [&scene.index as &dyn Index, &memory] {
                index.replace(&other, noise.clone()).await.unwrap();
                for change in &changes {
                    apply(index, change).await;
                }
            }
            for query in &queries {
                assert_eq!(answer(&scene.index, query).await, answer(&memory, query).await, "{query:?}");
            }
            let scan = async |index: &dyn Index| index.scan(&runs(), None, 10).await.unwrap();
            assert_eq!(scan(&scene.index).await, scan(&memory).await);
        });
    }
}

//! The promise of [`Table`].

use crate::Error;
use crate::bounds::{
    TABLE_BATCH_MAX, TABLE_GET_MAX, TABLE_KEY_BYTES_MAX, TABLE_PAGE_MAX, TABLE_VALUE_BYTES_MAX,
};
use crate::port::{
    EntryChange, EntryVersion, Expect, Key, Table, TableEntry, TableWrite, TakenOut,
};

/// Number of tasks that change one key at the same time.
const TASKS: u64 = 8;

/// Number of times that each of them does.
const ROUNDS: u64 = 20;

/// Checks every sentence of the promise. `make` returns an empty table, whose clones share it.
pub async fn suite<T: Table + Clone + 'static>(make: impl Fn() -> T) {
    a_key_that_was_never_written_has_no_value(&make()).await;
    what_was_put_is_read_back_under_the_version_of_its_commit(&make()).await;
    several_keys_are_read_in_the_order_in_which_they_are_asked_for(&make()).await;
    any_bytes_are_a_key_and_a_value(&make()).await;
    a_commit_happens_only_if_every_expectation_holds(&make()).await;
    a_conflict_names_the_keys_that_differ_and_changes_nothing(&make()).await;
    a_key_that_is_kept_is_checked_and_not_written(&make()).await;
    a_commit_that_changes_nothing_is_harmless(&make()).await;
    a_removed_key_that_is_written_again_is_not_taken_for_the_old_one(&make()).await;
    no_version_is_used_twice(&make()).await;
    a_scan_gives_the_keys_of_a_prefix_in_order(&make()).await;
    pages_follow_each_other_without_gap_or_repetition(&make()).await;
    a_page_of_large_values_ends_early_and_says_so(&make()).await;
    calls_beyond_a_limit_are_refused(&make()).await;
    no_increment_is_lost_between_many_writers(make()).await;
    a_read_sees_whole_commits(make()).await;
    a_snapshot_shows_one_moment_whatever_comes_after(&make()).await;
    assert_eq!(taken_out(&make()).await, [], "nothing was repaired");
}

/// Checks the promise about a table after a repair. The repair took out `value`, which it found under `name`, and the
/// one entry between the two keys of `gap`.
pub async fn after_a_repair(table: &impl Table, name: &[u8], value: &[u8], gap: [&[u8]; 2]) {
    let entry = TakenOut::Entry { key: key(name), value: value.to_vec() };
    let range = TakenOut::Range { after: Some(key(gap[0])), before: Some(key(gap[1])) };
    for _ in 0..2 {
        let found = taken_out(table).await;
        assert!(found.contains(&entry) && found.contains(&range) && found.len() == 2, "{found:?}");
        assert_eq!(get(table, name).await, None);
        // It stays so, whatever is written there later.
        let new = vec![put(name, Expect::Absent, "new"), put(gap[0], Expect::Anything, "new")];
        commit(table, new).await;
        let snapshot = table.snapshot().await.expect("it can be taken");
        assert_eq!(taken_out(&*snapshot).await, found);
        commit(table, vec![write(name, Expect::Anything, EntryChange::Remove)]).await;
    }
}

async fn taken_out(table: &(impl Table + ?Sized)) -> Vec<TakenOut> {
    let mut found = Vec::new();
    table.taken_out(&mut |one| found.push(one)).await.expect("it can be read");
    found
}

async fn a_snapshot_shows_one_moment_whatever_comes_after(table: &impl Table) {
    let first = ["a", "b", "c"].map(|name| put(name, Expect::Anything, "old"));
    commit(table, first.to_vec()).await;
    let before = table.scan(b"", None, 10).await.expect("it can be read").entries;
    let snapshot = table.snapshot().await.expect("it can be taken");
    let change = vec![
        put("a", Expect::Anything, "new"),
        write("b", Expect::Anything, EntryChange::Remove),
        put("d", Expect::Absent, "new"),
    ];
    commit(table, change).await;
    for snapshot in [&snapshot, &snapshot.snapshot().await.expect("it is the same")] {
        assert_eq!(snapshot.scan(b"", None, 10).await.expect("it can be read").entries, before);
        assert_eq!(snapshot.get(b"a").await.expect("it can be read"), Some(before[0].clone()));
        let all = snapshot.get_all(["b", "d"].map(key).to_vec()).await.expect("it can be read");
        assert_eq!(all, [Some(before[1].clone()), None]);
        let refused = snapshot.commit(vec![put("a", Expect::Anything, "x")]).await;
        assert!(matches!(refused, Err(Error::BadRequest { .. })), "{refused:?}");
    }
    drop(snapshot);
    assert_eq!(value(table, "a").await.as_deref(), Some(&b"new"[..]));
    commit(table, vec![put("a", Expect::Anything, "newer")]).await;
}

fn key(bytes: impl AsRef<[u8]>) -> Key {
    bytes.as_ref().into()
}

fn write(name: impl AsRef<[u8]>, expect: Expect, change: EntryChange) -> TableWrite {
    TableWrite { key: key(name), expect, change }
}

fn put(name: impl AsRef<[u8]>, expect: Expect, value: impl AsRef<[u8]>) -> TableWrite {
    write(name, expect, EntryChange::Put(value.as_ref().to_vec()))
}

async fn commit(table: &impl Table, batch: Vec<TableWrite>) -> EntryVersion {
    table.commit(batch).await.expect("the commit is allowed")
}

async fn get(table: &impl Table, name: impl AsRef<[u8]>) -> Option<TableEntry> {
    table.get(name.as_ref()).await.expect("the key can be read")
}

async fn value(table: &impl Table, name: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    get(table, name).await.map(|entry| entry.value)
}

async fn keys(table: &impl Table, prefix: &[u8], after: Option<&[u8]>) -> Vec<Vec<u8>> {
    let page = table.scan(prefix, after, TABLE_PAGE_MAX).await.expect("the scan is allowed");
    assert!(!page.more);
    page.entries.iter().map(|entry| entry.key.to_vec()).collect()
}

async fn a_key_that_was_never_written_has_no_value(table: &impl Table) {
    assert_eq!(get(table, "nothing").await, None);
    assert_eq!(keys(table, b"", None).await, Vec::<Vec<u8>>::new());
}

async fn what_was_put_is_read_back_under_the_version_of_its_commit(table: &impl Table) {
    let batch = vec![put("a", Expect::Absent, "1"), put("b", Expect::Anything, "2")];
    let version = commit(table, batch).await;
    for (name, value) in [("a", b"1"), ("b", b"2")] {
        let entry = TableEntry { key: key(name), value: value.to_vec(), version };
        assert_eq!(get(table, name).await, Some(entry));
    }
    let newer = commit(table, vec![put("a", Expect::Version(version), "3")]).await;
    let (a, b) = (get(table, "a").await, get(table, "b").await);
    assert_eq!(a.map(|entry| (entry.value, entry.version)), Some((b"3".to_vec(), newer)));
    assert_eq!(b.map(|entry| entry.version), Some(version), "the other key is untouched");
}

async fn several_keys_are_read_in_the_order_in_which_they_are_asked_for(table: &impl Table) {
    let batch = vec![put("a", Expect::Absent, "1"), put("b", Expect::Absent, "2")];
    commit(table, batch).await;
    let asked = ["b", "nothing", "a", "b"];
    let found = table.get_all(asked.map(key).to_vec()).await.expect("the values");
    let mut one_by_one = Vec::new();
    for name in asked {
        one_by_one.push(get(table, name).await);
    }
    assert_eq!(found, one_by_one);
    assert_eq!(table.get_all(Vec::new()).await.expect("nothing"), []);
}

async fn any_bytes_are_a_key_and_a_value(table: &impl Table) {
    let long = vec![7; TABLE_KEY_BYTES_MAX];
    let names: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"\xff", "schlüssel".as_bytes(), &long];
    let batch = names.iter().map(|name| put(name, Expect::Absent, name)).collect();
    commit(table, batch).await;
    for name in names {
        assert_eq!(value(table, name).await.as_deref(), Some(name));
    }
}

/// Tries to commit to `name` under one expectation. Returns true if it was done, and false on a conflict.
async fn outcome(table: &impl Table, name: &str, expect: Expect) -> bool {
    match table.commit(vec![put(name, expect, "new")]).await {
        Ok(_) => true,
        Err(Error::Conflict { keys }) => {
            assert_eq!(keys, [0]);
            false
        }
        Err(other) => panic!("neither done nor a conflict: {other}"),
    }
}

async fn a_commit_happens_only_if_every_expectation_holds(table: &impl Table) {
    let old = commit(table, vec![put("set", Expect::Absent, "x")]).await;
    let now = commit(table, vec![put("set", Expect::Version(old), "y")]).await;
    for (name, expect, expected) in [
        ("set", Expect::Absent, false),
        ("set", Expect::Version(old), false),
        ("set", Expect::Version(EntryVersion(u64::MAX)), false),
        ("set", Expect::Version(now), true),
        ("set", Expect::Anything, true),
        ("unset 1", Expect::Version(now), false),
        ("unset 1", Expect::Absent, true),
        ("unset 2", Expect::Anything, true),
    ] {
        let before = get(table, name).await;
        assert_eq!(outcome(table, name, expect).await, expected, "{name}: {expect:?}");
        let changed = get(table, name).await != before;
        assert_eq!(changed, expected, "{name}: {expect:?}");
    }
}

async fn a_conflict_names_the_keys_that_differ_and_changes_nothing(table: &impl Table) {
    let version = commit(table, vec![put("b", Expect::Absent, "old")]).await;
    let wrong = Expect::Version(EntryVersion(version.0 + 1));
    let batch = vec![
        put("a", Expect::Absent, "new"),
        put("b", wrong, "new"),
        put("c", Expect::Anything, "new"),
        write("d", wrong, EntryChange::Keep),
        write("b2", wrong, EntryChange::Remove),
    ];
    let refused = table.commit(batch).await;
    let Err(Error::Conflict { keys: differing }) = refused else {
        panic!("not a conflict: {refused:?}");
    };
    assert_eq!(differing, [1, 3, 4]);
    assert_eq!(keys(table, b"", None).await, [b"b".to_vec()]);
    assert_eq!(value(table, "b").await, Some(b"old".to_vec()));
}

async fn a_key_that_is_kept_is_checked_and_not_written(table: &impl Table) {
    let first = commit(table, vec![put("a", Expect::Absent, "1")]).await;
    let kept = write("a", Expect::Version(first), EntryChange::Keep);
    let second = commit(table, vec![kept.clone(), put("b", Expect::Absent, "2")]).await;
    assert!(second > first);
    assert_eq!(get(table, "a").await.map(|entry| entry.version), Some(first));
    commit(table, vec![put("a", Expect::Version(first), "3")]).await;
    let stale = table.commit(vec![kept, put("b", Expect::Anything, "4")]).await;
    assert!(matches!(stale, Err(Error::Conflict { keys }) if keys == [0]));
    assert_eq!(value(table, "b").await, Some(b"2".to_vec()));
}

async fn a_commit_that_changes_nothing_is_harmless(table: &impl Table) {
    let version = commit(table, vec![put("a", Expect::Absent, "1")]).await;
    commit(table, Vec::new()).await;
    commit(table, vec![write("a", Expect::Version(version), EntryChange::Keep)]).await;
    commit(table, vec![write("b", Expect::Absent, EntryChange::Remove)]).await;
    assert_eq!(get(table, "a").await.map(|entry| entry.version), Some(version));
    assert_eq!(keys(table, b"", None).await, [b"a".to_vec()]);
}

async fn a_removed_key_that_is_written_again_is_not_taken_for_the_old_one(table: &impl Table) {
    let old = commit(table, vec![put("a", Expect::Absent, "same")]).await;
    commit(table, vec![write("a", Expect::Version(old), EntryChange::Remove)]).await;
    assert_eq!(get(table, "a").await, None);
    commit(table, vec![put("a", Expect::Absent, "same")]).await;
    assert!(!outcome(table, "a", Expect::Version(old)).await);
}

async fn no_version_is_used_twice(table: &impl Table) {
    let mut versions = Vec::new();
    for round in 0..5 {
        versions.push(commit(table, vec![put("a", Expect::Anything, "x")]).await);
        if round % 2 == 0 {
            // An empty table does not start counting from zero again.
            commit(table, vec![write("a", Expect::Anything, EntryChange::Remove)]).await;
        }
        let refused = table.commit(vec![put("a", Expect::Version(EntryVersion(0)), "y")]).await;
        assert!(refused.is_err());
    }
    assert!(versions.is_sorted_by(|earlier, later| earlier < later), "{versions:?}");
}

/// A prefix, the key to start after, and the keys to find.
type Case<'a> = (&'a [u8], Option<&'a [u8]>, &'a [&'a [u8]]);

async fn a_scan_gives_the_keys_of_a_prefix_in_order(table: &impl Table) {
    let names: [&[u8]; 9] =
        [b"", b"a", b"a\0", b"a\0b", b"ab", b"a\xff", b"a\xff\xff", b"b", b"\xff\xff"];
    // Written in another order than that of their bytes.
    let batch = names.iter().rev().map(|name| put(name, Expect::Absent, "")).collect();
    commit(table, batch).await;
    let cases: [Case<'_>; 12] = [
        (b"", None, &names),
        (b"a", None, &names[1..7]),
        (b"a\0", None, &names[2..4]),
        (b"a\xff", None, &names[5..7]),
        (b"\xff", None, &names[8..]),
        (b"c", None, &[]),
        (b"", Some(b""), &names[1..]),
        (b"a", Some(b"a"), &names[2..7]),
        (b"a", Some(b"a\x01"), &names[4..7]),
        (b"b", Some(b"a"), &names[7..8]),
        (b"a", Some(b"b"), &[]),
        (b"\xff", Some(b"\xff\xff\xff"), &[]),
    ];
    for (prefix, after, expected) in cases {
        assert_eq!(keys(table, prefix, after).await, expected, "{prefix:?} after {after:?}");
    }
}

async fn pages_follow_each_other_without_gap_or_repetition(table: &impl Table) {
    let all: Vec<Vec<u8>> = (0..50).map(|number| format!("p/{number:02}").into_bytes()).collect();
    let mut batch: Vec<TableWrite> =
        all.iter().map(|name| put(name, Expect::Absent, name)).collect();
    batch.push(put("o", Expect::Absent, ""));
    batch.push(put("q", Expect::Absent, ""));
    commit(table, batch).await;
    for limit in [1, 7, 25, 49, 50, 51, TABLE_PAGE_MAX] {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        loop {
            let after = seen.last().cloned();
            let page = table.scan(b"p/", after.as_deref(), limit).await.expect("a page");
            assert!(page.entries.len() <= limit);
            assert!(page.entries.iter().all(|entry| entry.value == *entry.key));
            seen.extend(page.entries.iter().map(|entry| entry.key.to_vec()));
            assert_eq!(page.more, seen.len() < all.len(), "limit {limit}");
            if !page.more {
                break;
            }
            assert!(!page.entries.is_empty(), "a page with more after it has something itself");
        }
        assert_eq!(seen, all, "limit {limit}");
    }
}

async fn a_page_of_large_values_ends_early_and_says_so(table: &impl Table) {
    let large = vec![1; TABLE_VALUE_BYTES_MAX];
    for number in 0..24_u8 {
        commit(table, vec![put([number], Expect::Absent, &large)]).await;
    }
    let first = table.scan(b"", None, TABLE_PAGE_MAX).await.expect("a page");
    assert!(first.more && first.entries.len() < 24, "{} entries", first.entries.len());
    let last = first.entries.last().expect("an entry").key.clone();
    let second = table.scan(b"", Some(&last), TABLE_PAGE_MAX).await.expect("a page");
    assert!(!second.more);
    assert_eq!(first.entries.len() + second.entries.len(), 24);
}

async fn calls_beyond_a_limit_are_refused(table: &impl Table) {
    let long = vec![0; TABLE_KEY_BYTES_MAX + 1];
    let large = vec![0; TABLE_VALUE_BYTES_MAX + 1];
    let too_large = |result: Result<(), Error>| matches!(result, Err(Error::TooLarge { .. }));
    let refused = |result: Result<(), Error>| matches!(result, Err(Error::BadRequest { .. }));

    assert!(too_large(table.get(&long).await.map(drop)));
    assert!(too_large(table.get_all(vec![key(&long)]).await.map(drop)));
    let many = |count| async move { table.get_all(vec![key("a"); count]).await.map(drop) };
    assert!(many(TABLE_GET_MAX).await.is_ok(), "the limit itself is allowed");
    assert!(refused(many(TABLE_GET_MAX + 1).await));
    assert!(too_large(table.scan(&long, None, 1).await.map(drop)));
    assert!(too_large(table.scan(b"", Some(&long), 1).await.map(drop)));
    let commit = |batch: Vec<TableWrite>| async { table.commit(batch).await.map(drop) };
    assert!(too_large(commit(vec![put(&long, Expect::Absent, "")]).await));
    assert!(too_large(commit(vec![put("a", Expect::Absent, &large)]).await));
    let whole = &large[1..];
    let heavy = (0..17_u8).map(|number| put([number], Expect::Absent, whole)).collect();
    assert!(too_large(commit(heavy).await));

    assert!(refused(table.scan(b"", None, 0).await.map(drop)));
    assert!(refused(table.scan(b"", None, TABLE_PAGE_MAX + 1).await.map(drop)));
    let twice = vec![put("a", Expect::Absent, "1"), put("a", Expect::Anything, "2")];
    assert!(refused(commit(twice).await));
    let numbered = |count: usize| -> Vec<TableWrite> {
        (0..count).map(|number| put(number.to_be_bytes(), Expect::Absent, "")).collect()
    };
    assert!(refused(commit(numbered(TABLE_BATCH_MAX + 1)).await));
    assert_eq!(keys(table, b"", None).await, Vec::<Vec<u8>>::new(), "nothing was written");
    assert!(commit(numbered(TABLE_BATCH_MAX)).await.is_ok(), "the limit itself is allowed");
}

async fn no_increment_is_lost_between_many_writers<T: Table + Clone + 'static>(table: T) {
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let table = table.clone();
            tokio::spawn(async move {
                for _ in 0..ROUNDS {
                    increment(&table, "count").await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("the task ends well");
    }
    let count = value(&table, "count").await.expect("the count");
    assert_eq!(count, (TASKS * ROUNDS).to_be_bytes());
}

async fn increment(table: &impl Table, name: &str) {
    loop {
        let entry = get(table, name).await;
        let (count, expect) = match entry {
            Some(entry) => {
                let bytes = entry.value.try_into().expect("eight bytes");
                (u64::from_be_bytes(bytes), Expect::Version(entry.version))
            }
            None => (0, Expect::Absent),
        };
        match table.commit(vec![put(name, expect, (count + 1).to_be_bytes())]).await {
            Ok(_) => return,
            Err(Error::Conflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

async fn a_read_sees_whole_commits<T: Table + Clone + 'static>(table: T) {
    let names = ["left", "middle", "right"];
    let writer = tokio::spawn({
        let table = table.clone();
        async move {
            for round in 0..TASKS * ROUNDS {
                let value = round.to_be_bytes();
                let batch = names.map(|name| put(name, Expect::Anything, value));
                commit(&table, batch.to_vec()).await;
            }
        }
    });
    let mut reads = 0;
    while !writer.is_finished() || reads == 0 {
        let page = table.scan(b"", None, 10).await.expect("a page");
        let same = page
            .entries
            .windows(2)
            .all(|pair| (&pair[0].value, pair[0].version) == (&pair[1].value, pair[1].version));
        assert!(same && [0, 3].contains(&page.entries.len()), "{page:?}");
        let together = table.get_all(names.map(key).to_vec()).await.expect("the values");
        let value = |entry: &Option<TableEntry>| entry.as_ref().map(|entry| entry.value.clone());
        let same = together.windows(2).all(|pair| value(&pair[0]) == value(&pair[1]));
        assert!(same, "{together:?}");
        reads += 1;
        tokio::task::yield_now().await;
    }
    writer.await.expect("the writer ends well");
    assert_eq!(keys(&table, b"", None).await.len(), names.len());
}

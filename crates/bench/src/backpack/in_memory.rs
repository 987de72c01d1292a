//! Backpacks in memory: the frequent operations of nodes (pack, unpack, and query a namespace), past states, and the
//! differences between two.

use piton_backpack::{Backpack, CommitId, Filter, NodeId, NodeIdentity, Permissions, StateDiff};
use piton_core::TimestampMs;

use super::rig::{empty, node, row, writer};
use crate::error::{Result, expect};
use crate::measure::{Schedule, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

const REPETITIONS: u32 = 2_000;
const PACK_US_MAX: f64 = 2.0;
const UNPACK_US_MAX: f64 = 0.5;
const QUERY_US_MAX: f64 = 50.0;

// shows: BP-041, BP-110
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    Ok(vec![pack()?, unpack()?, query()?])
}

/// Packs small values under 100 keys; the history is kept and pruned along the way.
fn pack() -> Result<MeasureRow> {
    let backpack = empty();
    let node = writer(&backpack)?;
    let keys: Vec<String> = (0..100).map(|number| format!("key-{number}")).collect();
    row("pack a small value", PACK_US_MAX, REPETITIONS, |count| {
        node.pack(&keys[count as usize % 100], &count)
    })
}

/// Unpacks small values as a node that may read one namespace and a few keys.
fn unpack() -> Result<MeasureRow> {
    let backpack = empty();
    let writer = writer(&backpack)?;
    let keys: Vec<String> = (0..100).map(|number| format!("key-{number}")).collect();
    for (number, key) in keys.iter().enumerate() {
        let _ = writer.pack(key, &number)?;
    }
    let permissions = Permissions::none()
        .reading(["other-1", "other-2"])?
        .denying(["secret"])?
        .reading_namespaces(["other.*", "flow.*"])?;
    let identity = NodeIdentity::new("reader", "reader").map_err(piton_backpack::Error::from)?;
    let reader = backpack.scope(identity, Some(permissions))?;
    row("unpack a small value, with permissions", UNPACK_US_MAX, REPETITIONS, |count| {
        reader.unpack_required::<u32>(&keys[count as usize % 100])
    })
}

/// Reads the 100 items of one namespace out of 10,000 items in a hundred namespaces.
fn query() -> Result<MeasureRow> {
    let backpack = empty();
    for number in 0..10_000_u32 {
        let writer = node(&backpack, "writer", &format!("flow.node-{}", number % 100))?;
        let _ = writer.pack(&format!("key-{number}"), &number)?;
    }
    let permissions = Permissions::none().reading_namespaces(["flow.**"])?;
    let identity = NodeIdentity::new("reader", "reader").map_err(piton_backpack::Error::from)?;
    let reader = backpack.scope(identity, Some(permissions))?;
    let found = reader.items_by_namespace("flow.node-7")?.len();
    expect("items of the namespace", 100, found as u64)?;
    row("read 100 of 10,000 items by namespace", QUERY_US_MAX, 50, |_| {
        reader.items_by_namespace("flow.node-7")
    })
}

const COMMITS: u32 = 10_000;
const SNAPSHOT_US_MAX: f64 = 5.0;
const DIFF_US_MAX: f64 = 100.0;
/// Maximum cost of a snapshot of many keys, relative to one of few.
const KEYS_RATIO_MAX: f64 = 3.0;
/// Number of snapshots in one sample.
const SNAPSHOTS: u64 = 1_000;
const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 10, warm_up: 1 };

// shows: BP-110
pub(super) fn past_rows() -> Result<Vec<MeasureRow>> {
    let backpack = long_history()?;
    let commits = backpack.debug().history(&Filter::default())?;
    let ids: Vec<CommitId> = commits.iter().map(piton_backpack::Commit::id).collect();
    let times: Vec<TimestampMs> = commits.iter().map(piton_backpack::Commit::timestamp).collect();
    let nodes: Vec<NodeId> = (0..100)
        .map(|number| NodeId::parse(&format!("node-{number}")))
        .collect::<std::result::Result<_, _>>()
        .map_err(piton_backpack::Error::from)?;
    Ok(vec![
        row("snapshot at each of 10,000 commits", SNAPSHOT_US_MAX, COMMITS, |count| {
            backpack.snapshot_at_commit(ids[count as usize])
        })?,
        row("  by timestamp", SNAPSHOT_US_MAX, COMMITS, |count| {
            backpack.snapshot_at(times[count as usize])
        })?,
        row("  before a node", SNAPSHOT_US_MAX, COMMITS, |count| {
            backpack.snapshot_before_node(&nodes[count as usize % 100])
        })?,
        among("snapshot among 10,000 keys", |_| {})?.judged(Bar::ratio(KEYS_RATIO_MAX)),
        among("  and the first look at it", |taken| {
            std::hint::black_box(taken.debug().commit_count());
        })?,
        diff()?,
    ])
}

/// Builds 10,000 commits of a hundred nodes to a hundred keys.
fn long_history() -> Result<Backpack> {
    let backpack = empty();
    for number in 0..COMMITS {
        let name = number / 100;
        let node = node(&backpack, &format!("node-{name}"), "flow.node")?;
        let _ = node.pack(&format!("key-{}", number % 100), &number)?;
    }
    let found = backpack.debug().history(&Filter::default())?.len();
    expect("commits in memory", u64::from(COMMITS), found as u64)?;
    Ok(backpack)
}

/// Measures a snapshot among 10,000 keys against one among 10, with a first look at it.
// shows: BP-024
fn among(name: &'static str, look: impl Fn(&Backpack)) -> Result<MeasureRow> {
    let with_keys = |keys: u32| -> Result<(Backpack, Vec<CommitId>)> {
        let backpack = empty();
        let node = writer(&backpack)?;
        for number in 0..COMMITS {
            let _ = node.pack(&format!("key-{}", number % keys), &number)?;
        }
        let commits = backpack.debug().history(&Filter::default())?;
        // The last thousand commits, where nearly all keys exist.
        let last = commits.iter().rev().take(1_000).map(piton_backpack::Commit::id);
        Ok((backpack, last.collect()))
    };
    let (many, few) = (with_keys(10_000)?, with_keys(10)?);
    let take = |(backpack, commits): &(Backpack, Vec<CommitId>)| {
        let (outcome, time) = thread_cpu(|| {
            for commit in commits {
                look(&std::hint::black_box(backpack.snapshot_at_commit(*commit)?));
            }
            Ok::<(), piton_backpack::Error>(())
        });
        outcome?;
        Ok(time)
    };
    let samples = SCHEDULE.run(|_| Ok((|| take(&many), || take(&few))))?;
    Ok(MeasureRow::timed_each(name, Unit::Microseconds, "among 10", &samples, SNAPSHOTS))
}

/// Measures a diff of 1,000 keys of which 10 changed.
fn diff() -> Result<MeasureRow> {
    let backpack = empty();
    let node = writer(&backpack)?;
    let mut start = None;
    for number in 0..1_000 {
        start = node.pack(&format!("key-{number}"), &number)?.done();
    }
    for number in 0..10 {
        let _ = node.pack(&format!("key-{}", number * 97), &"changed")?;
    }
    // `start` is the last of the first thousand commits, so exactly the ten changes lie between the two states.
    let before = backpack.snapshot_at_commit(start.expect("the commit was made"))?;
    let changes = StateDiff::between(&before, &backpack)?.changes.len();
    expect("changes", 10, changes as u64)?;
    row("diff of 1,000 keys with 10 changes", DIFF_US_MAX, 200, |_| {
        StateDiff::between(&before, &backpack)
    })
}

//! Finding the workspace of a path among a thousand.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

use piton_core::TimestampMs;
use piton_core::port::fixed::ManualClock;
use piton_store::local::SystemEntropy;
use piton_store::memory::{MemoryBlobs, MemoryTable};
use piton_workspaces::path::LogicalPath;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::{VirtualNamespace, VirtualPorts, VirtualStore};
use piton_workspaces::{Definition, Right, Tool, Workspaces};

use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 20, pairs: 50, warm_up: 5 };
const WORKSPACES: u32 = 1_000;
/// Routing walks the segments of a path and checks a right; a search through the Workspaces would cost a thousand
/// lookups.
const RATIO_MAX: f64 = 45.0;

fn store() -> Result<Arc<dyn Store>> {
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let ports = VirtualPorts {
        table: Arc::new(MemoryTable::default()),
        blobs: Arc::new(MemoryBlobs::new(clock.clone())),
        clock,
        entropy: Arc::new(SystemEntropy),
    };
    let namespace =
        VirtualNamespace::new(["bench"]).map_err(|why| Error::Refused(why.to_string()))?;
    Ok(Arc::new(VirtualStore::new(ports, &namespace, None)))
}

// shows: WS-060
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let store = store()?;
    let prefix = |number: u32| format!("/projects/p{:02}/w{number:03}", number % 40);
    let definitions = (0..WORKSPACES).map(|number| Definition {
        prefix: prefix(number),
        scope: "read-write".into(),
        purpose: String::new(),
        deny: Vec::new(),
        writable: Vec::new(),
        reserved: Vec::new(),
        store: Ok(Arc::clone(&store)),
    });
    let set = Workspaces::new(definitions.collect());
    let set = set.map_err(|error| Error::Refused(error.to_string()))?;
    let paths: Vec<LogicalPath> = (0..WORKSPACES)
        .filter_map(|number| format!("{}/src/deep/main.rs", prefix(number)).parse().ok())
        .collect();
    expect("paths", u64::from(WORKSPACES), paths.len() as u64)?;
    // The baseline is the least that routing could cost: one exact lookup.
    let plain: HashMap<&str, usize> =
        paths.iter().enumerate().map(|(at, path)| (path.as_str(), at)).collect();
    let ours = || {
        let (found, time) = wall_time(|| {
            let permitted = |path: &&LogicalPath| {
                set.permit(Tool::Edit, Right::Change, black_box(path)).is_ok()
            };
            paths.iter().filter(permitted).count()
        });
        expect("paths that belong to a Workspace", u64::from(WORKSPACES), found as u64)?;
        Ok(time)
    };
    let baseline = || {
        let (found, time) = wall_time(|| {
            paths.iter().filter(|path| plain.contains_key(black_box(path.as_str()))).count()
        });
        expect("paths in the map", u64::from(WORKSPACES), found as u64)?;
        Ok(time)
    };
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let name = "route a path over 1,000 Workspaces";
    let (unit, baseline) = (Unit::Microseconds, "one lookup in a hash map");
    let row = MeasureRow::timed_each(name, unit, baseline, &samples, WORKSPACES.into());
    Ok(vec![row.judged(Bar::ratio(RATIO_MAX))])
}

//! What a crash cut short.

use std::path::Path;
use std::sync::Arc;

use piton_backpack::Options;
use piton_backpack::journal::Mode;
use piton_store::testing::SimDisk;

use super::site::{Site, commits, node, saved};

// shows in part: BP-101 (the part about the torn tail)
#[tokio::test]
async fn a_log_that_ends_inside_its_last_commit_is_cut_there_and_that_is_reported() {
    let log = Path::new("/backpacks/pack_a/log");
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    saved(&a, a.pack("x", &"kept")).await;
    let before = disk.contents()[log].len();
    saved(&a, a.pack("x", &"lost")).await;
    let whole = disk.contents()[log].len();
    let expected = commits(backpack.memory());
    drop((a, backpack));
    for end in before..=whole {
        let cut = disk.after_losing_all();
        cut.damage(log, |bytes| bytes.truncate(end));
        let site = Site::on(Arc::new(cut), 2);
        let opened = site.try_open(Mode::Durable, Options::default()).await.unwrap();
        let torn = opened.torn_tail.map(|torn| (torn.offset, torn.bytes));
        let (left, value) = if end == whole { (2, "lost") } else { (1, "kept") };
        let is_torn = end != before && end != whole;
        assert_eq!(torn, is_torn.then_some((before as u64, (end - before) as u64)), "{end}");
        assert_eq!(commits(opened.backpack.memory()), expected[..left]);
        let b = node(&opened.backpack, "b");
        assert_eq!(b.unpack::<String>("x").unwrap().as_deref(), Some(value));
        saved(&b, b.pack("x", &"again")).await;
    }
}

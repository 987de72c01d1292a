//! What is called fresh is what a scan that reads every file would say.

use std::fs;
use std::path::Path;

use piton_context::agent::AgentContext;
use piton_context::frame::{Basis, PutFrame};
use piton_context::history::RootRef;
use piton_context::read::View;
use piton_context::scan::Scanner;
use piton_context::tree::{Directory, TreeNode, TreeNodeId, TreePath};
use piton_context::{Context, Error, ProjectLocation};
use proptest::prelude::*;

use crate::scene::{agents, block_on, memory_ports, node, write};

/// Few names and contents, so that edits are taken back and files are confused with each other.
const PLACES: [&str; 6] = ["a", "d/a", "d/b", "d/in/c", "e/in/c", "e/x"];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, u8),
    Remove(usize),
    Rename(usize, usize),
    RenameDirectory(bool),
    Ignore(Option<usize>),
    Put(usize),
    PutOnDirectory,
    Read(usize),
    Report,
}

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..PLACES.len();
    prop_oneof![
        4 => (place(), 0..3_u8).prop_map(|(at, content)| Step::Write(at, content)),
        1 => place().prop_map(Step::Remove),
        2 => (place(), place()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => any::<bool>().prop_map(Step::RenameDirectory),
        1 => proptest::option::of(place()).prop_map(Step::Ignore),
        4 => place().prop_map(Step::Put),
        1 => Just(Step::PutOnDirectory),
        4 => place().prop_map(Step::Read),
        2 => Just(Step::Report),
    ]
}

/// A project whose every call is made as by a process of its own, and a second store in which every file is read.
struct World {
    dir: tempfile::TempDir,
    stamps: tempfile::TempDir,
    context: Context,
}

fn agent(context: Context) -> AgentContext {
    AgentContext::new(context, &agents(), &"synthesis".parse().unwrap()).unwrap()
}

impl World {
    fn new() -> Self {
        let (dir, stamps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let context = Context::new(memory_ports().0, ProjectLocation::new(dir.path()));
        let world = Self { dir, stamps, context };
        write(world.root(), "a", "first");
        let scanned = world.scanner().scan(false).unwrap();
        block_on(world.context.record(&scanned.tree, false, None)).unwrap();
        world
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn scanner(&self) -> Scanner {
        Scanner::new(self.root()).with_stamps(self.stamps.path().join("stamps"))
    }

    fn truth(&self) -> std::sync::Arc<Directory> {
        Scanner::new(self.root()).scan(true).unwrap().tree
    }

    fn carry_out(&self, step: &Step) {
        let at = |place: &usize| self.root().join(PLACES[*place]);
        match step {
            Step::Write(place, content) => {
                // A directory may have been renamed over its parent.
                if let Some(above) = at(place).parent()
                    && fs::create_dir_all(above).is_ok()
                {
                    let _ = fs::write(at(place), format!("content {content}"));
                }
            }
            Step::Remove(place) => {
                let _ = fs::remove_file(at(place));
            }
            Step::Rename(from, to) => {
                if let Some(above) = at(to).parent() {
                    let _ = fs::create_dir_all(above);
                }
                let _ = fs::rename(at(from), at(to));
            }
            Step::RenameDirectory(there) => {
                let names = ["d/in", "e/in"].map(|name| self.root().join(name));
                let _ = fs::create_dir_all(self.root().join("d"));
                let _ = fs::create_dir_all(self.root().join("e"));
                let _ = if *there {
                    fs::rename(&names[0], &names[1])
                } else {
                    fs::rename(&names[1], &names[0])
                };
            }
            Step::Ignore(Some(place)) => {
                let name = PLACES[*place].rsplit('/').next().unwrap();
                write(self.root(), ".gitignore", name);
            }
            Step::Ignore(None) => {
                let _ = fs::remove_file(self.root().join(".gitignore"));
            }
            Step::Put(place) => self.put(PLACES[*place]),
            Step::PutOnDirectory => self.put("d"),
            Step::Read(place) => self.check_node(PLACES[*place]),
            Step::Report => self.check_report(),
        }
    }

    fn put(&self, at: &str) {
        let agent = agent(block_on(self.context.refreshed(&mut self.scanner(), None)));
        let frame = PutFrame::new(at, "note".parse().unwrap(), "text");
        match block_on(agent.put_frame(&frame)) {
            Ok(_) => assert!(id_at(&self.truth(), at).is_some(), "{at} is there"),
            Err(Error::NodeNotFound { .. }) => assert_eq!(id_at(&self.truth(), at), None),
            Err(error) => panic!("{error}"),
        }
    }

    fn check_node(&self, at: &str) {
        let agent = agent(block_on(self.context.refreshed(&mut self.scanner(), Some(&node(at)))));
        let truth = id_at(&self.truth(), at);
        let seen = match block_on(agent.read_context(&node(at), &View::default())) {
            Ok(seen) => seen,
            Err(Error::NodeNotFound { .. }) => {
                assert_eq!(truth, None, "{at} is there");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(seen.is_current, truth == Some(seen.node.id), "{at}");
        assert_eq!(truth.is_some(), seen.is_current, "{at}");
        for frame in seen.frames {
            let Basis::Written { node_id, .. } = frame.basis else {
                panic!("nothing else was put")
            };
            assert_eq!(frame.freshness.is_fresh(), truth == Some(node_id), "{at}");
            assert_eq!(frame.freshness.unchecked(), None);
        }
    }

    fn check_report(&self) {
        let context = block_on(self.context.refreshed(&mut self.scanner(), None));
        let report = block_on(context.report(&RootRef::Current)).unwrap();
        let truth = self.truth();
        assert_eq!((report.root.root, report.unchecked), (truth.id(), None));
        for stale in report.stale {
            let frame = block_on(context.frame(stale.frame)).unwrap();
            assert_ne!(id_at(&truth, &stale.path.to_string()), Some(frame.node_id));
        }
        for at in PLACES.into_iter().chain(["d"]) {
            self.check_node(at);
        }
        assert!(block_on(context.validate()).unwrap().is_sound());
    }
}

/// The id of what is at a path.
fn id_at(tree: &Directory, at: &str) -> Option<TreeNodeId> {
    let mut found = None;
    let wanted: TreePath = at.parse().unwrap();
    tree.walk(&TreePath::root(), &mut |path: &TreePath, node: &TreeNode| {
        if *path == wanted {
            found = Some(node.id());
        }
    });
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    // shows in part: CT-028 (the part that fresh is what the files say), CT-011 (frames that went along)
    #[test]
    fn fresh_is_what_a_scan_of_every_file_says(steps in proptest::collection::vec(step(), 1..40)) {
        let world = World::new();
        for step in &steps {
            world.carry_out(step);
        }
        world.check_report();
    }
}

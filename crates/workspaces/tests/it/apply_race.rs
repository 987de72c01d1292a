//! Agents that write while a person applies their overlay, and persons whose process dies in the middle of it.
//!
//! Applying never changes what the agent sees, whatever it does meanwhile. So one thing is done at each moment at which
//! applying asks a table for something, and the agent has to see afterwards what it would see if nobody had applied
//! anything. Then it is applied once more, and what is below has to be what the agent sees.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use piton_store::Error;
use piton_store::memory::MemoryTable;
use piton_store::port::{Batch, BoxFuture, EntryVersion, Key, Page, Table, TableEntry, TakenOut};
use piton_store::testing::LongRun;
use piton_workspaces::overlay::{Applied, ApplyRequest, DifferenceKind, OverlayStore};
use piton_workspaces::virtual_store::{VirtualPorts, VirtualStore};
use piton_workspaces::{Files, Workspaces};
use serde_json::{Value, json};

use crate::overlay_trees::shown;
use crate::world::{definition, memory_ports, namespace, put};

/// What happens at a moment.
#[derive(Clone)]
enum Event {
    /// An agent calls a tool.
    Call(Files, &'static str, Value),
    /// A person applies the overlay.
    Apply(OverlayStore, Files),
    /// A person looks at the changes.
    Diff(OverlayStore),
    /// The process dies: from there on nothing that it asks for happens.
    Death,
}

/// The moments of a process: how often it asked a table for something, and what happens at one of them.
#[derive(Clone, Default)]
struct Moments(Arc<Mutex<Timeline>>);

/// How many there were, what is to happen at which one, and whether the process is dead.
type Timeline = (usize, Option<(usize, Event)>, bool);

impl Moments {
    fn plan(&self, moment: usize, event: Event) {
        *self.0.lock().unwrap() = (0, Some((moment, event)), false);
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().0
    }

    async fn pass(&self) -> Result<(), Error> {
        let event = {
            let (count, planned, _) = &mut *self.0.lock().unwrap();
            *count += 1;
            planned.take_if(|(moment, _)| *moment < *count).map(|(_, event)| event)
        };
        match event {
            Some(Event::Call(files, tool, arguments)) => {
                let reply = files.call(tool, arguments.clone()).await;
                assert!(!reply.is_error(), "{tool} {arguments}: {}", reply.text);
            }
            Some(Event::Apply(overlay, person)) => {
                let request = ApplyRequest::everything("/project".parse().unwrap());
                assert_eq!(overlay.apply(&person, &request).await.unwrap().stopped, None);
            }
            Some(Event::Diff(overlay)) => drop(overlay.diff().await.unwrap()),
            Some(Event::Death) => self.0.lock().unwrap().2 = true,
            None => {}
        }
        if self.0.lock().unwrap().2 { Err(Error::BadRequest { problem: "dead" }) } else { Ok(()) }
    }
}

/// A table as one process reaches it.
struct Reached(MemoryTable, Moments);

impl Table for Reached {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<TableEntry>, Error>> {
        Box::pin(async move {
            self.1.pass().await?;
            self.0.get(key).await
        })
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<TableEntry>>, Error>> {
        Box::pin(async move {
            self.1.pass().await?;
            self.0.get_all(keys).await
        })
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            self.1.pass().await?;
            self.0.scan(prefix, after, limit).await
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<EntryVersion, Error>> {
        Box::pin(async move {
            self.1.pass().await?;
            self.0.commit(batch).await
        })
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.0.snapshot()
    }

    fn taken_out<'a>(
        &'a self,
        visit: &'a mut (dyn FnMut(TakenOut) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.0.taken_out(visit)
    }
}

/// One overlay in two processes: an agent's and a person's.
struct Rig {
    agent: Files,
    person: Files,
    overlay: OverlayStore,
    /// The same overlay in the agent's process.
    other: OverlayStore,
    /// The moments of the person's process.
    moments: Moments,
    /// Those of the agent's.
    own_moments: Moments,
}

impl Rig {
    async fn new() -> Self {
        let (above, below) = (MemoryTable::default(), MemoryTable::default());
        let moments = Moments::default();
        // Processes do not share their luck: directories get ids of their own.
        let seed = AtomicU64::new(0);
        let store = |table: &MemoryTable, name: &str, moments: Moments| {
            let table: Arc<dyn Table> = Arc::new(Reached(table.clone(), moments));
            let ports =
                VirtualPorts { table, ..memory_ports(seed.fetch_add(1, Ordering::Relaxed)) };
            VirtualStore::new(ports, &namespace(&[name]), None)
        };
        let overlay = |moments: &Moments| {
            let lower = store(&below, "below", moments.clone());
            let lower = Workspaces::new(vec![definition("/project", "read-only", Arc::new(lower))]);
            OverlayStore::new(store(&above, "above", moments.clone()), &lower.unwrap().all()[0])
        };
        let own_moments = Moments::default();
        let own = overlay(&own_moments);
        let other = own.clone();
        let agent = Workspaces::new(vec![definition("/scratch", "read-write", Arc::new(own))]);
        let agent = Files::new(Arc::new(agent.unwrap()));
        let overlay = overlay(&moments);
        let person = Files::new(Arc::new(overlay.operator(&"/project".parse().unwrap()).unwrap()));
        let first = store(&below, "below", Moments::default());
        for (path, text) in [
            ("a.txt", "alpha\n"),
            ("b.txt", "bravo\n"),
            ("src/m.rs", "fn main() {}\n"),
            ("src/deep/old.rs", "old\n"),
            ("kept/k.txt", "kept\n"),
            ("plain/p.txt", "plain\n"),
        ] {
            put(&first, path, text.as_bytes()).await;
        }
        let rig = Self { agent, person, overlay, other, moments, own_moments };
        // Of everything that can differ, one.
        for call in [
            write("a.txt", "changed\n"),
            delete("b.txt"),
            write("new/deep/x.txt", "x\n"),
            delete("src"),
            write("src/m.rs", "other\n"),
            delete("kept"),
            write("kept", "a file now\n"),
            ("mkdir", json!({ "path": "/scratch/void" })),
        ] {
            rig.does(&call).await;
        }
        rig
    }

    async fn does(&self, (tool, arguments): &Call) {
        let reply = self.agent.call(tool, arguments.clone()).await;
        assert!(!reply.is_error(), "{tool} {arguments}: {}", reply.text);
    }

    async fn apply(&self) -> Result<Applied, piton_workspaces::Error> {
        let request = ApplyRequest::everything("/project".parse().unwrap());
        self.overlay.apply(&self.person, &request).await
    }

    /// Applies until the process dies at a moment, if there are so many.
    async fn dies_applying(&self, moment: usize) -> Result<Applied, piton_workspaces::Error> {
        self.moments.plan(moment, Event::Death);
        let applied = self.apply().await;
        self.moments.plan(usize::MAX, Event::Death);
        applied
    }

    /// Somebody settles what is below, and changes there whatever is no change of the overlay. The changes have to be what differs, and
    /// everything else has to show what is below.
    async fn follows_what_is_below(&self, when: &str) {
        let (above, below) =
            (shown(&self.agent, "/scratch").await, shown(&self.person, "/project").await);
        let look = async || {
            self.moments.plan(usize::MAX, Event::Death);
            (self.overlay.diff().await.unwrap(), self.moments.count())
        };
        let (changes, asked) = look().await;
        // Who looks again finds as many rows: nobody removes one by looking.
        assert_eq!(look().await, (changes.clone(), asked), "{when}");
        // Somebody who agrees to no change at all settles what the dead process left, and nothing else.
        let request = ApplyRequest {
            reviewed: Some(Vec::new()),
            ..ApplyRequest::everything("/project".parse().unwrap())
        };
        let applied = self.overlay.apply(&self.person, &request).await.unwrap();
        assert_eq!((applied.paths, applied.stopped), (Vec::new(), None), "{when}");
        assert_eq!(self.overlay.diff().await.unwrap(), changes, "{when}");
        let changes = changes.iter().map(|one| (format!("/{}", one.path), one.kind));
        let changes: Vec<(String, DifferenceKind)> = changes.collect();
        let is_in = |path: &str, outer: &str| {
            path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let differing: Vec<&str> = above
            .iter()
            .filter(|one| !below.contains(one))
            .chain(below.iter().filter(|one| !above.contains(one)))
            .map(|(path, _)| path.as_str())
            .collect();
        for (change, _) in &changes {
            let differs = differing.iter().any(|path| is_in(path, change));
            assert!(differs, "{change} is no change, {when}: {changes:?}");
        }
        let is_changed = |path: &str| {
            changes.iter().any(|(change, kind)| {
                path == change || *kind == DifferenceKind::Deleted && is_in(path, change)
            })
        };
        for path in differing {
            assert!(is_changed(path), "{path} differs, {when}: {changes:?}");
        }
        // What was there at first and what is there now, and something new in every directory.
        let files = below.iter().filter(|(_, text)| !text.is_empty()).map(|(path, _)| path.clone());
        let directories = below.iter().filter(|(_, text)| text.is_empty());
        let new = directories.map(|(path, _)| format!("{path}/later.txt"));
        let later: Vec<String> = files
            .chain(new)
            .chain(["/b.txt".to_owned(), "/later.txt".to_owned()])
            .filter(|path| !is_changed(path))
            .collect();
        for path in &later {
            let arguments = json!({ "path": format!("/project{path}"), "content": "later\n" });
            let reply = self.person.call("write", arguments).await;
            assert!(!reply.is_error(), "{path}, {when}: {}", reply.text);
        }
        let expected: BTreeMap<String, String> = above
            .into_iter()
            .chain(later.into_iter().map(|path| (path, "later\n".to_owned())))
            .collect();
        let expected: Vec<(String, String)> = expected.into_iter().collect();
        self.ends_as(&expected, when).await;
    }

    /// Applies everything, undisturbed, and compares.
    async fn ends_as(&self, expected: &[(String, String)], when: &str) {
        assert_eq!(shown(&self.agent, "/scratch").await, expected, "the agent's view, {when}");
        self.moments.plan(usize::MAX, Event::Death);
        let applied = self.apply().await.unwrap_or_else(|error| panic!("{when}: {error}"));
        assert!(applied.left.is_empty() && applied.stopped.is_none(), "{when}: {applied:?}");
        assert_eq!(shown(&self.person, "/project").await, expected, "what is below, {when}");
        assert_eq!(shown(&self.agent, "/scratch").await, expected, "the view after, {when}");
    }
}

type Call = (&'static str, Value);

fn write(path: &str, content: &str) -> Call {
    ("write", json!({ "path": format!("/scratch/{path}"), "content": content }))
}

fn delete(path: &str) -> Call {
    ("delete", json!({ "path": format!("/scratch/{path}"), "recursive": true }))
}

/// What an agent does meanwhile: something to everything that is being applied, and beside it.
fn calls() -> Vec<Call> {
    let moved = |from: &str, to: &str| {
        ("move", json!({ "from": format!("/scratch/{from}"), "to": format!("/scratch/{to}") }))
    };
    vec![
        write("a.txt", "newer\n"),
        // As it was before.
        write("a.txt", "alpha\n"),
        ("write", json!({ "path": "/scratch/a.txt", "content": "more\n", "append": true })),
        ("edit", json!({ "path": "/scratch/a.txt", "old_string": "ang", "new_string": "ANG" })),
        delete("a.txt"),
        moved("a.txt", "moved/a.txt"),
        write("b.txt", "again\n"),
        write("b.txt", "bravo\n"),
        ("mkdir", json!({ "path": "/scratch/b.txt" })),
        write("new/deep/x.txt", "newer\n"),
        write("new/deep/y.txt", "y\n"),
        delete("new/deep/x.txt"),
        delete("new/deep"),
        delete("new"),
        moved("new", "other"),
        write("src/m.rs", "newer\n"),
        write("src/deep/old.rs", "again\n"),
        delete("src/m.rs"),
        delete("src"),
        write("kept", "newer\n"),
        delete("kept"),
        write("void/z.txt", "z\n"),
        delete("void"),
        delete("plain"),
        write("plain/p.txt", "newer\n"),
        write("brand/new.txt", "new\n"),
    ]
}

/// How many moments applying has, undisturbed.
async fn moments() -> usize {
    let rig = Rig::new().await;
    rig.moments.plan(usize::MAX, Event::Death);
    assert_eq!(rig.apply().await.unwrap().left, []);
    rig.moments.count()
}

/// Disturbs applying at moments of it, each `step`th one in a short run, once for each call. In the end everything is as
/// if the call alone had been made.
async fn at_each_moment(step: u64, disturb: impl AsyncFn(&Rig, usize, Call, &str)) {
    let step = usize::try_from(LongRun::size(step, 1)).unwrap();
    let moments = moments().await;
    for (first, call) in calls().into_iter().enumerate() {
        let twin = Rig::new().await;
        twin.does(&call).await;
        let expected = shown(&twin.agent, "/scratch").await;
        for moment in (first % step..moments).step_by(step) {
            let when = format!("at {moment} of {moments}, with {} {}", call.0, call.1);
            let rig = Rig::new().await;
            disturb(&rig, moment, call.clone(), &when).await;
            rig.ends_as(&expected, &when).await;
        }
    }
}

mod long {
    use super::*;

    // shows: WS-059
    // shows in part: WS-054 (what is written meanwhile)
    #[tokio::test]
    async fn what_an_agent_does_while_its_overlay_is_applied_is_below_afterwards_or_still_above() {
        at_each_moment(7, async |rig, moment, (tool, arguments), when| {
            rig.moments.plan(moment, Event::Call(rig.agent.clone(), tool, arguments));
            let applied = rig.apply().await.unwrap_or_else(|error| panic!("{when}: {error}"));
            assert_eq!(applied.stopped, None, "{when}");
        })
        .await;
    }

    /// Something that another person does at each moment of applying changes nothing of what comes of it.
    async fn beside(event: impl Fn(&Rig) -> Event) {
        let moments = moments().await;
        for moment in 0..moments {
            let when = format!("at {moment} of {moments}");
            let rig = Rig::new().await;
            let expected = shown(&rig.agent, "/scratch").await;
            rig.moments.plan(moment, event(&rig));
            let applied = rig.apply().await.unwrap_or_else(|error| panic!("{when}: {error}"));
            assert_eq!((applied.left, applied.stopped), (Vec::new(), None), "{when}");
            rig.ends_as(&expected, &when).await;
        }
    }

    #[tokio::test]
    async fn who_looks_at_an_overlay_while_it_is_applied_spoils_nothing() {
        beside(|rig| Event::Diff(rig.other.clone())).await;
    }

    #[tokio::test]
    async fn two_who_apply_an_overlay_at_once_lose_nothing_and_find_no_conflict() {
        beside(|rig| {
            let person = rig.other.operator(&"/project".parse().unwrap()).unwrap();
            Event::Apply(rig.other.clone(), Files::new(Arc::new(person)))
        })
        .await;
    }

    #[tokio::test]
    async fn an_overlay_that_is_applied_while_an_agent_does_something_changes_nothing_for_it() {
        let reads: Vec<Call> = vec![
            ("read", json!({ "path": "/scratch/a.txt" })),
            ("stat", json!({ "path": "/scratch/src" })),
            ("ls", json!({ "path": "/scratch/new/deep" })),
            ("glob", json!({ "pattern": "**", "path": "/scratch" })),
            ("grep", json!({ "pattern": ".", "path": "/scratch" })),
            ("copy", json!({ "from": "/scratch/new/deep/x.txt", "to": "/scratch/copy.txt" })),
        ];
        for (tool, arguments) in calls().into_iter().chain(reads) {
            let twin = Rig::new().await;
            twin.own_moments.plan(usize::MAX, Event::Death);
            let said = twin.agent.call(tool, arguments.clone()).await.text;
            let moments = twin.own_moments.count();
            let expected = shown(&twin.agent, "/scratch").await;
            for moment in 0..moments {
                let when = format!("applied at {moment} of {moments} of {tool} {arguments}");
                let rig = Rig::new().await;
                let apply = Event::Apply(rig.overlay.clone(), rig.person.clone());
                rig.own_moments.plan(moment, apply);
                let reply = rig.agent.call(tool, arguments.clone()).await;
                assert!(!reply.is_error(), "{when}: {}", reply.text);
                assert_eq!(reply.text, said, "{when}");
                rig.ends_as(&expected, &when).await;
            }
        }
    }

    // shows: WS-059
    // shows in part: WS-054 (a crash)
    #[tokio::test]
    async fn a_process_that_dies_while_it_applies_loses_nothing_and_leaves_no_false_conflict() {
        at_each_moment(11, async |rig, moment, call, when| {
            let before = shown(&rig.agent, "/scratch").await;
            let applied = rig.dies_applying(moment).await;
            assert!(applied.is_err() || applied.unwrap().stopped.is_some(), "{when}");
            assert_eq!(shown(&rig.agent, "/scratch").await, before, "{when}");
            rig.does(&call).await;
        })
        .await;
    }

    /// A part is applied or dropped until the process dies. Whoever applies the rest afterwards finds no false conflict.
    #[tokio::test]
    async fn a_process_that_dies_while_it_applies_or_drops_a_part_leaves_the_rest() {
        let paths: Vec<_> = ["new/deep/x.txt", "src"].map(|path| path.parse().unwrap()).to_vec();
        for drops in [false, true] {
            for moment in 0.. {
                let when = format!("at {moment}, drops: {drops}");
                let rig = Rig::new().await;
                let before = shown(&rig.agent, "/scratch").await;
                rig.moments.plan(moment, Event::Death);
                let is_done = if drops {
                    rig.overlay.drop_paths(&paths, None).await.is_ok()
                } else {
                    let everything = ApplyRequest::everything("/project".parse().unwrap());
                    let request = ApplyRequest { paths: paths.clone(), ..everything };
                    let applied = rig.overlay.apply(&rig.person, &request).await;
                    applied.is_ok_and(|applied| applied.stopped.is_none())
                };
                rig.moments.plan(usize::MAX, Event::Death);
                let after = shown(&rig.agent, "/scratch").await;
                assert!(drops || after == before, "{when}");
                rig.ends_as(&after, &when).await;
                if is_done {
                    break;
                }
            }
        }
    }

    // shows in part: WS-054 (what was applied before a crash hides nothing that changes below later)
    #[tokio::test]
    async fn what_a_process_applied_before_it_died_hides_no_later_change_of_what_is_below() {
        let (step, again) = (LongRun::size(3, 1), LongRun::size(17, 5));
        let (step, again) = (usize::try_from(step).unwrap(), usize::try_from(again).unwrap());
        let moments = moments().await;
        for moment in (0..moments).step_by(step) {
            let second = (moment % again..moments).step_by(again).map(Some);
            for second in second.chain([None]) {
                let when = format!("died at {moment}, then at {second:?} of {moments}");
                let rig = Rig::new().await;
                assert!(
                    !rig.dies_applying(moment).await.is_ok_and(|applied| applied.stopped.is_none())
                );
                if let Some(second) = second {
                    // The rest may need fewer moments than that.
                    let _ = rig.dies_applying(second).await;
                }
                rig.follows_what_is_below(&when).await;
            }
        }
    }
}

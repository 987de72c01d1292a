//! Workspaces under attack, and what must hold after every call, whatever was called.
//!
//! There is no way to call a tool here without a look afterwards: [`Guarded::call`] looks at everything;
//! [`Guarded::amid`] is for the few attempts during which somebody else changes files, which look themselves when all
//! is still again ([`Guarded::still_holds`]).

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::store::Store;
use piton_workspaces::tools::CallReply;
use piton_workspaces::{Definition, Error, Files, Tool, Workspaces};
use serde_json::{Value, json};

use crate::counting::{Asked, Counting};
use crate::snapshot::{store_tree, tree};
use crate::world::{definition, physical};

/// What must never be in a reply.
const CANARIES: [&str; 5] = ["CANARY-OUT", "CANARY-SIB", "CANARY-NS", "CANARY-WO-P", "CANARY-WO-V"];

/// How many threads there may be more than at first: the runtime has up to 512 for what blocks. It keeps each for a
/// while, and begins another if the last call was answered a moment before its thread was free again.
const THREADS_SPARE: usize = 512 + 16;

/// A Workspace, and where its files are.
pub(crate) struct Laid {
    definition: Definition,
    ground: Ground,
    follows_links: bool,
}

/// Where files are.
enum Ground {
    /// In a directory, which is held: what happens to its path later has no effect.
    Directory(File),
    /// In a Store.
    Store(Arc<dyn Store>),
}

/// A Workspace in a directory of the machine.
pub(crate) fn in_directory(
    prefix: &str,
    scope: &str,
    directory: &Path,
    options: PhysicalOptions,
) -> Laid {
    let ground = Ground::Directory(File::open(directory).unwrap());
    let definition = definition(prefix, scope, physical(directory, options));
    Laid { definition, ground, follows_links: options.links }
}

/// A Workspace in a Store.
pub(crate) fn in_store(prefix: &str, scope: &str, store: Arc<dyn Store>) -> Laid {
    let ground = Ground::Store(Arc::clone(&store));
    Laid { definition: definition(prefix, scope, store), ground, follows_links: false }
}

impl Laid {
    /// The same, hiding these names.
    pub(crate) fn hiding(mut self, deny: &[&str]) -> Self {
        self.definition.deny = deny.iter().map(|pattern| (*pattern).to_owned()).collect();
        self
    }

    /// The same, letting agents change these protected names.
    pub(crate) fn letting(mut self, names: &[&str]) -> Self {
        self.definition.writable = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }
}

/// Files that are looked at.
struct Watched {
    name: String,
    ground: Ground,
    /// Whether no call may change them.
    is_fixed: bool,
}

/// What was so before an attempt.
pub(crate) struct Seen {
    state: BTreeMap<String, BTreeMap<String, String>>,
    descriptors: usize,
    answers: bool,
}

/// A set of Workspaces under attack.
pub(crate) struct Guarded {
    files: Files,
    asked: Arc<Asked>,
    watched: Vec<Watched>,
    /// Names of the machine that no reply may have.
    machine: Vec<String>,
    /// The Workspace that is listed to see whether calls are answered.
    listed: String,
    follows_links: bool,
    threads: usize,
}

impl Guarded {
    /// A set of these Workspaces, the files of which are all below `machine`, if any are on the machine.
    pub(crate) fn new(machine: Option<&Path>, laid: Vec<Laid>) -> Self {
        let asked = Arc::new(Asked::default());
        let readable = laid.iter().find(|one| one.definition.scope != "write-only");
        let listed = readable.map_or("/".into(), |one| one.definition.prefix.clone());
        let follows_links = laid.iter().any(|one| one.follows_links);
        let writable: Vec<Arc<dyn Store>> = laid
            .iter()
            .filter(|one| one.definition.scope != "read-only")
            .map(Laid::store)
            .collect();
        let (mut watched, mut definitions) = (Vec::new(), Vec::new());
        for one in laid {
            let store = one.store();
            let is_fixed = !writable.iter().any(|other| Arc::ptr_eq(other, &store));
            let name = one.definition.prefix.clone();
            watched.push(Watched { name, ground: one.ground, is_fixed });
            let store = Ok(Arc::new(Counting::new(store, &asked)) as Arc<dyn Store>);
            definitions.push(Definition { store, ..one.definition });
        }
        let files = Files::new(Arc::new(Workspaces::new(definitions).unwrap()));
        let machine = machine.map(|path| path.to_str().unwrap().to_owned());
        let machine = machine.into_iter().collect();
        Self { files, asked, watched, machine, listed, follows_links, threads: threads() }
    }

    /// Also looks at a directory that no Workspace has.
    pub(crate) fn beside_directory(mut self, directory: &Path) -> Self {
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        let ground = Ground::Directory(File::open(directory).unwrap());
        self.watched.push(Watched { name, ground, is_fixed: true });
        self
    }

    /// Also looks at a Store that no Workspace has.
    pub(crate) fn beside_store(mut self, name: &str, store: Arc<dyn Store>) -> Self {
        let ground = Ground::Store(store);
        self.watched.push(Watched { name: name.to_owned(), ground, is_fixed: true });
        self
    }

    /// The operations without any look, for tests of something else than attacks.
    pub(crate) fn unguarded(&self) -> &Files {
        &self.files
    }

    /// Does with a tool what an attempt needs to be there.
    pub(crate) async fn set_up(&self, tool: &str, arguments: Value) {
        let reply = self.files.call(tool, arguments).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }

    /// Calls a tool and holds the world to what must be so whatever was called.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> CallReply {
        let what = what(tool, &arguments);
        let before = self.look().await;
        let reply = self.amid(tool, arguments).await;
        let changes = tool.parse::<Tool>().is_ok_and(Tool::changes);
        if changes && !reply.is_error() {
            self.still_holds(&before, &what).await;
        } else {
            self.nothing_changed(&before, &what).await;
        }
        reply
    }

    /// Calls a tool while somebody else changes what is looked at: only questions and answers are checked here.
    pub(crate) async fn amid(&self, tool: &str, arguments: Value) -> CallReply {
        let what = what(tool, &arguments);
        self.asked.reset();
        let reply = self.files.call(tool, arguments).await;
        self.refused_without_asking(&what, &reply);
        self.nothing_leaks(&what, &reply.text);
        assert!(threads() <= self.threads + THREADS_SPARE, "{what}: threads leaked");
        reply
    }

    /// Looks at everything.
    pub(crate) async fn look(&self) -> Seen {
        let mut state = BTreeMap::new();
        for Watched { name, ground, .. } in &self.watched {
            let found = match ground {
                Ground::Directory(held) => tree(&inside(held)),
                Ground::Store(store) => store_tree(&**store).await,
            };
            let is_new = state.insert(name.clone(), found).is_none();
            assert!(is_new, "{name} is looked at twice");
        }
        let answers = self.files.call("ls", json!({ "path": self.listed })).await;
        Seen { state, descriptors: descriptors(), answers: !answers.is_error() }
    }

    /// Refuses a world in which a call changed what no call may change, or left something behind. A call that is
    /// never answered is a test that never ends, which is a failure, too.
    pub(crate) async fn still_holds(&self, before: &Seen, what: &str) {
        self.compare(before, what).await;
    }

    /// The same, and nothing else may have changed either.
    pub(crate) async fn nothing_changed(&self, before: &Seen, what: &str) {
        let after = self.compare(before, what).await;
        assert_eq!(before.state, after.state, "{what}: something changed");
    }

    async fn compare(&self, before: &Seen, what: &str) -> Seen {
        assert!(descriptors_settled(before.descriptors), "{what}: descriptors leaked");
        let after = self.look().await;
        assert_eq!(before.answers, after.answers, "{what}: the next call is answered otherwise");
        for Watched { name, is_fixed, .. } in &self.watched {
            let (was, is) = (&before.state[name], &after.state[name]);
            assert!(!is_fixed || was == is, "{what}: {name} changed: {was:?} {is:?}");
            let stray = is.keys().find(|path| path.contains(".piton-"));
            assert_eq!(stray, None, "{what}: an unfinished write is left in {name}");
        }
        after
    }

    /// Refuses a text for an agent that tells what is outside or where anything lies.
    pub(crate) fn nothing_leaks(&self, what: &str, text: &str) {
        for canary in CANARIES {
            assert!(!text.contains(canary), "{what}: told {canary}: {text}");
        }
        let always = ["/proc", ".piton-", "srcEvil", "secret.txt", "os error"];
        for host in self.machine.iter().map(String::as_str).chain(always) {
            let told = text.contains(host) && !what.contains(host);
            assert!(!told, "{what}: told {host}: {text}");
        }
    }

    /// Refuses that a Store was asked about something that the router refused.
    pub(crate) fn refused_without_asking(&self, what: &str, reply: &CallReply) {
        let asked = match &reply.error {
            // That something is hidden or protected may depend on where links lead, and on nothing else.
            // What is protected can be read, so an edit reads where a link leads before it is refused.
            Some(Error::Protected { .. }) if self.follows_links => 0,
            Some(Error::Hidden { .. }) if self.follows_links => {
                let resolved = self.asked.resolutions.load(Ordering::Relaxed);
                self.asked.all.load(Ordering::Relaxed) - resolved
            }
            Some(
                Error::Scope { .. }
                | Error::Unmapped { .. }
                | Error::Path { .. }
                | Error::Hidden { .. }
                | Error::Protected { .. },
            ) => self.asked.all.load(Ordering::Relaxed),
            _ => 0,
        };
        assert_eq!(asked, 0, "{what}: a Store was asked: {}", reply.text);
    }
}

impl Laid {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(self.definition.store.as_ref().expect("it was opened"))
    }
}

/// What was called, in short.
fn what(tool: &str, arguments: &Value) -> String {
    let short = |value: &Value| match value {
        Value::String(text) => Value::String(text.chars().take(300).collect()),
        other => other.clone(),
    };
    let arguments = match arguments {
        Value::Object(named) => {
            named.iter().map(|(name, one)| (name.clone(), short(one))).collect()
        }
        other => other.clone(),
    };
    format!("{tool} {arguments}").chars().take(300).collect()
}

/// A path into a held directory.
fn inside(held: &File) -> PathBuf {
    format!("/proc/self/fd/{}/.", held.as_raw_fd()).into()
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The threads of this process; nothing is counted where no descriptor is left.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Whether there are no more descriptors than expected once blocking work that was given up has ended.
fn descriptors_settled(expected: usize) -> bool {
    (0..10_000).any(|_| {
        std::thread::yield_now();
        descriptors() <= expected
    })
}

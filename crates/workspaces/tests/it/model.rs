//! Random operations on random sets of Workspaces, against a model that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use piton_core::Code;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{AccessScope, Files, Workspaces};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::counting::{Asked, Counting};
use crate::world::{definition, memory_ports, namespace, physical, quick_directory};

/// Where files are and what they hold, by Workspace and path below it.
#[derive(Default)]
struct Model {
    scopes: BTreeMap<String, AccessScope>,
    files: BTreeMap<(String, String), String>,
    directories: BTreeSet<(String, String)>,
}

#[derive(Clone, Debug)]
enum Op {
    Read(String),
    Write(String, String),
    Append(String, String),
    Delete(String),
    Copy(String, String),
    Move(String, String),
}

/// What the model says comes of an operation.
#[derive(Debug, PartialEq)]
enum Expected {
    /// Refused by the router.
    Refused,
    /// Refused by the Store, or done blindly: whatever, but nothing is lost.
    Fails,
    Text(String),
    Done,
}

impl Model {
    fn place(&self, path: &str) -> Option<(String, String)> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        (0..=names.len()).rev().find_map(|end| {
            let prefix = format!("/{}", names[..end].join("/"));
            self.scopes.contains_key(&prefix).then(|| (prefix, names[end..].join("/")))
        })
    }

    fn allows(&self, path: &str, scopes: &[AccessScope]) -> Option<(String, String)> {
        let place = self.place(path)?;
        scopes.contains(&self.scopes[&place.0]).then_some(place)
    }

    /// Whether a Workspace lies below, or a file above, or a directory there.
    fn cannot_be_file(&self, path: &str, place: &(String, String)) -> bool {
        let below = format!("{}/", path.trim_end_matches('/'));
        let nested = self.scopes.keys().any(|prefix| prefix.starts_with(&below));
        let mut above = place.1.as_str();
        let mut under_file = false;
        while let Some((parent, _)) = above.rsplit_once('/') {
            under_file |= self.files.contains_key(&(place.0.clone(), parent.to_owned()));
            above = parent;
        }
        place.1.is_empty() || nested || under_file || self.directories.contains(place)
    }

    fn is_empty_directory(&self, path: &str, place: &(String, String)) -> bool {
        let below = format!("{}/", place.1);
        let inside = |key: &(String, String)| key.0 == place.0 && key.1.starts_with(&below);
        self.directories.contains(place)
            && !self.scopes.keys().any(|prefix| prefix.starts_with(&format!("{path}/")))
            && !self.directories.iter().any(inside)
            && !self.files.keys().any(inside)
    }

    /// Gives a directory another path in the same Workspace.
    fn move_directory(
        &mut self,
        (from, source): (&str, &(String, String)),
        (to, target): (&str, &(String, String)),
    ) -> Expected {
        let holds_other =
            |path: &str| self.scopes.keys().any(|prefix| prefix.starts_with(&format!("{path}/")));
        let into_itself = target.1 == source.1 || target.1.starts_with(&format!("{}/", source.1));
        if holds_other(from)
            || holds_other(to)
            || into_itself
            || self.cannot_be_file(to, target)
            || self.files.contains_key(target)
        {
            return Expected::Fails;
        }
        let moved = |path: &str| -> Option<String> {
            let rest = path.strip_prefix(source.1.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", target.1))
        };
        let files: Vec<_> = self.files.keys().filter(|key| key.0 == source.0).cloned().collect();
        for key in files {
            if let Some(path) = moved(&key.1) {
                let text = self.files.remove(&key).unwrap();
                self.files.insert((key.0, path), text);
            }
        }
        let directories: Vec<_> =
            self.directories.iter().filter(|key| key.0 == source.0).cloned().collect();
        for key in directories {
            if let Some(path) = moved(&key.1) {
                self.directories.remove(&key);
                self.directories.insert((key.0, path));
            }
        }
        self.make_parents(target);
        Expected::Done
    }

    fn make_parents(&mut self, place: &(String, String)) {
        let mut above = place.1.clone();
        while let Some((parent, _)) = above.rsplit_once('/') {
            self.directories.insert((place.0.clone(), parent.to_owned()));
            above = parent.to_owned();
        }
    }

    fn put(&mut self, place: (String, String), text: String) {
        self.make_parents(&place);
        self.files.insert(place, text);
    }

    fn apply(&mut self, op: &Op) -> Expected {
        use AccessScope::{ReadOnly, ReadWrite, WriteOnly};
        const READ: &[AccessScope] = &[ReadOnly, ReadWrite];
        const WRITE: &[AccessScope] = &[ReadWrite, WriteOnly];
        match op {
            Op::Read(path) => match self.allows(path, READ) {
                None => Expected::Refused,
                Some(place) => self
                    .files
                    .get(&place)
                    .map_or(Expected::Fails, |text| Expected::Text(text.clone())),
            },
            Op::Write(path, text) | Op::Append(path, text) => {
                let Some(place) = self.allows(path, WRITE) else {
                    return Expected::Refused;
                };
                if self.cannot_be_file(path, &place) {
                    return Expected::Fails;
                }
                let old = match op {
                    Op::Append(..) => self.files.get(&place).cloned().unwrap_or_default(),
                    _ => String::new(),
                };
                self.put(place, old + text);
                Expected::Done
            }
            Op::Delete(path) => match self.allows(path, &[ReadWrite]) {
                None => Expected::Refused,
                // An empty directory is deleted too.
                Some(place) if self.is_empty_directory(path, &place) => {
                    self.directories.remove(&place);
                    Expected::Done
                }
                Some(place) if self.cannot_be_file(path, &place) => Expected::Fails,
                Some(place) => {
                    self.files.remove(&place).map_or(Expected::Fails, |_| Expected::Done)
                }
            },
            Op::Copy(from, to) | Op::Move(from, to) => {
                let moves = matches!(op, Op::Move(..));
                let source = self.allows(from, if moves { &[ReadWrite] } else { READ });
                let (Some(source), Some(target)) = (source, self.allows(to, WRITE)) else {
                    return Expected::Refused;
                };
                let blind = self.scopes[&target.0] == WriteOnly;
                let taken = self.files.contains_key(&target) && !blind;
                if moves && source.0 == target.0 && self.directories.contains(&source) {
                    return self.move_directory((from, &source), (to, &target));
                }
                let Some(text) = self.files.get(&source).cloned() else {
                    return Expected::Fails;
                };
                if taken || self.cannot_be_file(to, &target) || self.cannot_be_file(from, &source) {
                    return Expected::Fails;
                }
                self.put(target, text);
                if moves {
                    self.files.remove(&source);
                }
                Expected::Done
            }
        }
    }
}

fn call(op: &Op) -> (&'static str, Value) {
    match op {
        Op::Read(path) => ("read", json!({ "path": path })),
        Op::Write(path, content) => ("write", json!({ "path": path, "content": content })),
        Op::Append(path, content) => {
            ("write", json!({ "path": path, "content": content, "append": true }))
        }
        Op::Delete(path) => ("delete", json!({ "path": path })),
        Op::Copy(from, to) => ("copy", json!({ "from": from, "to": to })),
        Op::Move(from, to) => ("move", json!({ "from": from, "to": to })),
    }
}

fn op() -> impl Strategy<Value = Op> {
    let path = || "(/[ab]){1,4}";
    let text = || "[xy]{1,3}\n";
    prop_oneof![
        path().prop_map(Op::Read),
        (path(), text()).prop_map(|(path, text)| Op::Write(path, text)),
        (path(), text()).prop_map(|(path, text)| Op::Append(path, text)),
        path().prop_map(Op::Delete),
        (path(), path()).prop_map(|(from, to)| Op::Copy(from, to)),
        (path(), path()).prop_map(|(from, to)| Op::Move(from, to)),
    ]
}

fn scope() -> impl Strategy<Value = AccessScope> {
    prop::sample::select(AccessScope::ALL.to_vec())
}

async fn agree(prefixes: BTreeMap<String, (AccessScope, bool)>, ops: Vec<Op>) {
    let asked = Arc::new(Asked::default());
    let ports = memory_ports(11);
    let mut model = Model::default();
    let mut mounts = Vec::new();
    let mut definitions = Vec::new();
    for (prefix, (scope, is_physical)) in &prefixes {
        let store: Arc<dyn Store> = if *is_physical {
            let directory = quick_directory();
            let store = physical(directory.path(), PhysicalOptions::default());
            mounts.push(directory);
            store
        } else {
            Arc::new(VirtualStore::new(ports.clone(), &namespace(&[prefix]), None))
        };
        let counting = Arc::new(Counting::new(store, &asked));
        definitions.push(definition(prefix, scope.as_str(), counting));
        model.scopes.insert(prefix.clone(), *scope);
    }
    let files = Files::new(Arc::new(Workspaces::new(definitions).unwrap()));
    for op in ops {
        let expected = model.apply(&op);
        asked.reset();
        let (tool, arguments) = call(&op);
        let reply = files.call(tool, arguments).await;
        let asked = asked.all.load(Ordering::Relaxed);
        let told = format!("{op:?} in {prefixes:?}: {}", reply.text);
        match expected {
            Expected::Refused => {
                assert!(reply.is_error() && asked == 0, "{told} asked {asked}");
            }
            Expected::Fails => assert!(reply.is_error(), "{told}"),
            Expected::Done => assert!(!reply.is_error(), "{told}"),
            Expected::Text(text) => {
                assert_eq!(
                    reply.text.split_once('\n').map(|(_, rest)| rest),
                    Some(&*text),
                    "{told}"
                );
            }
        }
        if let Some(error) = &reply.error {
            assert_ne!(error.code(), Code::InternalError, "{told}");
        }
    }
    for ((prefix, path), text) in &model.files {
        if model.scopes[prefix] != AccessScope::WriteOnly {
            let full = format!("{}/{path}", prefix.trim_end_matches('/'));
            let read = files.call("read", json!({ "path": full })).await.text;
            assert_eq!(read.split_once('\n').unwrap().1, text, "{full}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    // shows: WS-002, WS-003, WS-023
    #[test]
    fn every_operation_does_what_a_naive_model_says_and_no_refused_one_reaches_a_store(
        prefixes in prop::collection::btree_map("(/[ab]){1,3}", (scope(), any::<bool>()), 1..6),
        ops in prop::collection::vec(op(), 1..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(agree(prefixes, ops));
    }
}

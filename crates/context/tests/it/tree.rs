//! Ids: what they depend on, and what they do not.

use std::collections::{BTreeMap, BTreeSet};

use piton_context::tree::{
    Directory, FileStamp, Name, Symlink, TreeEntry, TreeFile, TreeNode, TreeNodeId, TreePath,
    directory_id, file_id, symlink_id,
};
use piton_core::{Digest, FileBytes};
use proptest::prelude::*;

fn digest(content: &str) -> Digest {
    Digest::of(&FileBytes(content.as_bytes()))
}

// shows: CT-002
// shows in part: CT-001 (the part about golden ids)
#[test]
fn ids_are_those_that_the_format_describes() {
    let empty = directory_id(b"", std::iter::empty());
    let file = file_id(b"src/a.rs", false, digest("fn main() {}\n"));
    let executable = file_id(b"src/a.rs", true, digest("fn main() {}\n"));
    let link = symlink_id(b"link", b"src/a.rs");
    let directory = directory_id(b"src", [(&b"a.rs"[..], file)].into_iter());
    let ids = [empty, file, executable, link, directory].map(|id| id.to_string());
    insta::assert_debug_snapshot!(ids);
}

// shows: CT-002
#[test]
fn no_two_different_inputs_share_an_id() {
    let content = digest("x");
    let other = file_id(b"a", false, content);
    let as_text = String::from_utf8_lossy(other.as_bytes()).into_owned();
    let inputs = [
        file_id(b"a", false, content),
        file_id(b"a", true, content),
        file_id(b"a\0", false, content),
        file_id(b"", false, content),
        // A link that points at what a file hashes.
        symlink_id(b"a", content.as_bytes()),
        symlink_id(b"a", b""),
        symlink_id(b"", b"a"),
        // Names that hold what separates fields elsewhere.
        directory_id(b"a", [(&b"b"[..], other)].into_iter()),
        directory_id(b"", [(&b"ab"[..], other)].into_iter()),
        directory_id(b"ab", std::iter::empty()),
        directory_id(b"a", [(&b"b"[..], other), (&b"c"[..], other)].into_iter()),
        directory_id(b"a", [(format!("b{as_text}c").as_bytes(), other)].into_iter()),
        directory_id(b"a", std::iter::empty()),
    ];
    let distinct: BTreeSet<TreeNodeId> = inputs.into_iter().collect();
    assert_eq!(distinct.len(), inputs.len());
}

/// A project as a map from paths to contents, built into a tree.
fn build(files: &BTreeMap<Vec<&str>, String>) -> Directory {
    fn at(path: &TreePath, files: &[(&[&str], &String)]) -> Directory {
        let mut entries = Vec::new();
        let mut rest = files;
        while let Some((first, content)) = rest.first() {
            let name = Name::new(first[0].as_bytes()).unwrap();
            let below = path.join(&name);
            let count = rest.iter().take_while(|(names, _)| names[0] == first[0]).count();
            let node = if first.len() == 1 {
                let stamp = FileStamp { size: content.len() as u64, ..FileStamp::default() };
                if content.starts_with('>') {
                    TreeNode::Symlink(Symlink::new(
                        below.as_bytes(),
                        content.as_bytes().into(),
                        stamp,
                    ))
                } else {
                    TreeNode::File(TreeFile::new(below.as_bytes(), false, digest(content), stamp))
                }
            } else {
                let inner: Vec<_> =
                    rest[..count].iter().map(|(names, content)| (&names[1..], *content)).collect();
                TreeNode::Directory(at(&below, &inner).into())
            };
            entries.push(TreeEntry { name, node });
            rest = &rest[count..];
        }
        Directory::new(path.as_bytes(), entries)
    }
    let files: Vec<_> = files.iter().map(|(names, content)| (&names[..], content)).collect();
    at(&TreePath::root(), &files)
}

fn ids(tree: &Directory) -> BTreeMap<TreePath, TreeNodeId> {
    let mut all = BTreeMap::from([(TreePath::root(), tree.id())]);
    tree.walk(&TreePath::root(), &mut |path, node| {
        all.insert(path.clone(), node.id());
    });
    all
}

/// Random projects: files never stand where a directory is, because directories are named by capitals.
fn project() -> impl Strategy<Value = BTreeMap<Vec<&'static str>, String>> {
    let file = (
        proptest::collection::vec(prop::sample::select(vec!["A", "B", "C"]), 0..4),
        prop::sample::select(vec!["x", "y", "z", "x.y"]),
        "[a-c>]{0,3}",
    );
    proptest::collection::vec(file, 1..20).prop_map(|files| {
        let path = |(mut path, name, content): (Vec<_>, _, String)| {
            path.push(name);
            (path, content)
        };
        files.into_iter().map(path).collect()
    })
}

proptest! {
    // shows: CT-004
    #[test]
    fn an_edit_changes_the_ids_of_the_file_and_its_ancestors_only(
        files in project(),
        which: prop::sample::Index,
    ) {
        let before = ids(&build(&files));
        let mut edited = files.clone();
        let (path, content) = edited.iter_mut().nth(which.index(files.len())).unwrap();
        content.push('!');
        let path: TreePath = path.join("/").parse().unwrap();
        let after = ids(&build(&edited));
        prop_assert_eq!(before.len(), after.len());
        for (at, id) in &before {
            prop_assert_eq!(after[at] != *id, path.is_within(at), "{}", at);
        }
    }
}

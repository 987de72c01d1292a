//! Detects moved files and directories. Pure.
//!
//! *Invariants*: a path counts as moved only if its content is exactly the same and there is a single candidate.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use piton_core::{Digest, FileBytes};

use super::{ChangeKind, NodeKind, Preimage, TreeChange, TreePath, TreeSide};

/// A file or directory that moved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    pub from: TreePath,
    pub to: TreePath,
}

/// Files with the same content, where nothing tells which became which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclearMove {
    /// Old paths.
    pub from: Vec<TreePath>,
    /// New paths with this content.
    pub to: Vec<TreePath>,
}

/// The moves that a list of changes implies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Certain moves, sorted by the old path.
    pub certain: Vec<Move>,
    /// Moves with several candidates.
    pub unclear: Vec<UnclearMove>,
}

type Paths<'a> = BTreeMap<&'a TreePath, TreeSide>;

impl Moves {
    /// Finds the moves. Files are compared by the digests that their sides carry.
    ///
    /// A directory was moved if everything below it has the same names and contents elsewhere; then all of it was
    /// moved. Other files are matched by content and, where several have the same content, by content and name.
    pub fn of(changes: &[TreeChange]) -> Self {
        let side = |kind: ChangeKind| -> Paths<'_> {
            let changes = changes.iter().filter(move |change| change.change == kind);
            changes.filter_map(|change| Some((&change.path, change.new.or(change.old)?))).collect()
        };
        let (removed, added) = (side(ChangeKind::Removed), side(ChangeKind::Added));
        let mut moves = Self::default();
        // Directories first: a file that moved with its directory must not be matched on its own.
        let mut taken = BTreeSet::new();
        moves.directories(&removed, &added, &mut taken);
        moves.files(&removed, &added, &taken);
        moves.exchanged(changes);
        moves.certain.sort_unstable();
        moves
    }

    fn directories(
        &mut self,
        removed: &Paths<'_>,
        added: &Paths<'_>,
        taken: &mut BTreeSet<TreePath>,
    ) {
        if removed.is_empty() || added.is_empty() {
            return;
        }
        let (old, new) = (shapes(removed), shapes(added));
        // In order of paths, a directory comes before everything that it holds.
        for (from, shape) in &old.by_path {
            // The shape must be unique on both sides; otherwise nothing tells which directory became which.
            let ([_], Some([to])) =
                (old.by_shape[shape].as_slice(), new.by_shape.get(shape).map(Vec::as_slice))
            else {
                continue;
            };
            // A directory above was moved already, and everything below went with it.
            if taken.contains(*from) || taken.contains(*to) {
                continue;
            }
            let pairs = [(*from, from.as_bytes().len())].into_iter();
            let below = below(removed, from).map(|(path, _)| (path, from.as_bytes().len()));
            for (path, cut) in pairs.chain(below) {
                // Replace the old prefix by the new one and keep the rest of the path.
                let moved = [to.as_bytes(), &path.as_bytes()[cut..]].concat();
                let Ok(moved) = TreePath::new(&moved) else { continue };
                taken.insert(path.clone());
                taken.insert(moved.clone());
                self.certain.push(Move { from: path.clone(), to: moved });
            }
        }
    }

    fn files(&mut self, removed: &Paths<'_>, added: &Paths<'_>, taken: &BTreeSet<TreePath>) {
        type Candidates<'a> = BTreeMap<Digest, [Vec<&'a TreePath>; 2]>;
        let mut candidates: Candidates<'_> = BTreeMap::new();
        for (place, paths) in [removed, added].into_iter().enumerate() {
            for (path, side) in paths.iter().filter(|(path, _)| !taken.contains(**path)) {
                if let Some(content) = side.content {
                    candidates.entry(content).or_default()[place].push(path);
                }
            }
        }
        for [from, to] in candidates.into_values() {
            self.pair(from, to);
        }
    }

    /// Finds files that took the place of others: two that were swapped, or one that was renamed over another. Each has
    /// content that exactly one other path had.
    fn exchanged(&mut self, changes: &[TreeChange]) {
        // Empty files say nothing about where they came from.
        let nothing = Digest::of(&FileBytes(b""));
        let mut contents: BTreeMap<Digest, [Vec<&TreePath>; 2]> = BTreeMap::new();
        for change in changes {
            for (place, side) in [change.old, change.new].into_iter().enumerate() {
                if let Some(content) = side.and_then(|side| side.content)
                    && content != nothing
                {
                    contents.entry(content).or_default()[place].push(&change.path);
                }
            }
        }
        let known: BTreeSet<TreePath> =
            self.certain.iter().map(|found| found.from.clone()).collect();
        for [from, to] in contents.into_values() {
            if let ([from], [to]) = (from.as_slice(), to.as_slice())
                && from != to
                && !known.contains(*from)
            {
                self.certain.push(Move { from: (*from).clone(), to: (*to).clone() });
            }
        }
    }

    /// Pairs the old and new paths of one content.
    fn pair(&mut self, mut from: Vec<&TreePath>, mut to: Vec<&TreePath>) {
        if from.len() > 1 || to.len() > 1 {
            // Several paths have this content, so a name that is unique on both sides decides.
            let mut named: BTreeMap<_, [Vec<&TreePath>; 2]> = BTreeMap::new();
            for (place, paths) in [&from, &to].into_iter().enumerate() {
                for path in paths {
                    named.entry(path.name()).or_default()[place].push(path);
                }
            }
            for [one, other] in named.into_values() {
                if let ([one], [other]) = (one.as_slice(), other.as_slice()) {
                    self.certain.push(Move { from: (*one).clone(), to: (*other).clone() });
                    from.retain(|path| path != one);
                    to.retain(|path| path != other);
                }
            }
        }
        match (from.as_slice(), to.as_slice()) {
            ([], _) | (_, []) => {}
            ([from], [to]) => {
                self.certain.push(Move { from: (*from).clone(), to: (*to).clone() });
            }
            _ => self.unclear.push(UnclearMove {
                from: from.into_iter().cloned().collect(),
                to: to.into_iter().cloned().collect(),
            }),
        }
    }
}

/// Digests of what directories hold.
struct Shapes<'a> {
    by_path: BTreeMap<&'a TreePath, Digest>,
    by_shape: BTreeMap<Digest, Vec<&'a TreePath>>,
}

/// Computes the shapes of the directories that hold a file at any depth. Without files, all directories look alike.
fn shapes<'a>(paths: &Paths<'a>) -> Shapes<'a> {
    let mut shapes = Shapes { by_path: BTreeMap::new(), by_shape: BTreeMap::new() };
    for (path, side) in paths {
        if side.kind != NodeKind::Directory {
            continue;
        }
        let mut shape = Preimage::new("moved_directory");
        let mut files = false;
        for (below, side) in below(paths, path) {
            // Relative to the directory, so that the shape does not depend on its path.
            shape.field(&below.as_bytes()[path.as_bytes().len()..]);
            shape.field(side.kind.as_str().as_bytes());
            let holds = side.content.or(side.target);
            shape.field(holds.as_ref().map_or(&[][..], |digest| &digest.as_bytes()[..]));
            files |= side.content.is_some();
        }
        if files {
            let shape = shape.finish();
            shapes.by_path.insert(path, shape);
            shapes.by_shape.entry(shape).or_default().push(path);
        }
    }
    shapes
}

/// Returns everything below a directory, sorted by path.
fn below<'p, 'a>(
    paths: &'p Paths<'a>,
    directory: &TreePath,
) -> impl Iterator<Item = (&'a TreePath, TreeSide)> + use<'p, 'a> {
    let prefix = [directory.as_bytes(), b"/"].concat();
    let start = TreePath::new(&prefix[..prefix.len() - 1]).expect("it is a path already");
    let all = paths.range::<TreePath, _>((Bound::Excluded(&start), Bound::Unbounded));
    // In byte order, `a.b` and `a-b` come between `a` and `a/b`.
    let before = prefix.clone();
    all.skip_while(move |(path, _)| path.as_bytes() < before.as_slice())
        .take_while(move |(path, _)| path.as_bytes().starts_with(&prefix))
        .map(|(path, side)| (*path, *side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeNodeId;

    /// Creates a change of a file with this content, or of a directory.
    fn change(path: &str, kind: ChangeKind, content: Option<u8>) -> TreeChange {
        let side = TreeSide {
            id: TreeNodeId::new(Digest::from_bytes([9; 32])),
            kind: if content.is_some() { NodeKind::File } else { NodeKind::Directory },
            content: content.map(|byte| Digest::from_bytes([byte; 32])),
            target: None,
        };
        let (old, new) = match kind {
            ChangeKind::Removed => (Some(side), None),
            _ => (None, Some(side)),
        };
        TreeChange { path: path.parse().unwrap(), change: kind, old, new, renamed_from: None }
    }

    /// Checks changes given as `-path content` and `+path content`, without a content for directories.
    fn check(changes: &[(&str, Option<u8>)], certain: &[(&str, &str)], unclear: usize) {
        let changes: Vec<TreeChange> = changes
            .iter()
            .map(|(text, content)| {
                let (sign, path) = text.split_at(1);
                let kind = if sign == "-" { ChangeKind::Removed } else { ChangeKind::Added };
                change(path, kind, *content)
            })
            .collect();
        let moves = Moves::of(&changes);
        let found: Vec<(String, String)> =
            moves.certain.iter().map(|one| (one.from.to_string(), one.to.to_string())).collect();
        let certain: Vec<(String, String)> =
            certain.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
        assert_eq!((found, moves.unclear.len()), (certain, unclear), "{changes:?}");
    }

    // shows in part: CT-011 (which renames are certain)
    #[test]
    fn what_has_one_candidate_was_moved() {
        check(&[("-a", Some(1)), ("+b", Some(1))], &[("a", "b")], 0);
        check(&[("-a", Some(1)), ("+b", Some(2))], &[], 0);
        check(&[("-a", Some(1)), ("+b", Some(1)), ("+c", Some(1))], &[], 1);
        check(&[("-a", Some(1)), ("-b", Some(1)), ("+c", Some(1))], &[], 1);
        let named = [("-d/x", Some(1)), ("-d/y", Some(1)), ("+e/x", Some(1)), ("+e/y", Some(1))];
        check(&named, &[("d/x", "e/x"), ("d/y", "e/y")], 0);
    }

    // shows in part: CT-011 (renamed directories)
    #[test]
    fn a_directory_moves_with_everything_in_it() {
        let old = [("-d", None), ("-d/x", Some(1)), ("-d/in", None), ("-d/in/y", Some(1))];
        let new = [("+e", None), ("+e/x", Some(1)), ("+e/in", None), ("+e/in/y", Some(1))];
        let all = [("d", "e"), ("d/in", "e/in"), ("d/in/y", "e/in/y"), ("d/x", "e/x")];
        check(&[&old[..], &new].concat(), &all, 0);
        // Another name that begins the same way is not part of it.
        check(&[&old[..], &new, &[("-d.txt", Some(3))]].concat(), &all, 0);
        // With one file less, the others are found by content and name.
        let files = [("d/in/y", "e/in/y"), ("d/x", "e/x")];
        check(
            &[&old[..], &[("-d/z", Some(7))], &new].concat(),
            &[&[("d/in", "e/in")][..], &files].concat(),
            0,
        );
        // With two copies, nothing tells which one it became.
        let copy = [("+f", None), ("+f/x", Some(1)), ("+f/in", None), ("+f/in/y", Some(1))];
        check(&[&old[..], &new, &copy].concat(), &[], 1);
    }
}

//! Reading a project directory.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_context::scan::{ProblemKind, ScanScope, Scanned, Scanner};
use piton_context::tree::{Directory, TreeNode, TreePath};
use piton_core::port::fixed::SeededEntropy;

use crate::scene::{path, set_mode, write};
use crate::worker::{answers, print_line, spawn_as_nobody};

fn scan(root: &Path) -> Arc<Directory> {
    Scanner::new(root).scan(false).unwrap().tree
}

fn paths(tree: &Directory) -> Vec<String> {
    let mut all = Vec::new();
    tree.walk(&TreePath::root(), &mut |path, _| all.push(path.to_string()));
    all
}

fn make(root: &Path) {
    write(root, "src/main.rs", "fn main() {}\n");
    write(root, "src/deep/er/x.txt", "x");
    write(root, "README.md", "# Read\n");
    fs::create_dir(root.join("empty")).unwrap();
    symlink("src/main.rs", root.join("link")).unwrap();
    symlink("..", root.join("src/up")).unwrap();
    write(root, "run.sh", "#!/bin/sh\n");
    set_mode(&root.join("run.sh"), 0o755);
}

// shows: CT-001
#[test]
fn the_same_tree_in_another_place_has_the_same_root() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let nested = other.path().join("some/where/target/else");
    fs::create_dir_all(&nested).unwrap();
    make(one.path());
    make(&nested);
    let (one, other) = (scan(one.path()), scan(&nested));
    assert_eq!(one.id(), other.id());
    let all = [
        "README.md",
        "empty",
        "link",
        "run.sh",
        "src",
        "src/deep",
        "src/deep/er",
        "src/deep/er/x.txt",
        "src/main.rs",
        "src/up",
    ];
    assert_eq!(paths(&one), all, "links are entries and are not followed");
    let totals = one.totals();
    assert_eq!((totals.files, totals.directories, totals.symlinks), (4, 5, 2));
}

// shows in part: CT-001 (the part about the executable bit and the targets of links)
#[test]
fn the_executable_bit_and_the_target_of_a_link_are_part_of_the_tree() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path());
    let first = scan(dir.path()).id();
    set_mode(&dir.path().join("run.sh"), 0o644);
    let second = scan(dir.path()).id();
    fs::remove_file(dir.path().join("link")).unwrap();
    symlink("README.md", dir.path().join("link")).unwrap();
    let third = scan(dir.path()).id();
    assert!(first != second && second != third && first != third);
    // Other bits belong to the machine, not to the project.
    set_mode(&dir.path().join("README.md"), 0o600);
    assert_eq!(scan(dir.path()).id(), third);
}

// shows: CT-006
#[test]
fn names_that_are_not_text_are_kept_apart() {
    let dir = tempfile::tempdir().unwrap();
    for name in [&b"a\xff"[..], b"a\xfe", b"a\xef\xbf\xbd"] {
        fs::write(dir.path().join(OsStr::from_bytes(name)), "same").unwrap();
    }
    let tree = scan(dir.path());
    assert_eq!(paths(&tree), ["a\u{fffd}", "a\\xfe", "a\\xff"]);
    let ids: std::collections::BTreeSet<_> =
        tree.entries().iter().map(|entry| entry.node.id()).collect();
    assert_eq!(ids.len(), 3);
    for entry in tree.entries() {
        let path = TreePath::root().join(&entry.name);
        assert_eq!(path.to_string().parse::<TreePath>().unwrap(), path);
    }
}

/// In a child: scans, and says what could not be read and what was found.
pub(crate) fn report(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let scanned = Scanner::new(root).scan(false).unwrap();
    for problem in &scanned.report.problems {
        print_line(&format!("{} {}", problem.kind, problem.path));
    }
    print_line(&paths(&scanned.tree).join(" "));
}

// shows: CT-007
#[test]
fn what_may_not_be_read_is_reported_and_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o755);
    make(dir.path());
    set_mode(&dir.path().join("README.md"), 0);
    set_mode(&dir.path().join("src/deep"), 0);
    let mut child = spawn_as_nobody("scan", &[dir.path().to_str().unwrap()]);
    let said: Vec<String> = answers(&mut child).collect();
    assert!(child.wait().unwrap().success());
    let expected =
        ["unreadable README.md", "unreadable src/deep", "empty link run.sh src src/main.rs src/up"];
    assert_eq!(said, expected);
    set_mode(&dir.path().join("src/deep"), 0o755);
}

// shows: CT-007
#[test]
fn what_disappears_or_is_too_deep_is_reported_and_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path());
    make_deep(dir.path(), &"n".repeat(250), 20);
    let mut scanner = Scanner::new(dir.path());
    let kinds = |found: &Scanned| -> Vec<ProblemKind> {
        found.report.problems.iter().map(|problem| problem.kind).collect()
    };
    let found = scanner.scan(false).unwrap();
    assert_eq!(kinds(&found), [ProblemKind::TooLong]);
    assert!(found.report.is_partial());
    assert!(paths(&found.tree).contains(&"src/main.rs".to_owned()));
    // The scan goes into a directory that it saw a moment ago, and it is gone.
    fs::remove_dir_all(dir.path().join("src/deep/er")).unwrap();
    let dirty = Arc::new([path("src/deep/er")].into_iter().collect());
    let found = scanner.scan_only(&ScanScope::Only(dirty), false).unwrap();
    assert_eq!(kinds(&found), [ProblemKind::Vanished]);
    assert!(!paths(&found.tree).contains(&"src/deep/er".to_owned()));
}

/// A chain of directories whose whole path is longer than the system takes at once.
fn make_deep(root: &Path, name: &str, depth: usize) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = openat(CWD, root, flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&at, name, Mode::RWXU).unwrap();
        at = openat(&at, name, flags, Mode::empty()).unwrap();
    }
}

#[test]
fn a_project_directory_that_is_not_there_is_an_error() {
    let error = Scanner::new("/no/such/place").scan(false).unwrap_err();
    assert_eq!(error.code().as_str(), "CONTEXT_UNREADABLE");
    assert!(error.to_string().contains("/no/such/place"), "{error}");
}

// shows: CT-008
#[test]
fn only_what_changed_is_read_again_unless_it_is_forced() {
    let (dir, remembered) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(dir.path());
    let stamps = remembered.path().join("stamps");
    let fresh = || Scanner::new(dir.path()).with_stamps(&stamps);
    assert_eq!(fresh().scan(false).unwrap().report.hashed_files, 4);
    // As soon as the clock has moved on since the files were made, none of them is read.
    let again = loop {
        let again = fresh().scan(false).unwrap();
        assert_eq!(again.report.hashed_files + again.report.reused_files, 4);
        if again.report.reused_files == 4 {
            break again;
        }
    };
    write(dir.path(), "README.md", "# Edited\n");
    let edited = fresh().scan(false).unwrap();
    assert_eq!((edited.report.hashed_files, edited.report.reused_files), (1, 3));
    write(dir.path(), "README.md", "# Read\n");
    let forced = fresh().scan(true).unwrap();
    assert_eq!((forced.report.hashed_files, forced.report.reused_files), (4, 0));
    assert_eq!(forced.tree.id(), again.tree.id());
}

// shows: CT-008
#[test]
fn an_edit_that_keeps_size_and_time_is_seen_however_quick_it_is() {
    let (dir, remembered) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = dir.path().join("a");
    let stamps = remembered.path().join("stamps");
    for round in 0..100 {
        fs::write(&file, format!("{round:04}a")).unwrap();
        let then = fs::metadata(&file).unwrap().modified().unwrap();
        let before = Scanner::new(dir.path()).with_stamps(&stamps).scan(false).unwrap().tree.id();
        fs::write(&file, format!("{round:04}b")).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
        let after = Scanner::new(dir.path()).with_stamps(&stamps).scan(false).unwrap().tree.id();
        assert_ne!(before, after, "round {round}");
    }
}

#[test]
fn damaged_stamps_are_as_if_there_were_none() {
    let (dir, remembered) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(dir.path());
    let stamps = remembered.path().join("stamps");
    let id = Scanner::new(dir.path()).with_stamps(&stamps).scan(false).unwrap().tree.id();
    let good = fs::read(&stamps).unwrap();
    let luck = SeededEntropy::new(3);
    for _ in 0..100 {
        let mut bad = good.clone();
        let place = usize::try_from(luck.next_u64()).unwrap() % bad.len();
        if luck.next_u64().is_multiple_of(4) {
            bad.truncate(place);
        } else {
            bad[place] ^= 1 << (luck.next_u64() % 8);
        }
        fs::write(&stamps, bad).unwrap();
        let scanned = Scanner::new(dir.path()).with_stamps(&stamps).scan(false).unwrap();
        assert_eq!((scanned.tree.id(), scanned.report.reused_files), (id, 0));
    }
}

/// A project of 400 files whose stamps are written, and trusted.
struct Settled {
    dir: tempfile::TempDir,
    remembered: tempfile::TempDir,
}

impl Settled {
    fn new() -> Self {
        let settled =
            Self { dir: tempfile::tempdir().unwrap(), remembered: tempfile::tempdir().unwrap() };
        for number in 0..400 {
            write(settled.dir.path(), &format!("d{}/f{number}", number % 20), "x");
        }
        settled.settle();
        settled
    }

    /// Lets the clock move on since the files were written, and then writes all stamps.
    fn settle(&self) {
        while self.scan().report.hashed_files > 0 {}
        fs::remove_file(self.stamps()).unwrap();
        self.scan();
    }

    fn stamps(&self) -> PathBuf {
        self.remembered.path().join("stamps")
    }

    fn since(&self) -> PathBuf {
        self.remembered.path().join("stamps.since")
    }

    /// Scans as a new process would, and compares with a scan that knows nothing.
    fn scan(&self) -> Scanned {
        let found = Scanner::new(self.dir.path()).with_stamps(self.stamps()).scan(false).unwrap();
        assert_eq!(found.tree.id(), scan(self.dir.path()).id());
        found
    }
}

#[test]
fn after_an_edit_only_what_changed_is_remembered_anew_until_it_is_much() {
    let project = Settled::new();
    let all = fs::read(project.stamps()).unwrap();
    write(project.dir.path(), "d3/f3", "changed");
    write(project.dir.path(), "d4/new/deep", "new");
    fs::remove_file(project.dir.path().join("d5/f5")).unwrap();
    assert_eq!(project.scan().report.hashed_files, 2);
    while project.scan().report.hashed_files > 0 {}
    assert_eq!(fs::read(project.stamps()).unwrap(), all, "the large file is left alone");
    assert!(fs::metadata(project.since()).unwrap().len() * 8 <= all.len() as u64);
    for number in 0..100 {
        write(project.dir.path(), &format!("d{}/f{number}", number % 20), "all are changed");
    }
    assert_eq!(project.scan().report.hashed_files, 100);
    assert_ne!(fs::read(project.stamps()).unwrap(), all, "so much is written whole");
    assert!(!project.since().exists());
    while project.scan().report.hashed_files > 0 {}
}

#[test]
fn a_scan_that_finds_nothing_new_writes_nothing() {
    let project = Settled::new();
    write(project.dir.path(), "d3/f3", "changed");
    while project.scan().report.hashed_files > 0 {}
    let written = |path: PathBuf| {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = fs::metadata(path).unwrap();
        (metadata.ino(), metadata.mtime_nsec(), metadata.ctime_nsec())
    };
    let before = [project.stamps(), project.since()].map(written);
    assert_eq!(project.scan().report.hashed_files, 0);
    assert_eq!([project.stamps(), project.since()].map(written), before);
}

#[test]
fn what_changed_since_counts_only_whole_and_beside_its_own_file() {
    let project = Settled::new();
    let all = fs::read(project.stamps()).unwrap();
    write(project.dir.path(), "d3/f3", "changed");
    while project.scan().report.hashed_files > 0 {}
    let good = fs::read(project.since()).unwrap();
    let luck = SeededEntropy::new(5);
    for _ in 0..50 {
        let mut bad = good.clone();
        let place = usize::try_from(luck.next_u64()).unwrap() % bad.len();
        if luck.next_u64().is_multiple_of(4) {
            bad.truncate(place);
        } else {
            bad[place] ^= 1 << (luck.next_u64() % 8);
        }
        fs::write(project.since(), bad).unwrap();
        assert_eq!(project.scan().report.hashed_files, 1, "the file that changed is read again");
    }
    // Another process wrote everything anew in between.
    for number in 0..100 {
        write(project.dir.path(), &format!("d{}/f{number}", number % 20), "all are changed");
    }
    project.settle();
    assert_ne!(fs::read(project.stamps()).unwrap(), all);
    fs::write(project.since(), &good).unwrap();
    assert_eq!(project.scan().report.hashed_files, 0, "what belongs to another file is not read");
    // And back to an older file.
    fs::write(project.stamps(), &all).unwrap();
    assert_eq!(project.scan().report.hashed_files, 100);
}

/// A random edit of a project directory.
fn edit(root: &Path, luck: &SeededEntropy) {
    let pick = |count: u64| usize::try_from(luck.next_u64() % count).unwrap();
    let directory = ["", "a", "a/b", "a/b/c", "d"][pick(5)];
    let directory = root.join(directory);
    let file = directory.join(format!("f{}", pick(4)));
    match pick(8) {
        0 => {
            let _ = fs::remove_dir_all(directory.join("sub"));
        }
        1 => {
            let _ = fs::create_dir_all(directory.join("sub/deeper"));
        }
        2 => {
            let _ = fs::remove_file(&file);
        }
        3 => {
            let _ = fs::create_dir_all(&directory);
            let _ = fs::write(directory.join(".gitignore"), ["f1\n", "sub\n", "!f1\n"][pick(3)]);
        }
        4 => {
            let _ = fs::create_dir_all(&directory);
            let _ = fs::remove_file(&file);
            let _ = symlink(format!("t{}", pick(3)), &file);
        }
        _ => {
            let _ = fs::create_dir_all(&directory);
            let _ = fs::remove_file(&file);
            let _ = fs::write(&file, format!("{}", pick(3)));
        }
    }
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    // shows in part: CT-008 (the part that an incremental scan finds what a scan from nothing finds)
    #[test]
    fn however_a_directory_is_edited_a_scan_gives_what_one_from_nothing_gives() {
        let run = LongRun::start("context: scans of edited directories");
        let luck = SeededEntropy::new(run.seed());
        println!("seed {}", run.seed());
        let (dir, remembered) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for number in 0..200 {
            write(dir.path(), &format!("many/{number}"), "x");
        }
        let fresh = || Scanner::new(dir.path()).with_stamps(remembered.path().join("stamps"));
        let mut scanner = fresh();
        let edits = LongRun::size(120, 20_000);
        for number in 0..edits {
            for _ in 0..=luck.next_u64() % 3 {
                edit(dir.path(), &luck);
            }
            if luck.next_u64().is_multiple_of(2) {
                // Another process, which knows what is written.
                scanner = fresh();
            }
            let found = scanner.scan(false).unwrap();
            assert_eq!(found.tree.id(), scan(dir.path()).id(), "after edit {number}");
            check(&found.tree, &TreePath::root());
        }
        run.report(&[("edits", edits)]);
    }

    /// Every directory has the id that its entries give.
    fn check(directory: &Directory, path: &TreePath) {
        let again = Directory::new(path.as_bytes(), directory.entries().to_vec());
        assert_eq!((again.id(), again.totals()), (directory.id(), directory.totals()));
        for entry in directory.entries() {
            if let TreeNode::Directory(below) = &entry.node {
                check(below, &path.join(&entry.name));
            }
        }
    }
}

#[test]
fn a_scan_of_some_directories_costs_what_changed_in_them() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..400 {
        write(dir.path(), &format!("d{}/s{}/f", number % 20, number), "x");
    }
    let mut scanner = Scanner::new(dir.path());
    scanner.scan(false).unwrap();
    write(dir.path(), "d3/s3/f", "changed");
    write(dir.path(), "d4/new/g", "new");
    let dirty = Arc::new([path("d3/s3"), path("d4")].into_iter().collect());
    let found = scanner.scan_only(&ScanScope::Only(dirty), false).unwrap();
    assert_eq!(found.tree.id(), scan(dir.path()).id());
    assert_eq!(found.report.listed_directories, 3, "d3/s3, d4 and d4/new");
    // New rules in a directory are new rules for everything below it.
    write(dir.path(), "d5/.gitignore", "f\n");
    let dirty = Arc::new([path("d5")].into_iter().collect());
    let found = scanner.scan_only(&ScanScope::Only(dirty), false).unwrap();
    assert_eq!(found.tree.id(), scan(dir.path()).id());
}

//! The ignore rules against those of git itself.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use piton_context::scan::Scanner;
use piton_context::tree::{TreeNode, TreePath};
use piton_core::port::fixed::SeededEntropy;

use crate::scene::write;

/// The files that git would add, in a repository that knows nothing but the tree.
fn git_files(root: &Path) -> BTreeSet<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "core.quotePath=false", "-c", "core.excludesFile=/dev/null"])
            .args(arguments)
            .current_dir(root)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", "/nonexistent")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    git(&["init", "-q"]);
    let listed = git(&["ls-files", "-o", "-z", "--exclude-per-directory=.gitignore"]);
    fs::remove_dir_all(root.join(".git")).unwrap();
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| TreePath::new(name).unwrap().to_string()).collect()
}

fn our_files(root: &Path) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let tree = Scanner::new(root).scan(false).unwrap().tree;
    tree.walk(&TreePath::root(), &mut |path, node| {
        if !matches!(node, TreeNode::Directory(_)) {
            files.insert(path.to_string());
        }
    });
    files
}

fn check(root: &Path, what: &str) {
    let (ours, theirs) = (our_files(root), git_files(root));
    let extra: Vec<_> = ours.difference(&theirs).collect();
    let missing: Vec<_> = theirs.difference(&ours).collect();
    assert!(extra.is_empty() && missing.is_empty(), "{what}: extra {extra:?}, missing {missing:?}");
}

fn copy(from: &Path, to: &Path, skip: &[&str]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if skip.iter().any(|skip| name.as_os_str() == *skip) {
            continue;
        }
        let target = to.join(&name);
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&entry.path(), &target, skip);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

// shows: CT-005
#[test]
fn rules_mean_what_git_takes_them_for() {
    let files = [
        "a.log",
        "b.txt",
        "dist/x",
        "sub/dist/x",
        "build/out.o",
        "sub/build",
        "keep.log",
        "sub/keep.log",
        "{a,b}",
        "a",
        "b",
        "x[1]",
        "x1",
        "deep/a/b/c.txt",
        "deep/c.txt",
        "foo bar",
        "foo ",
        "#note",
        "!bang",
        "sub/.hidden",
        ".github/ci.yml",
        ".gitattributes",
        "src/target_spec.rs",
        "target/debug/x",
        "ä.txt",
        "sub/inner/q.tmp",
        "sub/inner/r.tmp",
        "back\\slash",
    ];
    let rules: &[(&str, &str)] = &[
        ("plain names and globs", "*.log\n!keep.log\nbuild/\n"),
        ("anchored", "/dist\n/sub/keep.log\n"),
        ("braces are letters", "{a,b}\n"),
        ("classes", "x[0-9]\nx\\[1\\]\n"),
        ("double stars", "deep/**/c.txt\n**/keep.log\nsub/**\n!sub/inner\n"),
        ("spaces", "foo \nfoo\\ \n"),
        ("escaped marks", "\\#note\n\\!bang\n"),
        ("comments and empty lines", "# *.log\n\n\t\n*.tmp\n"),
        ("byte order mark and CRLF", "\u{feff}*.log\r\nb.txt\r\n"),
        ("re-included below an ignored directory", "sub/\n!sub/keep.log\n"),
        ("everything but", "/*\n!/src\n!/.github\n"),
        ("git is not a prefix", ".git\n"),
        ("unclosed class", "x[1\n*.log\n"),
        ("question marks", "?\n??.txt\n"),
        ("trailing slash on a file", "b.txt/\na/\n"),
        ("stars after letters", "/deep/*\n!/deep/a**/*\ndeep**/b\n"),
        ("backslash", "back\\\\slash\n"),
    ];
    for (what, text) in rules {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            write(dir.path(), file, "x");
        }
        write(dir.path(), ".gitignore", text);
        check(dir.path(), what);
    }
}

// shows: CT-005
#[test]
fn stronger_kinds_of_rules_and_nearer_ones_win() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["a.x", "b.x", "c.x", "sub/a.x", "sub/b.x"] {
        write(dir.path(), file, "x");
    }
    write(dir.path(), ".gitignore", "*.x\n!b.x\n");
    write(dir.path(), ".ignore", "!a.x\n");
    write(dir.path(), ".pitonignore", "b.x\n");
    write(dir.path(), "sub/.gitignore", "!a.x\n");
    let ours = our_files(dir.path());
    let expected = [".gitignore", ".ignore", ".pitonignore", "a.x", "sub/.gitignore", "sub/a.x"];
    assert_eq!(ours, expected.iter().map(|name| (*name).to_owned()).collect());
}

// shows in part: CT-005 (the part that rules outside the tree do not count)
#[test]
fn nothing_outside_the_tree_leaves_anything_out() {
    let outer = tempfile::tempdir().unwrap();
    write(outer.path(), ".gitignore", "*\n");
    let root = outer.path().join("targets/project");
    write(&root, "a.log", "x");
    write(&root, ".git/info/exclude", "*.log\n");
    write(&root, ".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(our_files(&root), BTreeSet::from(["a.log".to_owned()]));
}

// shows: CT-005
#[test]
fn this_project_and_packages_of_others_have_the_files_that_git_sees() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = tempfile::tempdir().unwrap();
    let copied = dir.path().join("piton");
    copy(&here, &copied, &["target", ".git"]);
    write(&copied, "target/debug/x", "x");
    check(&copied, "this project");
    let crates = crates();
    assert!(crates.len() >= 3, "the registry has packages with ignore rules");
    for package in crates.into_iter().chain(archives()) {
        let copied = dir.path().join(package.file_name().unwrap());
        // Git does not read `.ignore`, which one of them has.
        copy(&package, &copied, &[".git", ".ignore"]);
        assert!(rule_files(&copied) > 0, "{} has rules", package.display());
        plant(&copied);
        check(&copied, &package.display().to_string());
    }
}

/// How many files of rules a tree has.
fn rule_files(root: &Path) -> usize {
    let entries = fs::read_dir(root).unwrap().map(Result::unwrap);
    let count = |entry: fs::DirEntry| {
        let is_directory = entry.file_type().unwrap().is_dir();
        let below = if is_directory { rule_files(&entry.path()) } else { 0 };
        below + usize::from(entry.file_name() == ".gitignore")
    };
    entries.map(count).sum()
}

/// Makes what building leaves behind in every directory, which is what the rules of packages are about.
fn plant(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            plant(&entry.path());
        }
    }
    for name in ["a.o", "a.out", "lib.so.1", "lib.a", "npm-debug.log", "test.exe", "x~", ".x.swp"] {
        write(directory, name, "x");
    }
    for name in ["target/x", "node_modules/m/index.js", "build/x", "tmp/x"] {
        if !directory.join(name).parent().unwrap().is_file() {
            write(directory, name, "x");
        }
    }
}

/// The package of npm and the source package of Debian that `cargo xtask tools` unpacks below the target directory.
fn archives() -> Vec<PathBuf> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients").join("packages");
    let shown = place.display();
    let unpacked = fs::read_dir(&place)
        .unwrap_or_else(|_| panic!("{shown} is missing. Run `cargo xtask tools` once."));
    let unpacked: Vec<PathBuf> = unpacked.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(unpacked.len(), 2, "{shown}: one of npm and one of Debian");
    unpacked
}

/// Unpacked packages of the registry of crates that have ignore files.
fn crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.unwrap().join("registry/src");
    let mut found = Vec::new();
    for registry in fs::read_dir(sources).unwrap() {
        let mut packages: Vec<PathBuf> = fs::read_dir(registry.unwrap().path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        packages.sort();
        let ruled = packages.into_iter().filter(|package| package.join(".gitignore").exists());
        found.extend(ruled.take(8));
    }
    found
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    const PARTS: [&str; 15] = [
        "a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "a*", "*b", "/", "{a,b}", "\\a", "[a",
        "a.b",
    ];

    // shows in part: CT-005 (the part about nested, negated and anchored rules)
    #[test]
    fn generated_rules_in_generated_trees_leave_out_what_git_leaves_out() {
        let run = LongRun::start("context: ignore rules against git");
        let luck = SeededEntropy::new(run.seed());
        println!("seed {}", run.seed());
        let pick = |count: usize| usize::try_from(luck.next_u64()).unwrap() % count;
        let trees = LongRun::size(40, 1_000);
        for number in 0..trees {
            let dir = tempfile::tempdir().unwrap();
            let names = ["a", "b", "ab", "a.b", "c"];
            for _ in 0..30 {
                let depth = 1 + pick(4);
                let parts: Vec<&str> = (0..depth).map(|_| names[pick(5)]).collect();
                let file = dir.path().join(parts.join("/"));
                if fs::create_dir_all(file.parent().unwrap()).is_ok() {
                    let _ = fs::write(file, "x");
                }
            }
            let mut texts = String::new();
            for place in ["", "a/", "b/", "a/b/"] {
                let text: String = (0..pick(5)).map(|_| rule(&pick)).collect();
                let file = dir.path().join(format!("{place}.gitignore"));
                if !text.is_empty() && fs::write(&file, &text).is_ok() {
                    let _ = write!(texts, "{place}: {text:?} ");
                }
            }
            check(dir.path(), &format!("tree {number}, {texts}"));
        }
        run.report(&[("trees", trees)]);
    }

    fn rule(pick: &impl Fn(usize) -> usize) -> String {
        let mut rule = String::from(["", "", "!", "/", "!/"][pick(5)]);
        for _ in 0..=pick(4) {
            rule.push_str(PARTS[pick(PARTS.len())]);
        }
        rule.push_str(["", "/", "/*", "/**"][pick(4)]);
        rule.push('\n');
        rule
    }
}

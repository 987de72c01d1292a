//! What git says is read from its files, and never fails a call.

use std::path::Path;

use piton_core::Digest;
use piton_core::digest::FileBytes;
use piton_runtime::project_env::{Checkout, checkout, observations};
use piton_workflow::ObservationKey::{GitBranch, GitHeadSha, RepoRoot, RepoRootHash};
use piton_workflow::event::ObservedValue;

use crate::rig::Machine;

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";

fn seen(machine: &Machine, below: &str) -> (Option<String>, Option<String>) {
    let found = checkout(&machine.home().join(below)).unwrap();
    (found.branch, found.head)
}

#[test]
fn branch_and_commit_come_from_loose_refs_packed_refs_or_head_itself() {
    let main = Some("main".to_owned());
    let cases: [(&[(&str, &str)], _); 5] = [
        (
            &[("HEAD", "ref: refs/heads/main\n"), ("refs/heads/main", SHA)],
            (main.clone(), Some(SHA)),
        ),
        (
            &[
                ("HEAD", "ref: refs/heads/main\n"),
                (
                    "packed-refs",
                    "# pack-refs\n0123456789abcdef0123456789abcdef01234567 refs/heads/main\n",
                ),
            ],
            (main.clone(), Some(SHA)),
        ),
        (
            &[
                ("HEAD", "ref: refs/heads/main\n"),
                ("refs/heads/main", OTHER),
                ("packed-refs", "0123456789abcdef0123456789abcdef01234567 refs/heads/main\n"),
            ],
            (main.clone(), Some(OTHER)),
        ),
        (&[("HEAD", SHA)], (None, Some(SHA))),
        (&[("HEAD", "ref: refs/heads/main\n")], (main, None)),
    ];
    for (files, (branch, head)) in cases {
        let machine = Machine::in_memory();
        for (name, text) in files {
            machine.write(&format!("project/.git/{name}"), text);
        }
        machine.write("project/src/x", "");
        assert_eq!(seen(&machine, "project/src"), (branch, head.map(str::to_owned)), "{files:?}");
    }
}

#[test]
fn a_worktree_has_its_own_head_and_the_refs_of_its_repository() {
    let machine = Machine::in_memory();
    machine.write("project/.git/HEAD", "ref: refs/heads/main\n");
    machine.write("project/.git/packed-refs", &format!("{SHA} refs/heads/fix/login\n"));
    machine.write("project/.git/worktrees/tree/HEAD", "ref: refs/heads/fix/login\n");
    machine.write("project/.git/worktrees/tree/commondir", "../..\n");
    machine.write("tree/.git", "gitdir: ../project/.git/worktrees/tree\n");
    let expected = (Some("fix/login".to_owned()), Some(SHA.to_owned()));
    assert_eq!(seen(&machine, "tree"), expected);
    assert_eq!(checkout(&machine.home().join("tree")).unwrap().root, machine.home().join("tree"));
}

#[test]
fn whatever_stands_in_the_files_of_git_no_call_fails() {
    let long = vec![b'a'; 100_000];
    let strange: [&[u8]; 6] =
        [b"", b"\xff\xfe\x00", b"ref: refs/heads/../../../etc/passwd", b"gitdir:", b"ref:", &long];
    for bytes in strange {
        for name in
            [".git", ".git/HEAD", ".git/packed-refs", ".git/refs/heads/main", ".git/commondir"]
        {
            let machine = Machine::in_memory();
            if name != ".git" {
                machine.write("project/.git/HEAD", "ref: refs/heads/main\n");
            }
            let path = machine.write(&format!("project/{name}"), "");
            std::fs::write(path, bytes).unwrap();
            let found = checkout(&machine.project());
            assert!(found.and_then(|found| found.head).is_none(), "{name}");
        }
    }
    assert_eq!(checkout(Path::new("/proc/self")), None);
}

#[test]
fn what_does_not_fit_is_left_out() {
    let found = |branch: &str, head: &str, root: &str| {
        let (branch, head) = (Some(branch.to_owned()), Some(head.to_owned()));
        let observed = observations(&Checkout { root: root.into(), branch, head });
        observed.into_iter().map(|one| one.key).collect::<Vec<_>>()
    };
    assert_eq!(found("main", SHA, "/a"), [GitBranch, GitHeadSha, RepoRootHash, RepoRoot]);
    assert_eq!(found(&"b".repeat(80), SHA, "/a"), [GitBranch, GitHeadSha, RepoRootHash, RepoRoot]);
    assert_eq!(found(&"b".repeat(81), SHA, "/a"), [GitHeadSha, RepoRootHash, RepoRoot]);
    assert_eq!(found("main", &"a".repeat(64), "/a"), [GitBranch, RepoRootHash, RepoRoot]);
    let long = format!("/{}", "p".repeat(600));
    assert_eq!(found("main", SHA, &long), [GitBranch, GitHeadSha, RepoRootHash]);
    let root = Checkout { root: "/a".into(), branch: None, head: None };
    let digest = Digest::of(&FileBytes(b"/a"));
    assert_eq!(observations(&root)[0].value, ObservedValue::Sha256(digest));
}

//! The second wall, in a thread of its own: what it takes away it never gives back.

use std::{fs, thread};

use piton_workspaces::AccessScope;
use piton_workspaces::landlock::{AllowedDirectory, KernelSandbox, enclose};

#[test]
fn behind_the_wall_only_the_mounts_are_reachable_and_only_as_their_scopes_say() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for name in ["ro", "rw", "outside"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("f.txt"), "x").unwrap();
    }
    let (ro, rw, outside) = (at("ro"), at("rw"), at("outside"));
    let behind = thread::spawn(move || {
        let wall = enclose(&[
            AllowedDirectory { directory: ro.clone(), scope: AccessScope::ReadOnly },
            AllowedDirectory { directory: rw.clone(), scope: AccessScope::ReadWrite },
        ])
        .unwrap();
        let can = [
            fs::read(ro.join("f.txt")).is_ok(),
            fs::write(ro.join("g.txt"), "x").is_ok(),
            fs::read(rw.join("f.txt")).is_ok(),
            fs::write(rw.join("g.txt"), "x").is_ok(),
            fs::rename(rw.join("g.txt"), rw.join("h.txt")).is_ok(),
            fs::read(outside.join("f.txt")).is_ok(),
            fs::write(outside.join("g.txt"), "x").is_ok(),
            fs::read("/etc/passwd").is_ok(),
        ];
        (wall, can)
    });
    let (wall, can) = behind.join().unwrap();
    println!("the wall is {wall}");
    let expected = match wall {
        KernelSandbox::None => [true; 8],
        KernelSandbox::Full | KernelSandbox::Partial => {
            [true, false, true, true, true, false, false, false]
        }
    };
    assert_eq!(can, expected, "{wall}");
    assert!(fs::read("/etc/passwd").is_ok(), "the wall is around one thread");
}

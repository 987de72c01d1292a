//! The archive, and the files that describe all packages.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::rig::{Packages, VERSION, fail, says_its_version, succeed, xtask};

/// The archive holds a program that runs, and all that goes with it.
pub(crate) fn unpack(packages: &Packages) {
    let place = packages.place("unpacked");
    let archive = packages.file("piton-", "-linux-gnu.tar.gz");
    succeed(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&place));
    let inside = place.join(format!("piton-{VERSION}-x86_64-unknown-linux-gnu"));
    for (path, content) in [
        ("README.md", "Piton"),
        ("CHANGELOG.md", "# Changelog"),
        ("LICENSE-MIT", "MIT License"),
        ("LICENSE-APACHE", "Apache License"),
        ("LICENSES-THIRD-PARTY", "tokio 1."),
        ("completions/piton", "complete"),
        ("completions/_piton", "#compdef piton"),
        ("completions/piton.fish", "--command piton"),
        ("man/man1/piton.1", ".TH"),
        ("man/man1/piton-session-list.1", ".TH"),
    ] {
        let text = fs::read_to_string(inside.join(path)).unwrap_or_default();
        assert!(text.contains(content), "{path}");
    }
    says_its_version(&mut Command::new(inside.join("piton")));

    let mut check = Command::new("sha256sum");
    let checked = check.args(["--check", "SHA256SUMS"]).current_dir(packages.directory.path());
    assert_eq!(succeed(checked).lines().count(), 6);
    let bill = fs::read(packages.file("piton-", ".cdx.json")).unwrap();
    let bill: Value = serde_json::from_slice(&bill).unwrap();
    assert_eq!(bill["metadata"]["component"]["purl"], format!("pkg:cargo/piton-cli@{VERSION}"));
    let parts = bill["components"].as_array().unwrap();
    let sqlite = parts.iter().find(|part| part["name"] == "sqlite").unwrap();
    assert!(sqlite["purl"].as_str().unwrap().starts_with("pkg:generic/sqlite@3."));
}

#[test]
fn a_file_that_is_not_the_program_is_refused() {
    let check = |program: &str, complaint: &str| {
        let to = crate::rig::directory();
        let (code, error) = fail(xtask().args(["--program", program]).arg("--to").arg(to.path()));
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(complaint), "{error}");
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0, "nothing is written");
    };
    check("no/such/program", "there is no program no/such/program");
    check("README.md", "it has to be built for x86_64-unknown-linux-gnu: no 64-bit ELF file");
    // It packs, and knows no option --version.
    check(env!("CARGO_BIN_EXE_xtask"), "--version` failed");
}

#[test]
fn release_notes_are_printed_without_packing_anything() {
    let notes = succeed(xtask().arg("--notes"));
    assert!(notes.starts_with(&format!("# Piton {VERSION}\n\n")), "{notes}");
    assert!(notes.contains("\n### "), "{notes}");
    assert!(!notes.contains("](docs/"), "links work outside the repository");
}

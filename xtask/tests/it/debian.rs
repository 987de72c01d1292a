//! The Debian package, installed by dpkg into a system of its own.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;

use crate::rig::{Packages, VERSION, fail, says_its_version, succeed};

/// dpkg, as root or as somebody who looks like root to it.
fn dpkg(system: &Path) -> Command {
    let is_root = succeed(Command::new("id").arg("-u")).trim() == "0";
    let mut command = Command::new(if is_root { "dpkg" } else { "unshare" });
    if !is_root {
        command.args(["--map-root-user", "dpkg"]);
    }
    command.arg("--admindir").arg(system.join("dpkg")).arg("--instdir").arg(system.join("root"));
    command
}

/// A system with nothing but the libraries of this one, as far as dpkg knows.
fn system(place: &Path, about: &str) {
    for directory in ["root", "dpkg/info", "dpkg/updates", "dpkg/triggers"] {
        fs::create_dir_all(place.join(directory)).unwrap();
    }
    fs::write(place.join("dpkg/status"), about).unwrap();
}

/// dpkg installs a program that runs, and removes all of it.
pub(crate) fn install_and_remove(packages: &Packages) {
    let package = packages.file("piton_", "_amd64.deb");
    let place = packages.place("system");
    let libraries = succeed(Command::new("dpkg-query").args(["--status", "libc6", "libgcc-s1"]));
    system(&place, &libraries);
    succeed(dpkg(&place).arg("--install").arg(&package));
    let root = place.join("root");
    says_its_version(&mut Command::new(root.join("usr/bin/piton")));
    for (path, content) in [
        ("man/man1/piton.1.gz", ".TH piton"),
        ("man/man1/piton-session-list.1.gz", "session"),
        ("doc/piton/changelog.gz", "piton ("),
        ("doc/piton/NEWS.md.gz", "# Changelog"),
        ("doc/piton/LICENSES-THIRD-PARTY.gz", "tokio 1."),
    ] {
        let file = fs::File::open(root.join("usr/share").join(path)).unwrap();
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
        assert!(text.contains(content), "{path}");
    }
    let copyright = fs::read_to_string(root.join("usr/share/doc/piton/copyright")).unwrap();
    assert!(copyright.contains("License: Expat\n Permission is hereby granted"), "{copyright}");
    for path in [
        "bash-completion/completions/piton",
        "zsh/vendor-completions/_piton",
        "fish/vendor_completions.d/piton.fish",
    ] {
        assert!(root.join("usr/share").join(path).is_file(), "{path}");
    }
    let bash = root.join("usr/share/bash-completion/completions/piton");
    succeed(Command::new("bash").arg("-n").arg(bash));
    assert_eq!(succeed(dpkg(&place).args(["--verify", "piton"])), "", "no file differs");
    succeed(dpkg(&place).args(["--purge", "piton"]));
    assert_eq!(succeed(Command::new("find").arg(&root).args(["-mindepth", "1"])), "");
}

/// dpkg refuses a system whose C library is too old.
pub(crate) fn refuse_an_old_system(packages: &Packages) {
    let package = packages.file("piton_", "_amd64.deb");
    let depends = succeed(Command::new("dpkg-deb").arg("--field").arg(&package).arg("Depends"));
    let (_, needed) = depends.split_once("libc6 (>= 2.").unwrap();
    let needed: u32 = needed.split(')').next().unwrap().parse().unwrap();
    let place = packages.place("old");
    let older = format!("Version: 2.{}-1\n", needed - 1);
    let library = |name: &str, version: &str| {
        format!(
            "Package: {name}\nStatus: install ok installed\nMaintainer: nobody\nArchitecture: amd64\n{version}Description: x\n\n"
        )
    };
    system(&place, &(library("libc6", &older) + &library("libgcc-s1", "Version: 12-1\n")));
    let (_, error) = fail(dpkg(&place).arg("--install").arg(&package));
    assert!(error.contains("piton depends on libc6"), "{error}");
    let version = succeed(Command::new("dpkg-deb").arg("--field").arg(&package).arg("Version"));
    assert_eq!(version.trim(), VERSION.replacen('-', "~", 1));
}

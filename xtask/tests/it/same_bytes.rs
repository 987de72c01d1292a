//! Packages of the same program have the same bytes, wherever, whenever and by whomever they are made.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::rig::{directory, succeed, xtask};

/// A small program that generates as much as the packages need of it: what is shown is about packaging alone.
const STAND_IN: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
    if (!strcmp(words[1], "--version")) return printf("piton %s\n", VERSION) < 0;
    if (!strcmp(words[1], "completions")) return printf("for %s\n", words[2]) < 0;
    char path[4096];
    for (const char *name = "ba"; *name; name++) {
        snprintf(path, sizeof path, "%s/%c.1", words[3], *name);
        FILE *page = fopen(path, "w");
        fprintf(page, "page %c\n", *name);
        fclose(page);
    }
    return 0;
}
"#;

/// A clock that is years ahead.
const CLOCK: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec += 100000000;
    return result;
}
";

fn compile(source: &str, to: &Path, options: &[&str]) {
    let file = to.with_extension("c");
    fs::write(&file, source).unwrap();
    succeed(Command::new("cc").args(options).arg("-o").args([to, &file]));
}

/// The packages, by name.
fn files(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_name().unwrap().display().to_string(), path));
    named.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

#[test]
fn neither_place_nor_clock_nor_permissions_change_a_byte() {
    let (one, other) = (directory(), directory());
    let version = format!("-DVERSION=\"{}\"", env!("CARGO_PKG_VERSION"));
    let first = one.path().join("program");
    compile(STAND_IN, &first, &[&version]);
    succeed(xtask().arg("--program").arg(&first).arg("--to").arg(one.path().join("packages")));

    let second = other.path().join("another");
    fs::copy(&first, &second).unwrap();
    fs::set_permissions(&second, fs::Permissions::from_mode(0o700)).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    File::options().append(true).open(&second).unwrap().set_modified(old).unwrap();
    let clock = other.path().join("clock");
    compile(CLOCK, &clock, &["-shared", "-fPIC"]);
    let line = r#"umask 077; cd docs; exec "$0" dist --program "$1" --to "$2""#;
    let mut later = Command::new("sh");
    later.args(["-c", line, env!("CARGO_BIN_EXE_xtask")]).arg(&second);
    later.arg(other.path().join("packages")).current_dir(xtask().get_current_dir().unwrap());
    succeed(later.env("LD_PRELOAD", &clock).env("TZ", "Asia/Kathmandu").env("LC_ALL", "C"));

    let mut dated = Command::new("date");
    let year = succeed(dated.arg("+%s").env("LD_PRELOAD", &clock));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert!(year.trim().parse::<u64>().unwrap() > now + 50_000_000, "the clock is ahead");
    let (one, other) = (files(&one.path().join("packages")), files(&other.path().join("packages")));
    assert_eq!(one.len(), 8);
    assert!(one.keys().eq(other.keys()));
    for (name, bytes) in &one {
        assert!(bytes == &other[name], "{name} differs");
    }
}

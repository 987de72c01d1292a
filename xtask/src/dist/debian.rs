//! The Debian package. It has no scripts: nothing but files comes and goes.

use std::fmt::Write as _;

use anyhow::Result;

use super::contents::{Contents, Document};
use super::names::{DESCRIPTION, MAINTAINER, PROGRAM, REPOSITORY, SUMMARY, debian_version};
use super::package::Package;
use super::tarball::{Tarball, gzip};

/// Longest line of a description.
const COLUMNS: usize = 78;

const INFALLIBLE: &str = "writing to a string does not fail";

/// One file of the system.
struct Installed {
    path: String,
    mode: u32,
    bytes: Vec<u8>,
}

pub(crate) fn pack(contents: &Contents) -> Result<Package> {
    let version = debian_version(&contents.version);
    let files = installed(contents, &version)?;
    let mut data = Tarball::new(contents.time);
    let mut known = Vec::new();
    data.directory("./")?;
    for file in &files {
        for (slash, _) in file.path.match_indices('/') {
            let directory = &file.path[..=slash];
            if !known.contains(&directory) {
                data.directory(&format!("./{directory}"))?;
                known.push(directory);
            }
        }
        data.file(&format!("./{}", file.path), file.mode, &file.bytes)?;
    }
    let mut control = Tarball::new(contents.time);
    control.directory("./")?;
    control.file("./control", 0o644, control_file(contents, &version, &files).as_bytes())?;
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, member) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control.finish()?),
        ("data.tar.gz", data.finish()?),
    ] {
        let size = member.len();
        let header =
            format!("{name:<16}{:<12}0     0     100644  {size:<10}`\n", contents.time.as_second());
        bytes.extend(header.as_bytes());
        bytes.extend(member);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    Ok(Package { name: format!("{PROGRAM}_{version}_amd64.deb"), bytes })
}

/// What the package puts where.
fn installed(contents: &Contents, version: &str) -> Result<Vec<Installed>> {
    let file = |path: String, bytes: &[u8]| Installed { path, mode: 0o644, bytes: bytes.to_vec() };
    let program = format!("usr/bin/{PROGRAM}");
    let mut files = vec![Installed { path: program, mode: 0o755, bytes: contents.program.clone() }];
    let directories =
        ["bash-completion/completions", "zsh/vendor-completions", "fish/vendor_completions.d"];
    for (directory, script) in directories.iter().zip(&contents.completions) {
        files.push(file(format!("usr/share/{directory}/{}", script.name), &script.text));
    }
    let documents = format!("usr/share/doc/{PROGRAM}");
    let changelog = gzip(changelog(contents, version).as_bytes())?;
    files.push(file(format!("{documents}/changelog.gz"), &changelog));
    files.push(file(format!("{documents}/NEWS.md.gz"), &gzip(&contents.changelog.text)?));
    files.push(file(format!("{documents}/copyright"), copyright(&contents.licenses).as_bytes()));
    for license in contents.licenses.iter().filter(|license| is_of_others(license)) {
        files.push(file(format!("{documents}/{}.gz", license.name), &gzip(&license.text)?));
    }
    for page in &contents.manual {
        files.push(file(format!("usr/share/man/man1/{}.gz", page.name), &gzip(&page.text)?));
    }
    Ok(files)
}

fn control_file(contents: &Contents, version: &str, files: &[Installed]) -> String {
    // Debian counts each file in whole KiB.
    let size: usize = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    let mut needs = format!("libc6 (>= {})", contents.needs.glibc);
    if let Some(libgcc) = &contents.needs.libgcc {
        write!(needs, ", libgcc-s1 (>= {libgcc})").expect(INFALLIBLE);
    }
    format!(
        "Package: {PROGRAM}\nVersion: {version}\nArchitecture: amd64\nMaintainer: {MAINTAINER}\n\
         Installed-Size: {size}\nDepends: {needs}\nRecommends: ca-certificates\n\
         Section: devel\nPriority: optional\nHomepage: {REPOSITORY}\n\
         Description: {}\n{}",
        // Debian's form has neither an article nor an end.
        SUMMARY.trim_start_matches("One "),
        indented(DESCRIPTION)
    )
}

/// A text in lines that begin with a blank.
fn indented(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        if lines.last().is_some_and(|line| line.len() + 1 + word.len() > COLUMNS) {
            lines.push(String::new());
        }
        let line = lines.last_mut().expect("there is always a line");
        line.push(' ');
        line.push_str(word);
    }
    lines.join("\n") + "\n"
}

/// The one entry that is about this version, in Debian's form.
fn changelog(contents: &Contents, version: &str) -> String {
    let date = contents.time.strftime("%a, %d %b %Y %H:%M:%S +0000");
    format!(
        "{PROGRAM} ({version}) unstable; urgency=medium\n\n  * Release {}. NEWS.md.gz beside this file says what changed.\n\n -- {MAINTAINER}  {date}\n",
        contents.version
    )
}

/// The licences in the form that Debian's tools read. Debian has the text of Apache-2.0 itself.
fn copyright(licenses: &[Document]) -> String {
    let mit = licenses.iter().find(|license| license.name == "LICENSE-MIT");
    let mit = mit.map(|license| String::from_utf8_lossy(&license.text)).unwrap_or_default();
    let (_, text) = mit.split_once("\n\n").unwrap_or_default();
    let (_, text) = text.split_once("\n\n").unwrap_or_default();
    let text: String = text
        .lines()
        .map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    let mut others = String::new();
    for name in licenses.iter().filter(|license| is_of_others(license)).map(|it| &it.name) {
        others +=
            "Comment: The libraries that the program is linked with have licences of their own,\n";
        writeln!(others, " in /usr/share/doc/{PROGRAM}/{name}.gz.").expect(INFALLIBLE);
    }
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: {PROGRAM}\nSource: {REPOSITORY}\n{others}\n\
         Files: *\nCopyright: The Piton authors\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{text}\n\
         License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n"
    )
}

/// Whether it is neither of Piton's own licences.
fn is_of_others(license: &Document) -> bool {
    !["LICENSE-APACHE", "LICENSE-MIT"].contains(&license.name.as_str())
}

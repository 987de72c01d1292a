//! The location of the data directory, and the display of paths.

use std::path::{Path, PathBuf};

use piton_core::shell_word;
use piton_runtime::config::{Environment, Settings};
use piton_runtime::library::WorkflowSource;

/// Returns the data directory: the chosen one, else that of `PITON_DATA_DIR` or the configuration, else the one in the
/// XDG data directory. There is none without a home directory.
pub(crate) fn data_dir(
    chosen: Option<&Path>,
    settings: &Settings,
    environment: &Environment,
) -> Option<PathBuf> {
    // The XDG specification demands that relative paths are ignored.
    let xdg = environment.variable("XDG_DATA_HOME").map(Path::new);
    let xdg = xdg.filter(|path| path.is_absolute()).map(|path| path.join("piton"));
    chosen
        .or(settings.data_dir())
        .map(Path::to_path_buf)
        .or(xdg)
        .or_else(|| environment.home().map(|home| home.join(".local/share/piton")))
}

/// Returns the source of workflows that a data directory is inside of, if there is one.
pub(crate) fn searched_above<'a>(
    sources: &'a [WorkflowSource],
    root: &Path,
    environment: &Environment,
) -> Option<&'a WorkflowSource> {
    let absolute = |path: &Path| {
        let base = environment.working_dir.as_deref().unwrap_or(Path::new("/"));
        // Compares components and not text, so that `./x` and `x` are the same directory. Links are not resolved.
        base.join(path).components().collect::<PathBuf>()
    };
    let root = absolute(root);
    sources.iter().find(|source| root.starts_with(absolute(&source.directory)))
}

/// Formats a path as a person writes it, with `~` for the home directory.
pub(crate) fn display_path(path: &Path, environment: &Environment) -> String {
    environment
        .home()
        .and_then(|home| path.strip_prefix(home).ok())
        .map_or_else(|| path.display().to_string(), |rest| format!("~/{}", rest.display()))
}

/// Formats a path as one shell word. The `~` stays unquoted, since a shell expands it only then.
pub(crate) fn shell_path(path: &Path, environment: &Environment) -> String {
    let shown = display_path(path, environment);
    match shown.strip_prefix("~/").filter(|rest| !rest.is_empty()) {
        Some(rest) => format!("~/{}", shell_word(rest)),
        None => shell_word(&shown),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use piton_runtime::config::Configuration;
    use piton_runtime::workflow::SourceKind;

    use super::*;

    fn environment(data_dir: &str, xdg_data: &str, home: &str) -> Environment {
        let set = [("PITON_DATA_DIR", data_dir), ("XDG_DATA_HOME", xdg_data), ("HOME", home)];
        let variables: BTreeMap<String, String> =
            set.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Environment { variables, working_dir: None }
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
        let found = |chosen: Option<&str>, environment: Environment| {
            let settings = Configuration::load(environment.clone()).unwrap().settings();
            data_dir(chosen.map(Path::new), &settings, &environment)
        };
        for (chosen, data_dir, xdg, home, expected) in cases {
            let found = found(chosen, environment(data_dir, xdg, home));
            assert_eq!(found.unwrap(), Path::new(expected));
        }
        assert!(found(None, environment("", "", "")).is_none());
    }

    // shows: WR-048
    #[test]
    fn data_is_not_kept_among_workflows() {
        let at = |directory: &str| WorkflowSource {
            kind: SourceKind::Project,
            directory: PathBuf::from(directory),
            is_named: false,
        };
        let sources = [at("/home/a/.config/piton/workflows"), at("/code/x/.piton/workflows")];
        let environment =
            Environment { working_dir: Some("/code/x".into()), ..environment("", "", "/home/a") };
        for (root, expected) in [
            ("/home/a/.local/share/piton", None),
            ("/code/x/.piton/data", None),
            ("/code/x/.piton/workflows-data", None),
            ("/code/x/.piton/workflows", Some("/code/x/.piton/workflows")),
            (".piton/workflows/data", Some("/code/x/.piton/workflows")),
            ("./.piton/./workflows/data", Some("/code/x/.piton/workflows")),
            ("/home/a/.config/piton/workflows/d", Some("~/.config/piton/workflows")),
        ] {
            let above = searched_above(&sources, Path::new(root), &environment);
            let above = above.map(|source| display_path(&source.directory, &environment));
            assert_eq!(above.as_deref(), expected, "{root}");
        }
    }

    #[test]
    fn the_home_directory_is_shown_short() {
        let environment = environment("", "", "/home/a");
        assert_eq!(display_path(Path::new("/home/a/.local/share"), &environment), "~/.local/share");
        assert_eq!(display_path(Path::new("/home/ab"), &environment), "/home/ab");
        assert_eq!(shell_path(Path::new("/home/a/b c"), &environment), "~/'b c'");
        assert_eq!(shell_path(Path::new("/b c"), &environment), "'/b c'");
    }
}

//! Which commit something was measured on.

use std::path::Path;

use anyhow::Result;

use crate::process;

/// What measuring writes itself: that the last record is not committed yet changes nothing that is measured.
const RECORDS: [&str; 3] = [
    ":(exclude)docs/benchmarks*",
    ":(exclude)docs/generated/coverage.md",
    ":(exclude)docs/generated/long-runs.md",
];

/// The commit that is checked out, with `+` behind it if anything but such records differs from it.
pub(crate) fn measured(root: &Path) -> Result<String> {
    let id = process::output(root, "git", &["rev-parse", "--short", "HEAD"])?;
    let status = ["status", "--porcelain", "--", "."];
    let changes = process::output(root, "git", &[status.as_slice(), &RECORDS].concat())?;
    let mark = if changes.is_empty() { "" } else { "+" };
    Ok(format!("{}{mark}", id.trim()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::measured;
    use crate::process;

    #[test]
    fn only_what_is_measured_makes_a_commit_a_changed_one() {
        let root = std::env::temp_dir().join(format!("piton-commit-{}", std::process::id()));
        fs::create_dir_all(root.join("docs/generated")).unwrap();
        let git = |arguments: &[&str]| {
            let name = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
            process::output(&root, "git", &[name.as_slice(), arguments].concat()).unwrap()
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "--message", "first"]);
        let clean = measured(&root).unwrap();
        assert_eq!(clean, git(&["rev-parse", "--short", "HEAD"]).trim());
        for (path, mark) in [
            ("docs/benchmarks.md", ""),
            ("docs/benchmarks-flow.svg", ""),
            ("docs/generated/coverage.md", ""),
            ("docs/generated/long-runs.md", ""),
            ("docs/generated/cli.md", "+"),
        ] {
            fs::write(root.join(path), "new").unwrap();
            assert_eq!(measured(&root).unwrap(), format!("{clean}{mark}"), "{path}");
        }
        fs::remove_dir_all(root).unwrap();
    }
}

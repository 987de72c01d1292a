//! What `llvm-cov` says, by crate, and whether it is enough; pure.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The least share of lines, in percent.
const PERCENT_MIN: u64 = 80;

/// The lines of one crate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) lines: u64,
    pub(super) covered: u64,
}

impl Measured {
    /// Compared without a fraction, so that 79.99 is not 80.
    fn is_enough(&self) -> bool {
        self.covered * 100 >= self.lines * PERCENT_MIN
    }

    /// The share in percent, rounded down.
    pub(super) fn percent(&self) -> String {
        let hundredths = self.covered * 10_000 / self.lines.max(1);
        format!("{}.{:02} %", hundredths / 100, hundredths % 100)
    }
}

/// The crates that are below the bar, each with what to do.
pub(super) fn too_low(measured: &[Measured]) -> Vec<String> {
    let low = measured.iter().filter(|crate_| !crate_.is_enough());
    low.map(|crate_| {
        format!(
            "coverage: the tests of piton-{} run {} of its lines, and {PERCENT_MIN} % is the least; add tests for \
             what they leave out",
            crate_.name,
            crate_.percent()
        )
    })
    .collect()
}

/// The page that is kept.
pub(super) fn page(measured: &[Measured], commit: &str) -> String {
    let mut page = format!(
        "# Coverage\n\n<!-- Written by `cargo xtask coverage`. -->\n\nLines of each crate that its own tests run or the \
         tests of another part, of those that can run. At least {PERCENT_MIN} % is asked for. Commit {commit}.\n\n\
         | crate | lines | run | share |\n|---|---:|---:|---:|\n"
    );
    for crate_ in measured {
        let Measured { name, lines, covered } = crate_;
        writeln!(page, "| piton-{name} | {lines} | {covered} | {} |", crate_.percent())
            .expect("writing to a string does not fail");
    }
    page
}

#[derive(Deserialize)]
struct Report {
    data: Vec<Export>,
}

#[derive(Deserialize)]
struct Export {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    lines: Lines,
}

#[derive(Deserialize)]
struct Lines {
    count: u64,
    covered: u64,
}

/// The lines below `src` of each crate, in the order of `crates`.
pub(super) fn read(report: &str, root: &Path, crates: &[&str]) -> Result<Vec<Measured>> {
    let report: Report = serde_json::from_str(report).context("reading what llvm-cov says")?;
    let mut measured = Vec::with_capacity(crates.len());
    for &name in crates {
        let below = root.join("crates").join(name).join("src");
        let (mut lines, mut covered) = (0, 0);
        for file in report.data.iter().flat_map(|export| &export.files) {
            // Paths that the compiler was given from the root have no root.
            if root.join(&file.filename).starts_with(&below) {
                lines += file.summary.lines.count;
                covered += file.summary.lines.covered;
            }
        }
        ensure!(lines > 0, "llvm-cov knows no line of piton-{name}");
        measured.push(Measured { name: name.to_owned(), lines, covered });
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(lines: u64, covered: u64) -> Measured {
        Measured { name: "backpack".to_owned(), lines, covered }
    }

    // shows in part: BP-120 (the part about the verdict)
    #[test]
    fn a_crate_below_eighty_percent_fails_however_close_it_is() {
        for (lines, covered, is_enough) in [
            (1_000, 800, true),
            (1_000, 799, false),
            (10_000, 7_999, false),
            (7, 7, true),
            (3, 0, false),
        ] {
            let low = too_low(&[measured(lines, covered)]);
            assert_eq!(low.is_empty(), is_enough, "{covered} of {lines}: {low:?}");
        }
        let low = too_low(&[measured(10_000, 7_999), measured(100, 100)]);
        assert_eq!(low.len(), 1);
        assert!(low[0].contains("piton-backpack run 79.99 % of its lines"), "{}", low[0]);
    }

    // shows: BP-120 (with a_crate_below_eighty_percent_fails_however_close_it_is)
    #[test]
    fn the_page_that_is_kept_has_every_part_and_none_below_the_bar() {
        let root = crate::project::root().unwrap();
        let kept = std::fs::read_to_string(root.join(super::super::PAGE)).unwrap();
        for name in super::super::CRATES {
            let line = kept.lines().find(|line| line.starts_with(&format!("| piton-{name} |")));
            let numbers: Vec<u64> =
                line.unwrap().split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
            assert!(measured(numbers[0], numbers[1]).is_enough(), "{name}: {numbers:?}");
        }
    }

    #[test]
    fn only_the_sources_of_a_crate_count() {
        let file = |name: &str, count: u64, covered: u64| {
            format!(
                r#"{{"filename":"{name}","summary":{{"lines":{{"count":{count},"covered":{covered}}}}}}}"#
            )
        };
        let files = [
            file("/r/crates/flow/src/a.rs", 10, 9),
            file("crates/flow/src/b/c.rs", 10, 7),
            file("/r/crates/flow/tests/it/a.rs", 100, 100),
            file("/r/crates/flow-extra/src/a.rs", 100, 0),
            file("/home/registry/x/src/lib.rs", 100, 0),
        ];
        let report = format!(r#"{{"data":[{{"files":[{}]}}],"version":"3"}}"#, files.join(","));
        let found = read(&report, Path::new("/r"), &["flow"]).unwrap();
        assert_eq!(found, [Measured { name: "flow".to_owned(), lines: 20, covered: 16 }]);
        assert!(page(&found, "abc").contains("| piton-flow | 20 | 16 | 80.00 % |\n"));
        assert!(read(&report, Path::new("/r"), &["models"]).is_err());
    }
}

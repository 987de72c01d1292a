//! What a check found: where, what, and how to fix it.

use std::fmt;

/// One finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    /// Path from the repository root.
    pub(crate) path: String,
    /// Line from 1, or `None` when the whole file is meant.
    pub(crate) line: Option<usize>,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) fix: String,
}

impl Problem {
    /// A problem of a whole file.
    pub(crate) fn of_file(
        path: impl Into<String>,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), line: None, what: what.into(), fix: fix.into() }
    }

    /// A problem of one line, counted from 1.
    pub(crate) fn at(
        path: impl Into<String>,
        line: usize,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { line: Some(line), ..Self::of_file(path, what, fix) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        write!(out, ": {}\n    fix: {}", self.what, self.fix)
    }
}

#[cfg(test)]
mod tests {
    use super::Problem;

    #[test]
    fn a_problem_prints_its_place_and_its_fix() {
        let problem = Problem::at("a.rs", 3, "`x` is wrong", "write `y`");
        assert_eq!(problem.to_string(), "a.rs:3: `x` is wrong\n    fix: write `y`");
    }
}

//! Release notes: what the changelog says about a version.

use anyhow::{Result, bail};

use super::names::{PROGRAM, REPOSITORY};

/// The notes of a version, or else of what is not released yet, with links that work anywhere.
pub(crate) fn of(changelog: &str, version: &str) -> Result<String> {
    for name in [version, "Unreleased"] {
        let Some(section) = section(changelog, name) else { continue };
        // A link without an address is relative to the root of the repository.
        let base = format!("]({REPOSITORY}/blob/v{version}/");
        let mut parts = section.split("](");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let target = part.split(')').next().unwrap_or_default();
            text.push_str(if target.contains(':') { "](" } else { &base });
            text.push_str(part);
        }
        return Ok(format!("# {} {version}\n\n{}\n", title(PROGRAM), text.trim()));
    }
    bail!("CHANGELOG.md has no section [{version}], and none of what is not released yet: add one")
}

/// The text below a heading of the second level, up to the next.
fn section<'c>(changelog: &'c str, name: &str) -> Option<&'c str> {
    let heading = format!("\n## [{name}]");
    let start = changelog.find(&heading)? + heading.len();
    let text = changelog[start..].split_once('\n')?.1;
    Some(text.find("\n## ").map_or(text, |end| &text[..end]))
}

fn title(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use super::of;

    const CHANGELOG: &str = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.2.0] - 2026-01-01\n\n\
                             - See [a](docs/a.md), [b](https://b.c).\n\n## [0.1.0]\n\n- Old.\n";

    #[test]
    fn notes_are_those_of_the_version_or_else_of_what_is_not_released() {
        let check = |version: &str, expected: &str| {
            let notes = of(CHANGELOG, version).unwrap();
            assert_eq!(notes, format!("# Piton {version}\n\n{expected}\n"));
        };
        check("0.1.0", "- Old.");
        check("0.3.0", "- New.");
        let page = "https://github.com/piton-rs/piton/blob/v0.2.0/docs/a.md";
        check("0.2.0", &format!("- See [a]({page}), [b](https://b.c)."));
        assert!(of("# Changelog\n", "0.1.0").is_err());
    }
}

//! The Filesystem Map: the overview of its files that an agent gets before it begins.

use std::fmt::Write as _;

use crate::scope::AccessScope;
use crate::workspaces::Workspaces;

impl Workspaces {
    /// Returns the map as text: a line for each Workspace, in the order of prefixes.
    pub fn map(&self) -> String {
        if self.all().is_empty() {
            return "Files: none. No Workspace is configured, so you have no file access.\n".into();
        }
        let mut map = String::from(
            "Files: you see these Workspaces and nothing else. The longest prefix of a path decides.\n",
        );
        let width = self.all().iter().map(|one| one.prefix().as_str().len()).max().unwrap_or(0);
        for one in self.all() {
            let line = format!("{:width$}  {:10}  {}", one.prefix(), one.scope(), one.purpose());
            let _ = writeln!(map, "{}", line.trim_end());
        }
        if self.all().iter().any(|one| one.scope() == AccessScope::WriteOnly) {
            map.push_str("In a write-only Workspace you can write, and never read or list.\n");
        }
        if self.all().iter().any(|one| one.scope() != AccessScope::ReadOnly) {
            map.push_str(
                "What configures git, clients, editors, shells or Piton (.git, .vscode, piton.toml, …) you can only read.\n",
            );
        }
        map
    }
}

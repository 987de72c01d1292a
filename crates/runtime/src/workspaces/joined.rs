//! The declarations of every source, joined into one set.

use std::collections::BTreeMap;
use std::path::Path;

#[cfg(feature = "flow")]
use piton_workspaces::Tool;
use piton_workspaces::config::WorkspaceConfig;

use super::declared::{Declared, DeclaredBy};

/// The Workspaces to be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedWorkspaces {
    /// Workspaces with absolute directories and full namespaces, by prefix.
    pub workspaces: Vec<(WorkspaceConfig, DeclaredBy)>,
    /// Declarations that do not count, with the reason.
    pub notes: Vec<String>,
    /// Problems, each beginning with the prefix that it is about.
    pub problems: Vec<String>,
}

impl JoinedWorkspaces {
    /// True if nothing was declared.
    pub fn is_empty(&self) -> bool {
        self.workspaces.is_empty() && self.problems.is_empty()
    }

    /// Returns the tools that can succeed at least once, once the Workspaces are open.
    #[cfg(feature = "flow")]
    pub(super) fn tools(&self) -> Vec<Tool> {
        let scopes = self.workspaces.iter().filter_map(|(config, _)| config.scope.parse().ok());
        Tool::offered(&scopes.collect::<Vec<_>>())
    }
}

/// Joins the declarations. If several sources name a prefix, the strongest counts: the command line, then the user,
/// then the project.
pub fn join(mut places: Vec<Declared>, home: Option<&Path>) -> JoinedWorkspaces {
    // Weakest first, so that a stronger source overwrites the entry of a weaker one.
    places.sort_by_key(|place| place.by);
    let mut joined = JoinedWorkspaces::default();
    let mut held: BTreeMap<String, (WorkspaceConfig, DeclaredBy)> = BTreeMap::new();
    for place in &places {
        for config in &place.workspaces {
            // A problem does not end the loop: all of them are reported together.
            let settled = match place.settled(config, home) {
                Ok(settled) => settled,
                Err(why) => {
                    joined.problems.push(format!("{} {why}", config.prefix));
                    continue;
                }
            };
            let prefix = settled.prefix.clone();
            match held.insert(prefix.clone(), (settled, place.by)) {
                Some((_, by)) if by == place.by => {
                    joined.problems.push(format!("the prefix {prefix} is given twice"));
                }
                Some((_, by)) => joined.notes.push(format!(
                    "{prefix} is declared by the {by} and by the {}; what the {} says counts",
                    place.by, place.by
                )),
                None => {}
            }
        }
    }
    joined.workspaces = held.into_values().collect();
    joined
}

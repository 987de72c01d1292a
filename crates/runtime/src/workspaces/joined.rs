//! What every place declares, as one set.

use std::collections::BTreeMap;
use std::path::Path;

#[cfg(feature = "flow")]
use piton_workspaces::Tool;
use piton_workspaces::config::WorkspaceConfig;

use super::declared::{Declared, DeclaredBy};

/// The Workspaces that are to be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedWorkspaces {
    /// The Workspaces, with absolute directories and whole namespaces, by prefix.
    pub workspaces: Vec<(WorkspaceConfig, DeclaredBy)>,
    /// What was declared and does not count, and why.
    pub notes: Vec<String>,
    /// What is wrong, each beginning with the prefix that it is about.
    pub problems: Vec<String>,
}

impl JoinedWorkspaces {
    /// Whether nobody declared anything.
    pub fn is_empty(&self) -> bool {
        self.workspaces.is_empty() && self.problems.is_empty()
    }

    /// The tools of which at least one use can succeed, once the Workspaces are open.
    #[cfg(feature = "flow")]
    pub(super) fn tools(&self) -> Vec<Tool> {
        let scopes = self.workspaces.iter().filter_map(|(config, _)| config.scope.parse().ok());
        Tool::offered(&scopes.collect::<Vec<_>>())
    }
}

/// Joins what places declare. Where several name a prefix, the strongest counts: whoever started the process, then
/// the user, then the project.
pub fn join(mut places: Vec<Declared>, home: Option<&Path>) -> JoinedWorkspaces {
    places.sort_by_key(|place| place.by);
    let mut joined = JoinedWorkspaces::default();
    let mut held: BTreeMap<String, (WorkspaceConfig, DeclaredBy)> = BTreeMap::new();
    for place in &places {
        for config in &place.workspaces {
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

//! `[state]`: the backpack that agents are attached to, and their permissions there.

use std::path::Path;

use piton_backpack::{BackpackId, Key, NodeId, NodeIdentity, Permissions};
use piton_core::{Digest, FileBytes};
use schemars::JsonSchema;
use serde::Deserialize;

use super::table::{FoundSection, Section, SectionKey, Wrong};
use crate::bounds::STATE_KEYS_MAX;
use crate::config::SettingSource;

/// The backpack that agents are attached to, and what they may do there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateSection {
    /// The name of the backpack. The backpack of a project is its own: the same name in another project is another one.
    pub backpack: BackpackId,
    /// The name that agents act under; the name of their client if it is not set. `flow` is the runner of flows: it
    /// cannot be set, and a client of that name acts as `agent`.
    #[serde(default)]
    pub agent: Option<NodeId>,
    /// The keys that agents may read; all but protected ones if neither this nor `write` is set.
    #[serde(default)]
    pub read: Option<Vec<Key>>,
    /// The keys that agents may write; all but limited ones if neither this nor `read` is set.
    #[serde(default)]
    pub write: Option<Vec<Key>>,
}

impl StateSection {
    /// Returns the permissions of agents; `None` if the section sets none.
    pub fn permissions(&self) -> Option<Permissions> {
        if self.read.is_none() && self.write.is_none() {
            return None;
        }
        let keys = |keys: &Option<Vec<Key>>| keys.iter().flatten().cloned().collect();
        let (read, write) = (keys(&self.read), keys(&self.write));
        Some(Permissions { read, write, ..Permissions::none() })
    }
}

/// Returns the backpack that a section names. A project must not reach the data of other projects, so the name that it
/// uses is made its own.
pub fn backpack_of(found: &FoundSection<StateSection>) -> BackpackId {
    let named = &found.value.backpack;
    if found.place == SettingSource::Project {
        of_project(named, found.directory())
    } else {
        named.clone()
    }
}

fn of_project(named: &BackpackId, directory: &Path) -> BackpackId {
    const DIGITS: usize = 8;
    const JOINED_BYTES_MAX: usize = piton_store::bounds::NAME_BYTES_MAX - DIGITS - 1;
    // The directory of the file is part of the name. Two projects that choose the same name get different backpacks.
    let digest = Digest::of(&FileBytes(directory.as_os_str().as_encoded_bytes())).to_string();
    let digits = &digest[digest.len() - DIGITS..];
    let name = &named.as_str()[..named.as_str().len().min(JOINED_BYTES_MAX)];
    format!("{name}-{digits}").parse().expect("a name and hex digits are a name")
}

impl Section for StateSection {
    const KEY: SectionKey = SectionKey::State;
    const MEANING: &str = "The backpack that agents are attached to, and what they may do there.";
    const EXAMPLE: &str = "\
[state]
backpack = \"research\"
agent = \"scout\"
read = [\"question\", \"sources\"]
write = [\"sources\"]";

    fn check(&self, _: SettingSource) -> Vec<Wrong> {
        let lists = [("read", &self.read), ("write", &self.write)];
        let too_long = lists.into_iter().filter_map(|(name, keys)| {
            let count = keys.as_ref().map_or(0, Vec::len);
            (count > STATE_KEYS_MAX).then(|| Wrong {
                entry: None,
                reason: format!("`{name}` has {count} keys; the maximum is {STATE_KEYS_MAX}"),
                fix: "omit the list, or remove some keys".to_owned(),
            })
        });
        let runner = NodeIdentity::FLOW_RUNNER;
        let is_runner = self.agent.as_ref().is_some_and(|agent| agent.as_str() == runner);
        let runner = is_runner.then(|| Wrong {
            entry: None,
            reason: format!("`agent` is `{runner}`, the name of the runner of flows"),
            fix: "choose another name".to_owned(),
        });
        too_long.chain(runner).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn an_agent_cannot_be_configured_as_the_runner_of_flows() {
        let wrong = |agent: &str| {
            let section = StateSection {
                backpack: "payroll".parse().expect("a name"),
                agent: Some(NodeId::parse(agent).expect("a name")),
                read: None,
                write: None,
            };
            let wrong = section.check(SettingSource::User).into_iter();
            wrong.map(|wrong| format!("{}; {}", wrong.reason, wrong.fix)).collect::<Vec<_>>()
        };
        assert!(wrong("flows").is_empty());
        let words = "`agent` is `flow`, the name of the runner of flows; choose another name";
        assert_eq!(wrong("flow"), [words]);
    }

    #[test]
    fn a_project_has_a_backpack_of_its_own_and_a_user_the_one_that_is_named() {
        let found = |place, file: &str| FoundSection {
            value: StateSection {
                backpack: "payroll".parse().expect("a name"),
                agent: None,
                read: None,
                write: None,
            },
            place,
            file: PathBuf::from(file),
        };
        let user = backpack_of(&found(SettingSource::User, "/home/a/.config/piton/config.toml"));
        assert_eq!(user.as_str(), "payroll");
        let one = backpack_of(&found(SettingSource::Project, "/home/a/one/piton.toml"));
        let two = backpack_of(&found(SettingSource::Project, "/home/a/two/piton.toml"));
        assert!(one.as_str().starts_with("payroll-") && one.as_str().len() == 16);
        assert!(one != two && one != user);
        assert_eq!(one, backpack_of(&found(SettingSource::Project, "/home/a/one/piton.toml")));
    }
}

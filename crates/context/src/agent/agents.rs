//! The agents that are configured.

use std::collections::BTreeMap;

use super::{Right, Role};
use crate::{Error, word::AgentId};

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextAgent {
    /// Its name.
    pub id: AgentId,
    /// What it is for.
    pub role: Role,
}

/// Every agent that is known. Others are refused.
#[derive(Clone, Debug, Default)]
pub struct Agents(BTreeMap<AgentId, Role>);

impl Agents {
    /// These agents.
    pub fn new(agents: impl IntoIterator<Item = ContextAgent>) -> Self {
        Self(agents.into_iter().map(|agent| (agent.id, agent.role)).collect())
    }

    /// An agent by its name.
    pub fn get(&self, id: &AgentId) -> Result<ContextAgent, Error> {
        match self.0.get(id) {
            Some(role) => Ok(ContextAgent { id: id.clone(), role: *role }),
            None => Err(Error::UnknownAgent { agent: id.clone() }),
        }
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = ContextAgent> + '_ {
        self.0.iter().map(|(id, role)| ContextAgent { id: id.clone(), role: *role })
    }
}

impl ContextAgent {
    /// Refuses what the role does not allow.
    pub fn check(&self, right: Right) -> Result<(), Error> {
        if self.role.allows(right) {
            return Ok(());
        }
        Err(Error::Forbidden { agent: self.id.clone(), role: self.role, right })
    }
}

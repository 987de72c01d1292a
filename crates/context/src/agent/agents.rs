//! The configured agents, their roles, and what each role allows.

use std::collections::BTreeMap;

use crate::Error;
use crate::word::AgentId;

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextAgent {
    pub id: AgentId,
    pub role: Role,
}

/// Every known agent. Others are refused.
#[derive(Clone, Debug, Default)]
pub struct Agents(BTreeMap<AgentId, Role>);

impl Agents {
    /// Creates the set of these agents.
    pub fn new(agents: impl IntoIterator<Item = ContextAgent>) -> Self {
        Self(agents.into_iter().map(|agent| (agent.id, agent.role)).collect())
    }

    /// Returns an agent by its name.
    pub fn get(&self, id: &AgentId) -> Result<ContextAgent, Error> {
        match self.0.get(id) {
            Some(role) => Ok(ContextAgent { id: id.clone(), role: *role }),
            None => Err(Error::UnknownAgent { agent: id.clone() }),
        }
    }

    /// Returns all agents, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = ContextAgent> + '_ {
        self.0.iter().map(|(id, role)| ContextAgent { id: id.clone(), role: *role })
    }
}

impl ContextAgent {
    /// Fails if the role does not allow the right.
    pub fn check(&self, right: Right) -> Result<(), Error> {
        if self.role.allows(right) {
            return Ok(());
        }
        Err(Error::Forbidden { agent: self.id.clone(), role: self.role, right })
    }
}

piton_core::closed_set! {
    /// What an agent is for.
    pub enum Role {
        /// Reads context through views.
        Reader => "reader",
        /// Reads, and appends frames.
        Writer => "writer",
        /// Reads, appends, and synthesises directories.
        Synthesis => "synthesis",
    }
}

piton_core::closed_set! {
    /// What a call needs.
    pub enum Right {
        /// To read context.
        Read => "read",
        /// To append frames.
        Append => "append",
        /// To synthesise and regenerate.
        Synthesize => "synthesize",
    }
}

impl Role {
    /// True if the role allows it.
    pub const fn allows(self, right: Right) -> bool {
        match self {
            Self::Reader => matches!(right, Right::Read),
            Self::Writer => matches!(right, Right::Read | Right::Append),
            Self::Synthesis => true,
        }
    }
}

//! Policies and orders that a program adds to the built-in ones.

use std::{cmp::Ordering, collections::BTreeMap, fmt, sync::Arc};

use serde_json::Value;

use super::{
    PolicyInput,
    policy::{self, BUILT_IN},
};
use crate::{
    Error,
    frame::{Frame, Policy},
};

/// A function that makes one text from pieces. The same pieces and parameters must give the same text.
pub type CustomPolicy = Arc<dyn Fn(&[PolicyInput], &Value) -> Vec<u8> + Send + Sync>;

/// A comparison of two frames. Frames that compare equal are ordered by their ids.
pub type CustomOrder = Arc<dyn Fn(&Frame, &Frame) -> Ordering + Send + Sync>;

/// The registered policies and orders.
#[derive(Clone, Default)]
pub struct Registry {
    policies: BTreeMap<String, (u64, CustomPolicy)>,
    orders: BTreeMap<String, CustomOrder>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies: Vec<_> = self.policies.keys().collect();
        let orders: Vec<_> = self.orders.keys().collect();
        write!(formatter, "Registry({policies:?}, {orders:?})")
    }
}

impl Registry {
    /// Adds a policy. Refuses a name that is taken, including those of the built-in policies. Change the version
    /// whenever the output changes.
    pub fn with_policy(
        mut self,
        name: &str,
        version: u64,
        policy: CustomPolicy,
    ) -> Result<Self, Error> {
        if self.version(name).is_some() {
            return Err(name_taken("policy", name));
        }
        self.policies.insert(name.to_owned(), (version, policy));
        Ok(self)
    }

    /// Adds an order of frames. Refuses a name that is taken.
    pub fn with_order(mut self, name: &str, order: CustomOrder) -> Result<Self, Error> {
        if self.orders.contains_key(name) {
            return Err(name_taken("order", name));
        }
        self.orders.insert(name.to_owned(), order);
        Ok(self)
    }

    /// Returns the version of a policy, if it is known.
    pub(crate) fn version(&self, name: &str) -> Option<u64> {
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
        built_in.map(|(_, version)| *version).or_else(|| Some(self.policies.get(name)?.0))
    }

    pub(crate) fn order(&self, name: &str) -> Option<&CustomOrder> {
        self.orders.get(name)
    }

    /// Renders pieces with a policy.
    pub(super) fn render(&self, policy: &Policy, pieces: &[PolicyInput]) -> Result<Vec<u8>, Error> {
        if let Some(text) = policy::render(policy, pieces)? {
            return Ok(text);
        }
        let Some((_, custom)) = self.policies.get(&policy.name) else {
            return Err(Error::Invalid(format!("there is no policy called {}", policy.name)));
        };
        Ok(custom(pieces, policy.parameters.get("custom").unwrap_or(&Value::Null)))
    }
}

fn name_taken(what: &str, name: &str) -> Error {
    Error::Invalid(format!("the {what} `{name}` is there already; give this one another name"))
}

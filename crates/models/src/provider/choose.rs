//! Which provider a call goes to; pure.
//!
//! The call says, else its agent, else the default. An agent is the same agent whatever provider answers for it,
//! so nothing here knows more of an agent than its wish.

use super::name::ProviderName;
use crate::error::Error;

piton_core::closed_set! {
    /// Who chose a provider.
    pub enum ChosenBy {
        /// The call named it.
        Call => "call",
        /// The agent is configured with it.
        Agent => "agent",
        /// Nobody else did.
        Default => "default",
    }
}

/// Who would like which provider.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes<'a> {
    /// What the call names.
    pub call: Option<&'a ProviderName>,
    /// What its agent is configured with.
    pub agent: Option<&'a ProviderName>,
    /// The default.
    pub default: Option<&'a ProviderName>,
}

/// A provider, and why this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which.
    pub provider: ProviderName,
    /// Who chose it.
    pub by: ChosenBy,
}

/// The provider that a call goes to, out of the `known` ones. A wish that cannot be met is an error: falling
/// through to another provider would send text where nobody wanted it.
pub fn choose<'a>(
    wishes: Wishes<'_>,
    known: impl IntoIterator<Item = &'a ProviderName>,
) -> Result<Choice, Error> {
    let call = wishes.call.map(|name| (name, ChosenBy::Call));
    let agent = wishes.agent.map(|name| (name, ChosenBy::Agent));
    let default = wishes.default.map(|name| (name, ChosenBy::Default));
    let mut known: Vec<&ProviderName> = known.into_iter().collect();
    known.sort();
    let Some((provider, by)) = call.or(agent).or(default) else {
        let what =
            "no provider is named by the call or its agent, and there is no default".to_owned();
        return Err(Error::NotConfigured { what });
    };
    if known.contains(&provider) {
        return Ok(Choice { provider: provider.clone(), by });
    }
    let there: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
    let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    Err(Error::NotConfigured {
        what: format!(
            "the provider {provider} (named by the {by}) is not configured; there is: {there}"
        ),
    })
}

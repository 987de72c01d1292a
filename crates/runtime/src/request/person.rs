//! Requests from people, sent by the command line or a web page.

use piton_core::{RunId, SessionId};
use piton_workflow::{Autonomy, RiskPolicy};
use serde::{Deserialize, Serialize};

/// Names a session or a run as people do: by an id, the end of one, or the two words of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SessionReference(pub String);

/// What preferences are changed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum PreferenceScope {
    /// Every run that starts from now on: the user's configuration file.
    Global {},
    /// One run, from where it stands.
    Run {
        /// The session.
        session_id: SessionId,
        /// The run.
        run_id: RunId,
    },
}

/// Changes preferences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Prefer {
    /// What they are changed for.
    pub scope: PreferenceScope,
    /// When runs wait for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomy: Option<Autonomy>,
    /// Which of several correct ways runs take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_policy: Option<RiskPolicy>,
}

/// Says something about the step that a run waits at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettleRun {
    /// The run.
    pub run: SessionReference,
    /// What is said.
    pub say: PersonReply,
}

/// What a person says about a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PersonReply {
    /// Go on.
    Approve {},
    /// What was asked for.
    Answer {
        /// The answer.
        text: String,
    },
    /// Do not go on.
    Refuse {
        /// Why.
        text: String,
    },
}

/// Makes a file of a session that can be carried elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportSession {
    /// The session.
    pub session: SessionReference,
    /// Takes what can be read of a damaged session, to be looked at only.
    #[serde(default)]
    pub salvage: bool,
}

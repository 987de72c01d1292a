//! Every setting, in one table.

use piton_workflow::bounds::RETENTION_DAYS_MAX;
use piton_workflow::{Autonomy, RiskPolicy};

use super::layer::SettingSource;
use super::value::ValueForm;
use crate::bounds::HTTP_PORT_MAX;

piton_core::closed_set! {
    /// Names a setting: its section and its name.
    pub enum SettingKey {
        /// Where data is kept.
        DataDir => "data.dir",
        /// Further directories with workflow files.
        WorkflowDirs => "workflows.dirs",
        /// The project directory, where a call names none.
        ProjectDir => "project.dir",
        /// When runs wait for a person, unless told otherwise.
        Autonomy => "preferences.autonomy",
        /// Which of several correct ways runs take, unless told otherwise.
        RiskPolicy => "preferences.risk_policy",
        /// For how many days a session is kept after its last event.
        RetentionDays => "retention.days",
        /// The address that the server listens on.
        HttpBind => "http.bind",
        /// The port that the server listens on.
        HttpPort => "http.port",
        /// The file that holds the token which callers of the server must send.
        HttpTokenFile => "http.token_file",
        /// Whether calls of an agent must name the step that they belong to.
        AccessRun => "access.run",
        /// In which forms clients get answers.
        McpAnswers => "mcp.answers",
        /// How much is logged.
        LogLevel => "log.level",
    }
}

piton_core::closed_set! {
    /// When a call must name the step that it belongs to.
    pub enum RunNeeded {
        /// While the client has a run open whose step narrows what may be touched.
        WhenNarrowed => "when_narrowed",
        /// Always.
        Always => "always",
    }
}

piton_core::closed_set! {
    /// In which forms a client gets answers.
    pub enum Answers {
        /// As text where a model reads them, and as structured content too for any other client.
        Auto => "auto",
        /// As text.
        Text => "text",
        /// As text and as structured content.
        Both => "both",
    }
}

piton_core::closed_set! {
    /// How much is logged.
    pub enum LogLevel {
        /// What failed.
        Error => "error",
        /// What needs somebody's attention.
        Warn => "warn",
        /// What happened.
        Info => "info",
        /// What was decided on the way.
        Debug => "debug",
        /// Everything.
        Trace => "trace",
    }
}

piton_core::closed_set! {
    /// What it takes for a changed setting to take effect.
    pub enum Effect {
        /// The program is started again.
        Restart => "restart",
        /// Nothing: the next call follows it.
        Live => "live",
    }
}

/// The properties of a setting.
struct SettingFacts {
    variable: &'static str,
    form: ValueForm,
    effect: Effect,
    /// Set if a project may set it. Settings of the machine are not up to a directory that was cloned.
    in_project: bool,
    example: &'static str,
}

impl SettingKey {
    /// Returns the section of the setting.
    pub fn section(self) -> &'static str {
        self.parts().0
    }

    /// Returns the name of the setting within its section.
    pub fn name(self) -> &'static str {
        self.parts().1
    }

    fn parts(self) -> (&'static str, &'static str) {
        self.as_str().split_once('.').expect("each key has a dot")
    }

    /// Returns the environment variable that sets it.
    pub const fn variable(self) -> &'static str {
        self.facts().variable
    }

    /// Returns the form of its values.
    pub const fn form(self) -> ValueForm {
        self.facts().form
    }

    /// Returns what is needed for a change to take effect.
    pub const fn effect(self) -> Effect {
        self.facts().effect
    }

    /// True if it may be set at `place`.
    pub const fn may_stand_in(self, place: SettingSource) -> bool {
        match place {
            SettingSource::Default | SettingSource::User | SettingSource::Environment => true,
            SettingSource::Project => self.facts().in_project,
        }
    }

    /// Returns an example value, as a file has it.
    pub const fn example(self) -> &'static str {
        self.facts().example
    }

    /// Describes the setting in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::DataDir => {
                "Where data is kept; `piton` in the XDG data directory if it is not set."
            }
            Self::WorkflowDirs => {
                "Further directories with workflow files. Later ones win over earlier ones."
            }
            Self::ProjectDir => "The project directory, where a call names none.",
            Self::Autonomy => "When new runs wait for a person.",
            Self::RiskPolicy => {
                "Which of several correct ways new runs take; what goes well with the autonomy if it is \
                 not set."
            }
            Self::RetentionDays => "For how many days a session is kept after its last event.",
            Self::HttpBind => "The address that the server listens on.",
            Self::HttpPort => "The port that the server listens on; 0 takes any that is free.",
            Self::HttpTokenFile => {
                "The file that holds the token which callers of the server must send."
            }
            Self::AccessRun => {
                "When calls for files, context and state must name the step that they belong to: while the \
                 client has a run open whose step narrows what may be touched, or always. A call \
                 without a step passes otherwise, with all that is configured."
            }
            Self::McpAnswers => {
                "In which forms clients get answers: text and structured content, but text alone where a \
                 model is known to read them (`auto`); text alone; or always both."
            }
            Self::LogLevel => "How much is logged.",
        }
    }

    const fn facts(self) -> SettingFacts {
        match self {
            Self::DataDir => SettingFacts {
                variable: "PITON_DATA_DIR",
                form: ValueForm::Path,
                effect: Effect::Restart,
                in_project: false,
                example: "\"~/piton-data\"",
            },
            Self::WorkflowDirs => SettingFacts {
                variable: "PITON_WORKFLOW_DIRS",
                form: ValueForm::Paths,
                effect: Effect::Restart,
                in_project: true,
                example: "[\"~/team-workflows\"]",
            },
            Self::ProjectDir => SettingFacts {
                variable: "PITON_PROJECT_DIR",
                form: ValueForm::Path,
                effect: Effect::Restart,
                in_project: true,
                example: "\".\"",
            },
            Self::Autonomy => SettingFacts {
                variable: "PITON_AUTONOMY",
                form: ValueForm::Name(Autonomy::NAMES),
                effect: Effect::Live,
                in_project: true,
                example: "\"guided\"",
            },
            Self::RiskPolicy => SettingFacts {
                variable: "PITON_RISK_POLICY",
                form: ValueForm::Name(RiskPolicy::NAMES),
                effect: Effect::Live,
                in_project: true,
                example: "\"conservative\"",
            },
            Self::RetentionDays => SettingFacts {
                variable: "PITON_RETENTION_DAYS",
                form: ValueForm::Whole { min: 1, max: RETENTION_DAYS_MAX },
                effect: Effect::Live,
                in_project: false,
                example: "90",
            },
            Self::HttpBind => SettingFacts {
                variable: "PITON_HTTP_BIND",
                form: ValueForm::Address,
                effect: Effect::Restart,
                in_project: false,
                example: "\"127.0.0.1\"",
            },
            Self::HttpPort => SettingFacts {
                variable: "PITON_HTTP_PORT",
                form: ValueForm::Whole { min: 0, max: HTTP_PORT_MAX },
                effect: Effect::Restart,
                in_project: false,
                example: "7477",
            },
            Self::HttpTokenFile => SettingFacts {
                variable: "PITON_HTTP_TOKEN_FILE",
                form: ValueForm::Path,
                effect: Effect::Restart,
                in_project: false,
                example: "\"~/.config/piton/http-token\"",
            },
            Self::AccessRun => SettingFacts {
                variable: "PITON_ACCESS_RUN",
                form: ValueForm::Name(RunNeeded::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"always\"",
            },
            Self::McpAnswers => SettingFacts {
                variable: "PITON_MCP_ANSWERS",
                form: ValueForm::Name(Answers::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"both\"",
            },
            Self::LogLevel => SettingFacts {
                variable: "PITON_LOG",
                form: ValueForm::Name(LogLevel::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"info\"",
            },
        }
    }
}

//! The table of settings: every setting with everything that is known about it, in one row.
//!
//! To add a setting: a variant of [`SettingKey`], its row below, and a method of `Settings` that reads it.

use std::net::{IpAddr, Ipv4Addr};

use piton_workflow::bounds::{
    ASK_AFTER_REFUSALS_DEFAULT, ASK_AFTER_REFUSALS_MAX, RETENTION_DAYS_MAX,
};
use piton_workflow::{Autonomy, RiskPolicy};

use super::settings::SettingSource;
use super::value::{Value, ValueForm};
use crate::bounds::{
    CONSOLE_PORT_DEFAULT, HTTP_PORT_DEFAULT, HTTP_PORT_MAX, RETENTION_DAYS_DEFAULT,
};

piton_core::closed_set! {
    /// Names a setting: its section and its name.
    pub enum SettingKey {
        /// The data directory.
        DataDir => "data.dir",
        /// Additional directories with workflow files.
        WorkflowDirs => "workflows.dirs",
        /// The project directory of calls that name none.
        ProjectDir => "project.dir",
        /// When new runs wait for a person.
        Autonomy => "preferences.autonomy",
        /// Which of several correct approaches new runs choose.
        RiskPolicy => "preferences.risk_policy",
        /// The number of refusals of one step in a row with which the person is asked.
        AskAfterRefusals => "preferences.ask_after_refusals",
        /// The number of days that a session is kept after its last event.
        RetentionDays => "retention.days",
        /// The address that the server listens on.
        HttpBind => "http.bind",
        /// The port that the server listens on.
        HttpPort => "http.port",
        /// The file with the token that callers of the server must send.
        HttpTokenFile => "http.token_file",
        /// The port that the console listens on.
        ConsolePort => "console.port",
        /// The one further address at which a browser reaches the console.
        ConsolePublicUrl => "console.public_url",
        /// When calls of an agent must name the step that they belong to.
        AccessRun => "access.run",
        /// The form of answers to clients.
        McpAnswers => "mcp.answers",
        /// How much is logged.
        LogLevel => "log.level",
    }
}

/// A row of the table.
pub(super) struct SettingRow {
    /// The environment variable that sets it.
    pub(super) variable: &'static str,
    pub(super) form: ValueForm,
    effect: Effect,
    /// Set if a project may set it. Settings of the machine are not up to a directory that was cloned.
    in_project: bool,
    /// An example value, as a file has it.
    pub(super) example: &'static str,
    /// The value of a setting that nobody set, if it has one.
    pub(super) default: Option<Value>,
    meaning: &'static str,
}

impl SettingKey {
    /// The table.
    #[expect(clippy::too_many_lines, reason = "a table: a row of several lines for each setting")]
    pub(super) fn row(self) -> SettingRow {
        let name = |name: &str| Some(Value::Name(name.to_owned()));
        match self {
            Self::DataDir => SettingRow {
                variable: "PITON_DATA_DIR",
                form: ValueForm::Path,
                effect: Effect::Restart,
                in_project: false,
                example: "\"~/piton-data\"",
                default: None,
                meaning: "The data directory, which keeps your runs; usually `~/.local/share/piton` if it is not set.",
            },
            Self::WorkflowDirs => SettingRow {
                variable: "PITON_WORKFLOW_DIRS",
                form: ValueForm::Paths,
                effect: Effect::Restart,
                in_project: true,
                example: "[\"~/team-workflows\"]",
                default: None,
                meaning: "Additional directories with workflow files. Later ones override earlier ones.",
            },
            Self::ProjectDir => SettingRow {
                variable: "PITON_PROJECT_DIR",
                form: ValueForm::Path,
                effect: Effect::Restart,
                in_project: true,
                example: "\".\"",
                default: None,
                meaning: "The project directory of calls that name none.",
            },
            Self::Autonomy => SettingRow {
                variable: "PITON_AUTONOMY",
                form: ValueForm::Name(Autonomy::NAMES),
                effect: Effect::Live,
                in_project: true,
                example: "\"guided\"",
                default: name(Autonomy::Guided.as_str()),
                meaning: "When new runs wait for a person.",
            },
            Self::RiskPolicy => SettingRow {
                variable: "PITON_RISK_POLICY",
                form: ValueForm::Name(RiskPolicy::NAMES),
                effect: Effect::Live,
                in_project: true,
                example: "\"conservative\"",
                default: None,
                meaning: "Which of several correct approaches new runs choose. If it is not set, it follows from the autonomy.",
            },
            Self::AskAfterRefusals => SettingRow {
                variable: "PITON_ASK_AFTER_REFUSALS",
                form: ValueForm::Whole { min: 1, max: ASK_AFTER_REFUSALS_MAX },
                effect: Effect::Live,
                in_project: true,
                example: "3",
                default: Some(Value::Whole(ASK_AFTER_REFUSALS_DEFAULT)),
                meaning: "The number of refusals of one step in a row with which the person is asked. In `full_auto_never_stop` \
                 nothing is refused.",
            },
            Self::RetentionDays => SettingRow {
                variable: "PITON_RETENTION_DAYS",
                form: ValueForm::Whole { min: 1, max: RETENTION_DAYS_MAX },
                effect: Effect::Live,
                in_project: false,
                example: "90",
                default: Some(Value::Whole(RETENTION_DAYS_DEFAULT)),
                meaning: "The number of days that a session is kept after its last event.",
            },
            Self::HttpBind => SettingRow {
                variable: "PITON_HTTP_BIND",
                form: ValueForm::Address,
                effect: Effect::Restart,
                in_project: false,
                example: "\"127.0.0.1\"",
                default: Some(Value::Address(IpAddr::V4(Ipv4Addr::LOCALHOST))),
                meaning: "The address that the server listens on.",
            },
            Self::HttpPort => SettingRow {
                variable: "PITON_HTTP_PORT",
                form: ValueForm::Whole { min: 0, max: HTTP_PORT_MAX },
                effect: Effect::Restart,
                in_project: false,
                example: "7477",
                default: Some(Value::Whole(HTTP_PORT_DEFAULT)),
                meaning: "The port that the server listens on; 0 picks any free port.",
            },
            Self::HttpTokenFile => SettingRow {
                variable: "PITON_HTTP_TOKEN_FILE",
                form: ValueForm::Path,
                effect: Effect::Restart,
                in_project: false,
                example: "\"~/.config/piton/http-token\"",
                default: None,
                meaning: "The file with the token that callers of the server must send.",
            },
            Self::ConsolePort => SettingRow {
                variable: "PITON_CONSOLE_PORT",
                form: ValueForm::Whole { min: 0, max: HTTP_PORT_MAX },
                effect: Effect::Restart,
                in_project: false,
                example: "7470",
                default: Some(Value::Whole(CONSOLE_PORT_DEFAULT)),
                meaning: "The port that the console listens on; 0 picks any free port.",
            },
            Self::ConsolePublicUrl => SettingRow {
                variable: "PITON_CONSOLE_PUBLIC_URL",
                form: ValueForm::Url,
                effect: Effect::Restart,
                in_project: false,
                example: "\"https://piton.example.org\"",
                default: None,
                meaning: "The one further address at which a browser reaches the console, through a tunnel or a proxy of your own.",
            },
            Self::AccessRun => SettingRow {
                variable: "PITON_ACCESS_RUN",
                form: ValueForm::Name(RunNeeded::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"always\"",
                default: name(RunNeeded::WhenNarrowed.as_str()),
                meaning: "When calls for files, context and state must name the step that they belong to: always, or while the \
                 client has an open run with a step that narrows access. Otherwise, a call without a step may use \
                 everything that is configured.",
            },
            Self::McpAnswers => SettingRow {
                variable: "PITON_MCP_ANSWERS",
                form: ValueForm::Name(Answers::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"both\"",
                default: name(Answers::Auto.as_str()),
                meaning: "The form of answers to clients: text and structured content, but only text where a model is known to \
                 read them (`auto`); only text; or always both.",
            },
            Self::LogLevel => SettingRow {
                variable: "PITON_LOG",
                form: ValueForm::Name(LogLevel::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"info\"",
                default: name(LogLevel::Info.as_str()),
                meaning: "How much is logged.",
            },
        }
    }

    /// Says what holds while nobody sets it, if it has no default.
    pub(super) const fn if_unset(self) -> Option<&'static str> {
        match self {
            Self::DataDir => Some("usually `~/.local/share/piton`"),
            Self::WorkflowDirs | Self::ConsolePublicUrl => Some("none"),
            Self::ProjectDir => Some("where Piton was started"),
            Self::RiskPolicy => Some("follows from the autonomy"),
            Self::HttpTokenFile => Some("none: no token is needed"),
            _ => None,
        }
    }

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

    /// Returns the requirement for a change to take effect.
    pub fn effect(self) -> Effect {
        self.row().effect
    }

    /// True if it may be set at `place`.
    pub fn may_stand_in(self, place: SettingSource) -> bool {
        place != SettingSource::Project || self.row().in_project
    }

    /// Describes the setting in one or two sentences.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }
}

piton_core::closed_set! {
    /// When a call must name the step that it belongs to.
    pub enum RunNeeded {
        /// While the client has an open run with a step that narrows access.
        WhenNarrowed => "when_narrowed",
        /// Always.
        Always => "always",
    }
}

piton_core::closed_set! {
    /// The form of answers to a client.
    pub enum Answers {
        /// Text where a model reads them; text and structured content for any other client.
        Auto => "auto",
        /// Only text.
        Text => "text",
        /// Text and structured content.
        Both => "both",
    }
}

piton_core::closed_set! {
    /// How much is logged.
    pub enum LogLevel {
        /// Failures.
        Error => "error",
        /// Events that need attention.
        Warn => "warn",
        /// Events.
        Info => "info",
        /// Decisions along the way.
        Debug => "debug",
        /// Everything.
        Trace => "trace",
    }
}

piton_core::closed_set! {
    /// The requirement for a changed setting to take effect.
    pub enum Effect {
        /// A restart of the program.
        Restart => "restart",
        /// None: the next call follows it.
        Live => "live",
    }
}

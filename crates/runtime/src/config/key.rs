//! Every setting, in one table.

use piton_workflow::bounds::RETENTION_DAYS_MAX;
use piton_workflow::{Autonomy, RiskPolicy};

use super::layer::Place;
use super::value::Form;
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

/// What is said about a setting in one place.
struct Facts {
    variable: &'static str,
    form: Form,
    effect: Effect,
    /// Whether a project may set it: what belongs to the machine is not up to a directory that was cloned.
    in_project: bool,
    example: &'static str,
    meaning: &'static str,
}

impl SettingKey {
    /// The section that it stands in.
    pub fn section(self) -> &'static str {
        self.parts().0
    }

    /// Its name in that section.
    pub fn name(self) -> &'static str {
        self.parts().1
    }

    fn parts(self) -> (&'static str, &'static str) {
        self.as_str().split_once('.').expect("each key has a dot")
    }

    /// The variable of the environment that sets it.
    pub const fn variable(self) -> &'static str {
        self.facts().variable
    }

    /// What it takes.
    pub const fn form(self) -> Form {
        self.facts().form
    }

    /// What it takes for a change to take effect.
    pub const fn effect(self) -> Effect {
        self.facts().effect
    }

    /// Whether it may be set at `place`.
    pub const fn may_stand_in(self, place: Place) -> bool {
        match place {
            Place::Default | Place::User | Place::Environment => true,
            Place::Project => self.facts().in_project,
        }
    }

    /// The value of an example, as a file has it.
    pub const fn example(self) -> &'static str {
        self.facts().example
    }

    /// What it is, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.facts().meaning
    }

    const fn facts(self) -> Facts {
        match self {
            Self::DataDir => Facts {
                variable: "PITON_DATA_DIR",
                form: Form::Path,
                effect: Effect::Restart,
                in_project: false,
                example: "\"~/piton-data\"",
                meaning: "Where data is kept; `piton` in the XDG data directory if it is not set.",
            },
            Self::WorkflowDirs => Facts {
                variable: "PITON_WORKFLOW_DIRS",
                form: Form::Paths,
                effect: Effect::Restart,
                in_project: true,
                example: "[\"~/team-workflows\"]",
                meaning: "Further directories with workflow files. Later ones win over earlier ones.",
            },
            Self::ProjectDir => Facts {
                variable: "PITON_PROJECT_DIR",
                form: Form::Path,
                effect: Effect::Restart,
                in_project: true,
                example: "\".\"",
                meaning: "The project directory, where a call names none.",
            },
            Self::Autonomy => Facts {
                variable: "PITON_AUTONOMY",
                form: Form::Name(Autonomy::NAMES),
                effect: Effect::Live,
                in_project: true,
                example: "\"guided\"",
                meaning: "When new runs wait for a person.",
            },
            Self::RiskPolicy => Facts {
                variable: "PITON_RISK_POLICY",
                form: Form::Name(RiskPolicy::NAMES),
                effect: Effect::Live,
                in_project: true,
                example: "\"conservative\"",
                meaning: "Which of several correct ways new runs take; what goes well with the autonomy if it is \
                          not set.",
            },
            Self::RetentionDays => Facts {
                variable: "PITON_RETENTION_DAYS",
                form: Form::Whole { min: 1, max: RETENTION_DAYS_MAX },
                effect: Effect::Live,
                in_project: false,
                example: "90",
                meaning: "For how many days a session is kept after its last event.",
            },
            Self::HttpBind => Facts {
                variable: "PITON_HTTP_BIND",
                form: Form::Address,
                effect: Effect::Restart,
                in_project: false,
                example: "\"127.0.0.1\"",
                meaning: "The address that the server listens on.",
            },
            Self::HttpPort => Facts {
                variable: "PITON_HTTP_PORT",
                form: Form::Whole { min: 0, max: HTTP_PORT_MAX },
                effect: Effect::Restart,
                in_project: false,
                example: "7477",
                meaning: "The port that the server listens on; 0 takes any that is free.",
            },
            Self::HttpTokenFile => Facts {
                variable: "PITON_HTTP_TOKEN_FILE",
                form: Form::Path,
                effect: Effect::Restart,
                in_project: false,
                example: "\"~/.config/piton/http-token\"",
                meaning: "The file that holds the token which callers of the server must send.",
            },
            Self::AccessRun => Facts {
                variable: "PITON_ACCESS_RUN",
                form: Form::Name(RunNeeded::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"always\"",
                meaning: "When calls for files, context and state must name the step that they belong to: while the \
                          client has a run open whose step narrows what may be touched, or always. A call \
                          without a step passes otherwise, with all that is configured.",
            },
            Self::LogLevel => Facts {
                variable: "PITON_LOG",
                form: Form::Name(LogLevel::NAMES),
                effect: Effect::Restart,
                in_project: true,
                example: "\"info\"",
                meaning: "How much is logged.",
            },
        }
    }
}

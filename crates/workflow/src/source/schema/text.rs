//! The forms of texts.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::bounds::LEGACY_ID_BYTES_MAX;

/// A text that is not blank, of at most `MAX` bytes.
pub(super) struct Text<const MAX: usize>;

impl<const MAX: usize> JsonSchema for Text<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Text{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "\\S", "maxLength": MAX })
    }
}

/// A text without variables.
pub(super) struct Prose<const MAX: usize>;

impl<const MAX: usize> JsonSchema for Prose<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Prose{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "pattern": "\\S", "maxLength": MAX, "not": { "pattern": "\\{\\{" },
        })
    }
}

/// An older id without a namespace.
pub(super) struct OlderId;

impl JsonSchema for OlderId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OlderId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "pattern": "^[^.]*[^.\\s][^.]*$", "maxLength": LEGACY_ID_BYTES_MAX,
        })
    }
}

/// Declares words that a field must be.
macro_rules! words {
    ($($name:ident => $($word:literal)|+;)+) => {$(
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    )+};
}

words! {
    ArtifactContract => "artifact_contract";
    ConditionRef => "condition_ref";
    Contains => "contains";
    ContextVariable => "context_variable";
    For => "for";
    ForEach => "forEach";
    Length => "length";
    LoopControl => "loop_control";
    LoopControlContract => "wr.contracts.loop_control";
    LoopType => "loop";
    MetricsProfile => "coding" | "review" | "research" | "design" | "ticket" | "none";
    ParallelType => "parallel";
    ParameterScope => "workflow" | "loop" | "step";
    ParameterType => "string" | "number" | "boolean" | "array" | "object";
    Ref => "ref";
    Regex => "regex";
    RequireFollowup => "require_followup";
    ResolveFrom => "workspace" | "package";
    StepType => "step";
    TemplateCallType => "template_call";
    TextType => "text";
    WhileOrUntil => "while" | "until";
}

/// Declares texts of a pattern.
macro_rules! patterns {
    ($($name:ident => $pattern:literal;)+) => {$(
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    )+};
}

patterns! {
    Call => "^[A-Za-z_][A-Za-z0-9_]*\\(\\)$";
    NameOrCall => "^[A-Za-z_][A-Za-z0-9_]*(\\(\\))?$";
    NameOrCalls => "^[A-Za-z_][A-Za-z0-9_]*(\\(\\))*$";
    PatternFlags => "^[dgimsu]*$";
    VariableName => "^[A-Za-z_][A-Za-z0-9_]*$";
    Version => "^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$";
}

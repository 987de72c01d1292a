//! A file in the strict dialect.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::file_parts::{Access, Blocks, FileId, Recommended};
use super::text::{
    Call, ConditionRef, Contains, Length, LoopControl, LoopType, Prose, Regex, StepType,
    TemplateCallType, Text,
};
use crate::bounds::{
    BLOCK_BYTES_MAX, DECLARATIONS_MAX, DESCRIPTION_BYTES_MAX, LOOP_TURNS_MAX, PROMPT_BYTES_MAX,
    RULE_BYTES_MAX, RULE_LENGTH_MAX, RULES_MAX, STEPS_MAX, TAGS_MAX, TITLE_BYTES_MAX,
};
use crate::capability::Capability;
use crate::compile::{CapabilityNeed, FunctionName};
use crate::name::{ConditionId, LoopId, StepId, Tag};
use crate::reason::{NonAssumableChoice, UserOnlyDependency};
use crate::source::{ContractRef, FeatureId, TemplateId};

type Title = Prose<TITLE_BYTES_MAX>;
type Description = Prose<DESCRIPTION_BYTES_MAX>;
type Block = Prose<BLOCK_BYTES_MAX>;
type RuleText = Text<RULE_BYTES_MAX>;

/// A Piton workflow in the strict dialect: loops by contract, and no variables in prompts.
#[derive(JsonSchema)]
#[schemars(title = "Piton workflow, strict dialect", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct StrictFile {
    /// The schema that an editor checks this file by. Piton ignores it.
    #[schemars(rename = "$schema")]
    schema: Option<Text<DESCRIPTION_BYTES_MAX>>,
    id: FileId,
    /// The name for people.
    name: Option<Title>,
    /// What the workflow is for; agents choose by it.
    description: Option<Description>,
    /// The role of the agent that does the steps.
    agent_role: Option<Description>,
    /// What kinds of work it is for.
    #[schemars(length(max = TAGS_MAX))]
    tags: Option<Vec<Tag>>,
    recommended_preferences: Option<Recommended>,
    capabilities: Option<Capabilities>,
    /// Additions that are switched on for the whole workflow.
    #[schemars(length(max = DECLARATIONS_MAX))]
    features: Option<Vec<FeatureUse>>,
    /// The conditions that loops repeat by.
    #[schemars(length(max = DECLARATIONS_MAX))]
    conditions: Option<Vec<Condition>>,
    /// Names for pieces of work that prompts refer to.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_definitions: Option<Vec<Function>>,
    /// The steps, in order.
    #[schemars(length(min = 1, max = STEPS_MAX))]
    steps: Vec<Step>,
}

/// How much the workflow needs each capability of the agent.
struct Capabilities;

impl JsonSchema for Capabilities {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Capabilities".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let need = Value::from(generator.subschema_for::<CapabilityNeed>());
        let names = Capability::NAMES.iter().map(|name| ((*name).to_owned(), need.clone()));
        json_schema!({
            "description": "How much the workflow needs each capability of the agent.",
            "type": "object",
            "properties": names.collect::<Map<_, _>>(),
            "additionalProperties": false,
        })
    }
}

/// A feature, by its id or with settings.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum FeatureUse {
    Id(FeatureId),
    Set(FeatureSettings),
}

/// A feature with settings.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct FeatureSettings {
    feature_id: FeatureId,
    config: Option<Value>,
}

/// A condition: the newest decision about a loop says `continue`.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Condition {
    condition_id: ConditionId,
    kind: LoopControl,
    loop_id: LoopId,
}

/// A name for a piece of work, and what it stands for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Function {
    name: FunctionName,
    definition: Block,
}

/// A step, a loop, or a call of a template.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Step {
    Task(Box<Task>),
    Loop(Box<Loop>),
    Call(TemplateCall),
}

/// A step that an agent does.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["prompt"] }, { "required": ["promptBlocks"] }]))]
struct Task {
    #[schemars(rename = "type")]
    kind: Option<StepType>,
    id: StepId,
    title: Title,
    /// What to do, as one text.
    prompt: Option<Prose<PROMPT_BYTES_MAX>>,
    prompt_blocks: Option<Blocks<Block>>,
    /// The role of the agent in this step.
    agent_role: Option<Description>,
    /// Whether a person confirms the step before it is done.
    require_confirmation: Option<bool>,
    /// Whether the step needs no notes.
    notes_optional: Option<bool>,
    output_contract: Option<Contract>,
    validation_criteria: Option<Criteria>,
    /// Names for pieces of work, known in this step alone.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_definitions: Option<Vec<Function>>,
    /// Functions whose definitions the prompt shows, as `name()`.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_references: Option<Vec<Call>>,
    needs_user: Option<UserNeed>,
    access: Option<Access>,
}

/// The artifact that must be submitted.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Contract {
    contract_ref: ContractRef,
}

/// One rule over the notes, or a list of rules that must all hold.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Criteria {
    One(Rule),
    All(#[schemars(length(min = 1, max = RULES_MAX))] Vec<Rule>),
}

/// A rule over the notes.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Rule {
    Contains(ContainsRule),
    Regex(RegexRule),
    Length(LengthRule),
    And(AndRule),
}

/// The notes contain a text.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ContainsRule {
    #[schemars(rename = "type")]
    kind: Contains,
    value: RuleText,
    /// What the agent reads if the rule does not hold.
    message: Option<RuleText>,
}

/// The notes match a pattern, without look-around and back-references.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RegexRule {
    #[schemars(rename = "type")]
    kind: Regex,
    pattern: RuleText,
    /// What the agent reads if the rule does not hold.
    message: Option<RuleText>,
}

/// The notes have a number of characters.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["min"] }, { "required": ["max"] }]))]
struct LengthRule {
    #[schemars(rename = "type")]
    kind: Length,
    #[schemars(range(max = RULE_LENGTH_MAX))]
    min: Option<u32>,
    #[schemars(range(max = RULE_LENGTH_MAX))]
    max: Option<u32>,
    /// What the agent reads if the rule does not hold.
    message: Option<RuleText>,
}

/// All of several rules hold.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct AndRule {
    #[schemars(length(min = 1, max = RULES_MAX))]
    and: Vec<Rule>,
}

/// What only a person can supply.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend(
    "if" = { "properties": { "reason": { "const": UserOnlyDependency::Choice } } },
    "then" = { "required": ["choice"] },
    "else" = { "properties": { "choice": false } },
))]
struct UserNeed {
    reason: UserOnlyDependency,
    /// Why no agent may assume the choice; only with `needs_user_choice`.
    choice: Option<NonAssumableChoice>,
    /// What the person is asked.
    question: Title,
}

/// Steps that repeat while their decision step says `continue`.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Loop {
    #[schemars(rename = "type")]
    kind: LoopType,
    loop_id: LoopId,
    title: Option<Title>,
    #[schemars(rename = "while")]
    condition: While,
    /// The most turns that it may have.
    #[schemars(range(min = 1, max = LOOP_TURNS_MAX))]
    max_iterations: u32,
    /// Names for pieces of work, known in this loop alone.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_definitions: Option<Vec<Function>>,
    /// The steps of a turn. Exactly one has the contract `wr.contracts.loop_control`.
    #[schemars(length(min = 1, max = STEPS_MAX))]
    body: Vec<Step>,
}

/// The condition that the loop repeats by.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct While {
    kind: ConditionRef,
    condition_id: ConditionId,
}

/// A place that the steps of a template replace.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct TemplateCall {
    #[schemars(rename = "type")]
    kind: TemplateCallType,
    id: StepId,
    template_id: TemplateId,
    args: Option<Value>,
}

//! A file in the classic dialect.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::file_parts::{Access, Blocks, FileId, Recommended};
use super::text::{
    ArtifactContract, Contains, ContextVariable, For, ForEach, Length, LoopControlContract,
    LoopType, MetricsProfile, NameOrCall, NameOrCalls, ParallelType, ParameterScope, ParameterType,
    PatternFlags, Regex, RequireFollowup, ResolveFrom, Text, VariableName, Version, WhileOrUntil,
};
use crate::bounds::{
    ABOUT_BYTES_MAX, BLOCK_BYTES_MAX, BLOCK_ITEMS_MAX, DECLARATIONS_MAX, DESCRIPTION_BYTES_MAX,
    DIMENSIONS_MAX, LOOP_TURNS_MAX, NAME_BYTES_MAX, PREDICATE_PARTS_MAX, PROMPT_BYTES_MAX,
    RULE_BYTES_MAX, RULE_LENGTH_MAX, RULES_MAX, STEPS_MAX, TAGS_MAX, TITLE_BYTES_MAX,
};
use crate::compile::{ConfirmationKind, FunctionName, ModelTier};
use crate::name::{AssessmentId, DimensionId, LoopId, StepId, Tag};
use crate::source::{ContractRef, FeatureId, RoutineId};

type Name = Text<NAME_BYTES_MAX>;
type Line = Text<TITLE_BYTES_MAX>;
type Paragraph = Text<DESCRIPTION_BYTES_MAX>;
type Block = Text<BLOCK_BYTES_MAX>;
type Prompt = Text<PROMPT_BYTES_MAX>;
type RuleText = Text<RULE_BYTES_MAX>;

/// A Piton workflow in the classic dialect: conditions on the context of a run, and variables in prompts.
#[derive(JsonSchema)]
#[schemars(
    title = "Piton workflow, classic dialect",
    rename_all = "camelCase",
    deny_unknown_fields
)]
pub(super) struct ClassicFile {
    /// The schema that an editor checks this file by. Piton ignores it.
    #[schemars(rename = "$schema")]
    schema: Option<Paragraph>,
    id: FileId,
    /// The name for people.
    name: Line,
    /// What the workflow is for; agents choose by it.
    description: Paragraph,
    /// The version of the file: three numbers, such as 1.0.0.
    version: Version,
    /// What it is about, at length, for people.
    about: Option<Text<ABOUT_BYTES_MAX>>,
    /// What it was made for, by example, for people.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    examples: Option<Vec<Line>>,
    /// What kinds of work it is for.
    #[schemars(length(max = TAGS_MAX))]
    tags: Option<Vec<Tag>>,
    /// How capable a model its author has in mind.
    model_tier: Option<ModelTier>,
    /// What must be true before the first step; shown once.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    preconditions: Option<Vec<Paragraph>>,
    /// What to ask before the first step; shown once.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    clarification_prompts: Option<Vec<Paragraph>>,
    /// What counts in every step; shown at the start, and whenever an agent resumes or forks the run.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    meta_guidance: Option<Vec<Paragraph>>,
    recommended_preferences: Option<Recommended>,
    /// Slots: `{{wr.bindings.slotId}}` in any text becomes the default of the slot.
    #[schemars(length(max = DECLARATIONS_MAX))]
    extension_points: Option<Vec<Slot>>,
    /// Additions that are switched on for the whole workflow.
    #[schemars(length(max = DECLARATIONS_MAX))]
    features: Option<Vec<FeatureId>>,
    /// What steps may have rated.
    #[schemars(length(max = DECLARATIONS_MAX))]
    assessments: Option<Vec<Assessment>>,
    /// Names for pieces of work that prompts refer to.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_definitions: Option<Vec<Function>>,
    /// Files that agents should know about.
    #[schemars(length(max = DECLARATIONS_MAX))]
    references: Option<Vec<FileReference>>,
    /// No effect.
    metrics_profile: Option<MetricsProfile>,
    /// No effect.
    validated_against_spec_version: Option<u32>,
    /// The steps, in order.
    #[schemars(length(min = 1, max = STEPS_MAX))]
    steps: Vec<Step>,
}

/// A slot and what fills it.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Slot {
    slot_id: Name,
    purpose: Paragraph,
    default: Paragraph,
    #[schemars(length(max = DECLARATIONS_MAX))]
    accepted_kinds: Option<Vec<Name>>,
}

/// A file that agents should know about.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct FileReference {
    id: Name,
    title: Line,
    source: Paragraph,
    purpose: Paragraph,
    /// Whether what it says counts.
    authoritative: Option<bool>,
    resolve_from: Option<ResolveFrom>,
}

/// What a step may have rated.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Assessment {
    id: AssessmentId,
    purpose: Paragraph,
    #[schemars(length(min = 1, max = DIMENSIONS_MAX))]
    dimensions: Vec<Dimension>,
}

/// One thing that is rated, and its levels.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Dimension {
    id: DimensionId,
    purpose: Paragraph,
    #[schemars(length(min = 2, max = DIMENSIONS_MAX))]
    levels: Vec<Line>,
    /// Whether it must be rated; true if it is absent.
    required: Option<bool>,
}

/// A name for a piece of work, and what it stands for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Function {
    name: FunctionName,
    definition: Block,
    #[schemars(length(max = DECLARATIONS_MAX))]
    parameters: Option<Vec<Parameter>>,
    scope: Option<ParameterScope>,
}

/// A parameter of a function.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Parameter {
    name: Name,
    #[schemars(rename = "type")]
    kind: ParameterType,
    required: Option<bool>,
    description: Option<Paragraph>,
    #[schemars(rename = "enum")]
    allowed: Option<Value>,
    default: Option<Value>,
}

/// A step, a loop, or work for several agents.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Step {
    Task(Box<Task>),
    Loop(Box<Loop>),
    Parallel(Box<Parallel>),
}

/// A step that an agent does.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["prompt"] },
    { "required": ["promptBlocks"] },
    { "required": ["templateCall"] },
]))]
struct Task {
    id: StepId,
    title: Line,
    /// What to do, as one text; `{{path}}` is filled in.
    prompt: Option<Prompt>,
    prompt_blocks: Option<Blocks<Block>>,
    template_call: Option<RoutineCall>,
    /// The role of the agent in this step.
    agent_role: Option<Paragraph>,
    /// How capable a model the author has in mind.
    model_tier: Option<ModelTier>,
    /// Hints below the prompt.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    guidance: Option<Vec<Paragraph>>,
    /// Whether the agent asks for files that it needs and does not have.
    ask_for_files: Option<bool>,
    /// No effect.
    has_validation: Option<bool>,
    require_confirmation: Option<Confirmation>,
    /// The step is done only if this holds.
    run_condition: Option<Condition>,
    validation_criteria: Option<Criteria>,
    output_contract: Option<Contract>,
    /// The assessments that must be submitted.
    #[schemars(length(max = DECLARATIONS_MAX))]
    assessment_refs: Option<Vec<AssessmentId>>,
    /// What follows from a level.
    #[schemars(length(max = DECLARATIONS_MAX))]
    assessment_consequences: Option<Vec<Consequence>>,
    /// Whether the step needs no notes.
    notes_optional: Option<bool>,
    /// Names for pieces of work, known in this step alone.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_definitions: Option<Vec<Function>>,
    /// Functions to call.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_calls: Option<Vec<FunctionCall>>,
    /// Functions whose definitions the prompt shows, as `name()` or `name`.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_references: Option<Vec<NameOrCall>>,
    /// Additions to the prompt that are shown where their condition holds.
    #[schemars(length(max = DECLARATIONS_MAX))]
    prompt_fragments: Option<Vec<Fragment>>,
    access: Option<Access>,
    audit: Option<Audit>,
    verification: Option<Verification>,
}

/// A place that the steps of a routine replace.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct RoutineCall {
    template_id: RoutineId,
    /// What `{name}` in the routine becomes.
    args: Option<Map<String, Value>>,
}

/// Whether a person confirms the step before it is done: always, never, or on a condition.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Confirmation {
    Flag(bool),
    Kind(ConfirmationOnCondition),
    When(Condition),
}

/// Who confirms the step, and on which condition.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConfirmationOnCondition {
    kind: ConfirmationKind,
    condition: Option<Condition>,
}

/// The artifact that is submitted.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Contract {
    contract_ref: ContractRef,
    /// Whether it must be; true if it is absent.
    required: Option<bool>,
}

/// A function to call, with its arguments.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct FunctionCall {
    name: NameOrCalls,
    args: Option<Value>,
}

/// An addition to the prompt.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Fragment {
    id: Name,
    /// It is shown only if this holds.
    when: Option<Condition>,
    text: Block,
}

/// A second look at the result, as a step of its own.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Audit {
    prompt: Option<Prompt>,
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    rubric: Option<Vec<Paragraph>>,
}

/// A check of the result, as a step of its own.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Verification {
    command: Option<Paragraph>,
    prompt: Option<Prompt>,
}

/// What follows when a dimension is rated at a level.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Consequence {
    when: ConsequenceWhen,
    effect: ConsequenceEffect,
}

/// The level that has consequences.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct ConsequenceWhen {
    any_equals_level: Line,
    for_assessment: Option<AssessmentId>,
}

/// What the agent does before the step is left.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConsequenceEffect {
    kind: RequireFollowup,
    guidance: Paragraph,
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
    Joined(JoinedRule),
}

/// The notes contain a text.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ContainsRule {
    #[schemars(rename = "type")]
    kind: Contains,
    value: RuleText,
    /// What the agent reads if the rule does not hold.
    message: RuleText,
    /// The rule counts only if this holds.
    condition: Option<Condition>,
}

/// The notes match a pattern, without look-around and back-references.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RegexRule {
    #[schemars(rename = "type")]
    kind: Regex,
    pattern: RuleText,
    flags: Option<PatternFlags>,
    /// What the agent reads if the rule does not hold.
    message: RuleText,
    /// The rule counts only if this holds.
    condition: Option<Condition>,
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
    message: RuleText,
    /// The rule counts only if this holds.
    condition: Option<Condition>,
}

/// Rules that are joined; several fields must all hold.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1))]
struct JoinedRule {
    #[schemars(length(min = 1, max = RULES_MAX))]
    and: Option<Vec<Rule>>,
    #[schemars(length(min = 1, max = RULES_MAX))]
    or: Option<Vec<Rule>>,
    not: Option<Box<Rule>>,
}

/// A condition on the context of a run: a variable and an operator, or conditions that are joined.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("dependentRequired" = {
    "equals": ["var"], "not_equals": ["var"], "gt": ["var"], "gte": ["var"], "lt": ["var"],
    "lte": ["var"], "contains": ["var"], "in": ["var"], "startsWith": ["var"],
    "endsWith": ["var"], "matches": ["var"],
}))]
struct Condition {
    #[schemars(length(min = 1, max = PREDICATE_PARTS_MAX))]
    and: Option<Vec<Condition>>,
    #[schemars(length(min = 1, max = PREDICATE_PARTS_MAX))]
    or: Option<Vec<Condition>>,
    not: Option<Box<Condition>>,
    /// The path of the variable. Without an operator, the condition holds if it is set.
    var: Option<Name>,
    equals: Option<Value>,
    #[schemars(rename = "not_equals")]
    not_equals: Option<Value>,
    gt: Option<f64>,
    gte: Option<f64>,
    lt: Option<f64>,
    lte: Option<f64>,
    contains: Option<Value>,
    #[schemars(rename = "in")]
    one_of: Option<Vec<Value>>,
    starts_with: Option<String>,
    ends_with: Option<String>,
    /// A pattern, without look-around and back-references.
    matches: Option<RuleText>,
}

/// Steps that repeat.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Loop {
    #[schemars(rename = "type")]
    kind: LoopType,
    id: StepId,
    title: Line,
    #[schemars(rename = "loop")]
    turns: Turns,
    /// Names for pieces of work, known in this loop alone.
    #[schemars(length(max = DECLARATIONS_MAX))]
    function_definitions: Option<Vec<Function>>,
    require_confirmation: Option<Confirmation>,
    /// The loop begins only if this holds.
    run_condition: Option<Condition>,
    /// Whether its steps need no notes.
    notes_optional: Option<bool>,
    body: LoopBody,
}

/// The steps of a turn, or the id of a step in `steps`.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum LoopBody {
    Named(StepId),
    Steps(#[schemars(length(min = 1, max = STEPS_MAX))] Vec<Step>),
}

/// How a loop repeats.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Turns {
    Asked(AskedTurns),
    Counted(CountedTurns),
    Each(EachTurns),
}

/// It repeats while, or until, its condition holds.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct AskedTurns {
    #[schemars(rename = "type")]
    kind: WhileOrUntil,
    /// The most turns that it may have.
    #[schemars(range(min = 1, max = LOOP_TURNS_MAX))]
    max_iterations: u32,
    condition_source: Option<ConditionSource>,
    condition: Option<Condition>,
    iteration_var: Option<VariableName>,
    item_var: Option<VariableName>,
    index_var: Option<VariableName>,
}

/// It repeats a number of times.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct CountedTurns {
    #[schemars(rename = "type")]
    kind: For,
    /// The most turns that it may have.
    #[schemars(range(min = 1, max = LOOP_TURNS_MAX))]
    max_iterations: u32,
    count: Count,
    iteration_var: Option<VariableName>,
    item_var: Option<VariableName>,
    index_var: Option<VariableName>,
}

/// It repeats for each item of a list.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct EachTurns {
    #[schemars(rename = "type")]
    kind: ForEach,
    /// The most turns that it may have.
    #[schemars(range(min = 1, max = LOOP_TURNS_MAX))]
    max_iterations: u32,
    /// The key of the list in the context.
    items: Name,
    iteration_var: Option<VariableName>,
    item_var: Option<VariableName>,
    index_var: Option<VariableName>,
}

/// A number, or the key of one in the context.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Count {
    Turns(#[schemars(range(max = LOOP_TURNS_MAX))] u32),
    Key(Name),
}

/// What decides whether the loop repeats.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ConditionSource {
    Contract(ControlSource),
    Variable(ContextSource),
}

/// The decision of a step of the body.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct ControlSource {
    kind: ArtifactContract,
    contract_ref: LoopControlContract,
    /// The name of the loop in runs.
    loop_id: Option<LoopId>,
}

/// The context of the run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ContextSource {
    kind: ContextVariable,
    condition: Condition,
}

/// Work for several agents at once.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Parallel {
    #[schemars(rename = "type")]
    kind: ParallelType,
    id: StepId,
    title: Line,
    #[schemars(length(min = 1, max = DECLARATIONS_MAX))]
    parallel_delegations: Vec<Delegation>,
    synthesis: Option<Synthesis>,
    /// The step is done only if this holds.
    run_condition: Option<Condition>,
    require_confirmation: Option<Confirmation>,
    /// Whether the step needs no notes.
    notes_optional: Option<bool>,
    /// How capable a model the author has in mind.
    model_tier: Option<ModelTier>,
}

/// Work for one agent.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Delegation {
    workflow_id: Name,
    goal: Option<Paragraph>,
    /// It is delegated only if this holds.
    run_condition: Option<Condition>,
    /// Keys of the context, with their names in the other run.
    context_mapping: Option<BTreeMap<String, Name>>,
    args: Option<Value>,
    model_tier: Option<ModelTier>,
    #[schemars(length(max = DECLARATIONS_MAX))]
    allowed_tools: Option<Vec<Name>>,
}

/// How the results are joined, as a step of its own.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Synthesis {
    prompt: Option<Prompt>,
    output_contract: Option<Contract>,
}

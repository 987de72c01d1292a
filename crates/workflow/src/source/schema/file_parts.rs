//! Parts of a file that both dialects have. Texts of the strict dialect hold no variables, so prompts differ in the type of their
//! texts.

use std::collections::BTreeMap;

use piton_core::WorkflowId;
use schemars::JsonSchema;

use super::text::{OlderId, Ref, Text, TextType};
use crate::bounds::{ACCESS_NAME_BYTES_MAX, BLOCK_ITEMS_MAX, BLOCK_PARTS_MAX, DECLARATIONS_MAX};
use crate::compile::{ContextRole, FileScope};
use crate::event::{Autonomy, RiskPolicy};
use crate::source::RefId;

/// The id: a namespace and a name, as in `project.release_notes`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum FileId {
    Namespaced(WorkflowId),
    Older(OlderId),
}

/// The most freedom that the author recommends for a run.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Recommended {
    /// When a run waits for a person.
    recommended_autonomy: Option<Autonomy>,
    /// Which of several correct ways a run takes.
    recommended_risk_policy: Option<RiskPolicy>,
}

/// A prompt in sections; at least one.
#[derive(JsonSchema)]
#[schemars(rename = "{Block}Blocks", rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub(super) struct Blocks<Block: JsonSchema> {
    /// What the step is to reach.
    goal: Option<Item<Block>>,
    /// What it must keep to.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    constraints: Option<Vec<Item<Block>>>,
    /// What to do, in order.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    procedure: Option<Vec<Item<Block>>>,
    /// What to submit, by name.
    #[schemars(extend("maxProperties" = BLOCK_ITEMS_MAX))]
    output_required: Option<BTreeMap<String, Block>>,
    /// What to check at the end.
    #[schemars(length(max = BLOCK_ITEMS_MAX))]
    verify: Option<Vec<Item<Block>>>,
}

/// A text, or parts that may be texts of Piton.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "{Block}Item")]
pub(super) enum Item<Block: JsonSchema> {
    Text(Block),
    Parts(#[schemars(length(min = 1, max = BLOCK_PARTS_MAX))] Vec<Part<Block>>),
}

/// A part of an item.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "{Block}Part")]
pub(super) enum Part<Block: JsonSchema> {
    Text(TextPart<Block>),
    Ref(RefPart),
}

/// What the author writes.
#[derive(JsonSchema)]
#[schemars(rename = "{Block}TextPart", deny_unknown_fields)]
pub(super) struct TextPart<Block: JsonSchema> {
    kind: TextType,
    /// The text.
    text: Block,
}

/// A text of Piton.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RefPart {
    kind: Ref,
    /// Its name in the catalogue: `piton builtins`.
    ref_id: RefId,
}

/// A prefix of a Workspace, or a key of a backpack.
type AccessName = Text<ACCESS_NAME_BYTES_MAX>;

/// What an agent may touch while the step is pending; a part that is absent is not narrowed.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1))]
pub(super) struct Access {
    /// The only Workspaces that may be used; an empty list denies all of them.
    #[schemars(length(max = DECLARATIONS_MAX))]
    workspaces: Option<Vec<WorkspaceAccess>>,
    /// What may be done with the context of the project.
    context: Option<ContextRole>,
    /// The only keys of the backpack that may be used.
    state: Option<StateAccess>,
}

/// What may be done below a prefix.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct WorkspaceAccess {
    /// The prefix, which begins with `/` and does not end with it.
    #[schemars(extend("pattern" = "^(/|(/[^/]+)+)$", "not" = { "pattern": "/\\.\\.?(/|$)" }))]
    prefix: AccessName,
    /// What may be done there.
    scope: FileScope,
}

/// The keys of a backpack that may be used.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct StateAccess {
    /// Those that may be read.
    #[schemars(length(max = DECLARATIONS_MAX))]
    read: Option<Vec<AccessName>>,
    /// Those that may be written.
    #[schemars(length(max = DECLARATIONS_MAX))]
    write: Option<Vec<AccessName>>,
}

//! The written form of a snapshot: JSON objects with fixed fields.
//!
//! *Invariants*: unknown fields and unknown versions are refused. A value without fields of its own is an
//! empty object with a `kind`, so that a surplus field is noticed there as well. Nothing is nullable.

use piton_core::{WorkflowHash, truncate};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::SnapshotError;
use super::execution::{
    ExecutionSnapshot, ExecutionState, PendingStep, RenderedPrompt, Running, StepTitle,
};
use super::progress::{CompletedSteps, Decisions, LoopControl, LoopDecision};
use crate::bounds::SNAPSHOT_PROBLEM_BYTES_MAX;
use crate::loop_path::{Iteration, LoopPath, LoopPosition};
use crate::name::{LoopId, StepId};
use crate::step_instance::StepInstanceKey;

/// The version of a snapshot and of the engine payload in it.
const VERSION: u64 = 1;

/// Reads a snapshot. The type of the error says what is wrong.
pub(super) fn read(bytes: &[u8]) -> Result<ExecutionSnapshot, SnapshotError> {
    // Another version may have other fields, so the version numbers are checked before the fields are read.
    check_version(parse::<Versions>(bytes)?.v)?;
    // The engine payload is versioned by itself, so it is checked separately.
    check_version(parse::<EngineVersions>(bytes)?.engine_payload.v)?;
    parse::<Snapshot>(bytes)?.try_into()
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, SnapshotError> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The message may quote the snapshot, so it is cut.
        let problem = truncate(&error.to_string(), SNAPSHOT_PROBLEM_BYTES_MAX).into_owned();
        SnapshotError::Malformed { problem }
    })
}

fn check_version(found: u64) -> Result<(), SnapshotError> {
    if found == VERSION { Ok(()) } else { Err(SnapshotError::UnsupportedVersion { found }) }
}

#[derive(Deserialize)]
struct Versions {
    v: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EngineVersions {
    engine_payload: Versions,
}

/// Returns the schema of a version.
fn version_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "const": VERSION })
}

/// What is needed to go on from a run node.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Snapshot {
    engine_payload: EnginePayload,
    #[schemars(schema_with = "version_schema")]
    v: u64,
    workflow_hash: WorkflowHash,
}

/// What the engine keeps; versioned by itself.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EnginePayload {
    state: StateWire,
    #[schemars(schema_with = "version_schema")]
    v: u64,
}

/// How far the run is.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
enum StateWire {
    Init {},
    Running {
        completed: CompletedWire,
        loop_stack: Vec<Position>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        decisions: Vec<StepDecision>,
        pending: PendingWire,
    },
    Complete {},
}

/// The step instances that are done, sorted by their bytes.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum CompletedWire {
    Set { values: Vec<StepInstanceKey> },
}

/// A loop and the turn it is in, counted from zero.
#[derive(PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Position {
    iteration: u32,
    loop_id: LoopId,
}

/// What a decision step said about a loop.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepDecision {
    decision: LoopDecision,
    loop_id: LoopId,
    step: StepInstanceKey,
}

/// Whether a step waits for its output.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum PendingWire {
    None {},
    Some { step: WaitingStep },
}

/// A step that waits for its output, as a reply shows it. Its loop path equals the loop stack.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WaitingStep {
    loop_path: Vec<Position>,
    prompt: RenderedPrompt,
    require_confirmation: bool,
    step_id: StepId,
    title: StepTitle,
}

fn positions(path: &LoopPath) -> Vec<Position> {
    let written = |position: &LoopPosition| Position {
        loop_id: position.loop_id.clone(),
        iteration: position.iteration.get(),
    };
    path.positions().iter().map(written).collect()
}

fn path(positions: Vec<Position>) -> Result<LoopPath, SnapshotError> {
    let mut read = Vec::with_capacity(positions.len());
    for Position { loop_id, iteration } in positions {
        read.push(LoopPosition { loop_id, iteration: Iteration::new(iteration)? });
    }
    Ok(LoopPath::new(read)?)
}

impl From<(&StepInstanceKey, &LoopControl)> for StepDecision {
    fn from((step, control): (&StepInstanceKey, &LoopControl)) -> Self {
        let LoopControl { loop_id, decision } = control.clone();
        Self { step: step.clone(), loop_id, decision }
    }
}

impl From<&Running> for StateWire {
    fn from(running: &Running) -> Self {
        let pending = running.pending().map_or(PendingWire::None {}, |pending| PendingWire::Some {
            step: WaitingStep {
                step_id: pending.step_id.clone(),
                // Repeats the loop stack; reading checks that the two agree.
                loop_path: positions(running.loop_stack()),
                title: pending.title.clone(),
                prompt: pending.prompt.clone(),
                require_confirmation: pending.require_confirmation,
            },
        });
        Self::Running {
            completed: CompletedWire::Set { values: running.completed().iter().cloned().collect() },
            loop_stack: positions(running.loop_stack()),
            decisions: running.decisions().iter().map(StepDecision::from).collect(),
            pending,
        }
    }
}

impl From<&ExecutionSnapshot> for Snapshot {
    fn from(snapshot: &ExecutionSnapshot) -> Self {
        let state = match &snapshot.state {
            ExecutionState::Init => StateWire::Init {},
            ExecutionState::Running(running) => running.into(),
            ExecutionState::Complete => StateWire::Complete {},
        };
        let engine_payload = EnginePayload { v: VERSION, state };
        Self { v: VERSION, workflow_hash: snapshot.workflow_hash, engine_payload }
    }
}

impl TryFrom<StateWire> for ExecutionState {
    type Error = SnapshotError;

    fn try_from(state: StateWire) -> Result<Self, SnapshotError> {
        let (values, loop_stack, decisions, pending) = match state {
            StateWire::Init {} => return Ok(Self::Init),
            StateWire::Complete {} => return Ok(Self::Complete),
            StateWire::Running {
                completed: CompletedWire::Set { values },
                loop_stack,
                decisions,
                pending,
            } => (values, loop_stack, decisions, pending),
        };
        // The wire form states the place of the pending step twice; a snapshot where the two differ was not
        // written by us.
        let pending = match pending {
            PendingWire::None {} => None,
            PendingWire::Some { step } if step.loop_path != loop_stack => {
                return Err(SnapshotError::PendingElsewhere { step_id: step.step_id });
            }
            PendingWire::Some {
                step: WaitingStep { step_id, title, prompt, require_confirmation, .. },
            } => Some(PendingStep { step_id, title, prompt, require_confirmation }),
        };
        // `from_sorted` refuses an unsorted or repeated key, so a state has one written form only.
        let completed = CompletedSteps::from_sorted(values)?;
        let control =
            |StepDecision { step, loop_id, decision }| (step, LoopControl { loop_id, decision });
        let decisions = Decisions::from_sorted(decisions.into_iter().map(control).collect())?;
        // `Running::new` checks again that the pending step is not completed; these bytes may come from
        // anywhere.
        let running = Running::new(completed, path(loop_stack)?, pending)?;
        Ok(Self::Running(running.with_decisions(decisions)))
    }
}

impl TryFrom<Snapshot> for ExecutionSnapshot {
    type Error = SnapshotError;

    fn try_from(snapshot: Snapshot) -> Result<Self, SnapshotError> {
        let Snapshot { v, workflow_hash, engine_payload } = snapshot;
        check_version(v)?;
        check_version(engine_payload.v)?;
        Ok(Self { workflow_hash, state: engine_payload.state.try_into()? })
    }
}

impl Serialize for ExecutionSnapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Snapshot::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ExecutionSnapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Snapshot::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for ExecutionSnapshot {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ExecutionSnapshot".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Snapshot::json_schema(generator)
    }
}

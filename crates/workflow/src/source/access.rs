//! Reads the access that a step declares, in both dialects.

use piton_core::BoundedText;
use serde_json::Value;

use super::problem::{Pointer, ProblemCode, Problems};
use super::read::{FromSource, ObjectReader};
use crate::bounds::{ACCESS_NAME_BYTES_MAX, DECLARATIONS_MAX};
use crate::compile::{StateAccess, StepAccess, WorkspaceAccess};

/// A prefix or a key.
type Name = BoundedText<ACCESS_NAME_BYTES_MAX>;

impl FromSource for StepAccess {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        // An empty list of Workspaces denies all of them; an absent one narrows nothing.
        let speaks_of_files = object.has("workspaces");
        let workspaces: Vec<WorkspaceAccess> = object.list("workspaces", DECLARATIONS_MAX);
        let context = object.optional("context");
        let state = object.optional("state");
        object.finish();
        let access = Self { workspaces: speaks_of_files.then_some(workspaces), context, state };
        if access == Self::default() {
            let reason = "`access` narrows nothing";
            let fix = "name `workspaces`, `context` or `state`, or leave it out";
            problems.report(at, ProblemCode::Empty, reason, fix);
        }
        check_distinct(&access, at, problems);
        Some(access)
    }
}

fn check_distinct(access: &StepAccess, at: &Pointer, problems: &mut Problems) {
    let listed = access.workspaces.as_deref().unwrap_or_default();
    for (index, one) in listed.iter().enumerate() {
        if listed[..index].iter().any(|before| before.prefix == one.prefix) {
            let reason = format!("the prefix `{}` is named twice", one.prefix);
            let at = at.field("workspaces").item(index);
            problems.report(&at, ProblemCode::DuplicateId, reason, "keep one of them");
        }
    }
}

impl FromSource for WorkspaceAccess {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let prefix = object.required::<Name>("prefix");
        let scope = object.required("scope");
        let prefix_at = object.at("prefix");
        object.finish();
        let prefix = prefix?.into_string();
        // `.` and `..` would give one directory several names.
        let is_plain = |name: &str| !name.is_empty() && name != "." && name != "..";
        let is_rooted = prefix == "/"
            || prefix.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_plain));
        if !is_rooted {
            let reason = format!("`{prefix}` is no prefix of a Workspace");
            let fix = "begin it with `/`, such as `/docs`, and end it without one";
            problems.report(&prefix_at, ProblemCode::InvalidId, reason, fix);
            return None;
        }
        Some(Self { prefix, scope: scope? })
    }
}

impl FromSource for StateAccess {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let mut keys = |name| {
            let keys = object.list::<Name>(name, DECLARATIONS_MAX);
            keys.into_iter().map(BoundedText::into_string).collect()
        };
        let (read, write) = (keys("read"), keys("write"));
        object.finish();
        Some(Self { read, write })
    }
}

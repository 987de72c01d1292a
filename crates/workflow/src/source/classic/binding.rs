//! Slots of a workflow: `{{wr.bindings.slot}}` in any text is replaced by the content of the slot.
//!
//! *Limitations*: a slot always has its default; nothing else fills one yet.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::source::Pointer;
use crate::source::problem::{ProblemCode, Problems};

/// The prefix of Piton's own names inside `{{ }}`.
const OWN: &str = "wr.";
const SLOT: &str = "wr.bindings.";
const DECLARED_IN: &str = "extensionPoints";

/// Fills every slot of `file`. A name of Piton's own that has no value is a problem.
pub(crate) fn bind(file: &Value, problems: &mut Problems) -> Value {
    let Value::Object(entries) = file else {
        return file.clone();
    };
    let slots = slots(entries.get(DECLARED_IN));
    let mut binding = Binding { slots, problems };
    let root = Pointer::root();
    let bound = entries.iter().map(|(name, value)| {
        // The declarations hold the defaults themselves, which must not be expanded.
        let value = if name == DECLARED_IN {
            value.clone()
        } else {
            binding.value(value, &root.field(name))
        };
        (name.clone(), value)
    });
    Value::Object(bound.collect())
}

fn slots(declared: Option<&Value>) -> BTreeMap<&str, &str> {
    let mut slots = BTreeMap::new();
    for point in declared.and_then(Value::as_array).into_iter().flatten() {
        let id = point.get("slotId").and_then(Value::as_str);
        let default = point.get("default").and_then(Value::as_str);
        slots.extend(id.zip(default));
    }
    slots
}

struct Binding<'a> {
    slots: BTreeMap<&'a str, &'a str>,
    problems: &'a mut Problems,
}

impl Binding<'_> {
    fn value(&mut self, value: &Value, at: &Pointer) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text, at)),
            Value::Array(items) => {
                let bound = items.iter().enumerate();
                Value::Array(bound.map(|(index, item)| self.value(item, &at.item(index))).collect())
            }
            Value::Object(entries) => {
                let bound = entries.iter();
                let bound =
                    bound.map(|(name, value)| (name.clone(), self.value(value, &at.field(name))));
                Value::Object(bound.collect())
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str, at: &Pointer) -> String {
        let mut bound = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, behind)) = after.split_once("}}") else {
                break;
            };
            bound.push_str(before);
            rest = behind;
            let slot = name.trim().strip_prefix(SLOT);
            if let Some(filled) = slot.and_then(|slot| self.slots.get(slot)) {
                bound.push_str(filled);
                continue;
            }
            if name.trim().starts_with(OWN) {
                self.unknown(name.trim(), at);
            }
            // Any other name is a variable of the run, which is filled in when the step is shown.
            bound.extend(["{{", name, "}}"]);
        }
        bound.push_str(rest);
        bound
    }

    fn unknown(&mut self, name: &str, at: &Pointer) {
        let reason = format!("nothing is filled in for `{{{{{name}}}}}`");
        let fix = "declare the slot in `extensionPoints`, or write the text out";
        self.problems.report(at, ProblemCode::Interpolation, reason, fix);
    }
}

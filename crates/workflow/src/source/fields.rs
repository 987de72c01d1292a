//! The names of fields, for editors that complete them.
//!
//! *Invariants*: the names are those that the reader asks for, so they cannot differ from what it accepts.

use serde_json::json;

use super::detect::Dialect;
use super::problem::{Pointer, Problems};
use super::read::ObjectReader;
use super::{classic, strict};

/// Returns the fields of a step that an agent does, in order.
pub fn step_fields(dialect: Dialect) -> Vec<&'static str> {
    // With all forms of content at once, the reader asks for each of them.
    let step = json!({ "prompt": "", "promptBlocks": {}, "templateCall": {} });
    let (at, mut problems) = (Pointer::root(), Problems::default());
    let Some(mut object) = ObjectReader::open(&step, &at, &mut problems) else {
        return Vec::new();
    };
    object.raw("type");
    // What is wrong with this step is of no interest.
    let _ = match dialect {
        Dialect::Strict => strict::task(&mut object, &at),
        Dialect::Classic => classic::step::task(&mut object, &at),
    };
    object.into_asked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_step_are_those_that_its_dialect_reads() {
        let [strict, classic] = [Dialect::Strict, Dialect::Classic].map(step_fields);
        for fields in [&strict, &classic] {
            for field in ["id", "title", "type", "prompt", "promptBlocks", "validationCriteria"] {
                assert!(fields.contains(&field), "{field} in {fields:?}");
            }
        }
        assert!(strict.contains(&"needsUser") && !classic.contains(&"needsUser"));
        assert!(classic.contains(&"runCondition") && classic.contains(&"templateCall"));
    }
}

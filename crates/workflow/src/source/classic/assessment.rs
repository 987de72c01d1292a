//! Assessments and their consequences.

use serde_json::Value;

use super::{Line, Paragraph, strings};
use crate::bounds::DIMENSIONS_MAX;
use crate::compile::{Assessment, Consequence, Dimension};
use crate::name::DimensionId;
use crate::source::Pointer;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader};

impl FromSource for Assessment {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let id = object.required("id");
        let purpose = object.required::<Paragraph>("purpose");
        let dimensions: Vec<Dimension> = object.filled_list("dimensions", DIMENSIONS_MAX);
        let listed = object.at("dimensions");
        object.finish();
        let ids: Vec<_> = dimensions.iter().map(|dimension| &dimension.id).collect();
        if let Some(id) = twice(&ids) {
            let reason = format!("the dimension `{id}` is there twice");
            let fix = "give each dimension an id of its own";
            problems.report(&listed, ProblemCode::DuplicateId, reason, fix);
        }
        let purpose = purpose?.into_string();
        Some(Self { id: id?, purpose, dimensions })
    }
}

impl FromSource for Dimension {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let id = object.required::<DimensionId>("id");
        let purpose = object.required::<Paragraph>("purpose");
        let levels = strings(object.filled_list::<Line>("levels", DIMENSIONS_MAX));
        let required = object.optional("required").unwrap_or(true);
        let listed = object.at("levels");
        object.finish();
        // Levels are matched leniently when an agent rates, so they have to differ in more than their case.
        let plain: Vec<_> = levels.iter().map(|level| level.trim().to_lowercase()).collect();
        if levels.len() == 1 && !problems.any_within(&listed) {
            let reason = "there is one level, so nothing is rated";
            problems.report(&listed, ProblemCode::OutOfRange, reason, "add a second level");
        }
        if let Some(level) = twice(&plain.iter().collect::<Vec<_>>()) {
            let reason = format!("the level `{level}` is there twice, apart from its case");
            problems.report(&listed, ProblemCode::DuplicateId, reason, "remove one of them");
        }
        let purpose = purpose?.into_string();
        Some(Self { id: id?, purpose, levels, required })
    }
}

/// Returns the first item that occurs a second time.
fn twice<'a, T: PartialEq>(items: &[&'a T]) -> Option<&'a T> {
    let again = |(index, item): (usize, &&'a T)| items[..index].contains(item).then_some(*item);
    items.iter().enumerate().find_map(again)
}

impl FromSource for Consequence {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let when = object.nested("when", |when| {
            (when.required::<Line>("anyEqualsLevel"), when.optional("forAssessment"))
        });
        let guidance = object.nested("effect", |effect| {
            effect.one_of("kind", &["require_followup"]);
            effect.required::<Paragraph>("guidance")
        });
        object.finish();
        let (level, for_assessment) = when?;
        let (level, guidance) = (level?.into_string(), guidance??.into_string());
        Some(Self { any_equals_level: level, for_assessment, guidance })
    }
}

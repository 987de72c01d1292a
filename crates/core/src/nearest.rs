//! Suggestions for a name that is not known.
//!
//! *Invariants*: the closest names come first, then byte order decides. The same names give the same answer.

use crate::bounds::{COMPARED_BYTES_MAX, NEAREST_MAX};

/// Returns the names that `text` may have been meant for, closest first.
pub fn nearest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let text = &text[..text.floor_char_boundary(COMPARED_BYTES_MAX)];
    let mut close: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| name.len() <= COMPARED_BYTES_MAX)
        .filter_map(|name| Some((closeness(text, name)?, name)))
        .collect();
    close.sort_unstable();
    close.dedup();
    close.into_iter().take(NEAREST_MAX).map(|(_, name)| name).collect()
}

/// Asks whether one of the names that are close to `text` was meant, and ends with `rest`. Returns nothing if none is close.
pub fn did_you_mean<'a>(
    text: &str,
    names: impl IntoIterator<Item = &'a str>,
    rest: &str,
) -> Option<String> {
    let close = nearest(text, names);
    (!close.is_empty()).then(|| format!("Did you mean {}? {rest}", close.join(" or ")))
}

/// Returns the edit distance of the two, if it is small for their length or the name contains the text.
fn closeness(text: &str, name: &str) -> Option<usize> {
    let distance = strsim::osa_distance(text, name);
    let few = text.len().max(name.len()).div_ceil(3).min(4);
    let is_part = text.len() >= 3 && name.contains(text);
    (distance <= few || is_part).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn close_names_are_offered_closest_first_and_others_are_not() {
        let names = ["wr.code_review", "wr.research", "wr.tour", "project.code_review"];
        assert_eq!(nearest("wr.code_reveiw", names), ["wr.code_review"]);
        assert_eq!(nearest("code_review", names), ["wr.code_review", "project.code_review"]);
        assert!(nearest("bake.cake", names).is_empty());
        assert!(nearest(&"x".repeat(10_000), names).is_empty());
    }
}

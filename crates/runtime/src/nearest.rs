//! Suggestions for a name that is not known.
//!
//! *Invariants*: the closest names come first, then byte order decides. The same names give the same answer.

use crate::bounds::{COMPARED_BYTES_MAX, NEAREST_MAX};

/// Returns the names that `text` may have been meant for, closest first.
pub(crate) fn nearest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
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

/// Returns the edit distance of the two, if it is small for their length or the name contains the text.
fn closeness(text: &str, name: &str) -> Option<usize> {
    let distance = distance(text.as_bytes(), name.as_bytes());
    // A third of the longer name, but never more than four edits: beyond that, unrelated names look alike.
    let few = text.len().max(name.len()).div_ceil(3).min(4);
    let is_part = text.len() >= 3 && name.contains(text);
    (distance <= few || is_part).then_some(distance)
}

/// Returns the number of letters to insert, delete, replace or swap with a neighbour to turn one into the other.
fn distance(left: &[u8], right: &[u8]) -> usize {
    // Optimal string alignment. Three rows suffice: a swap looks back two rows, everything else one.
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let is_swap =
                row > 0 && column > 0 && left[row - 1] == *other && right[column - 1] == *letter;
            if is_swap {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn a_slip_of_the_finger_is_one_change() {
        for (left, right, changes) in [
            ("dir", "dir", 0),
            ("dri", "dir", 1),
            ("dirs", "dir", 1),
            ("die", "dir", 1),
            ("", "dir", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(left.as_bytes(), right.as_bytes()), changes, "{left} {right}");
        }
    }

    #[test]
    fn close_names_are_offered_closest_first_and_others_are_not() {
        let names = ["wr.code_review", "wr.research", "wr.tour", "project.code_review"];
        assert_eq!(nearest("wr.code_reveiw", names), ["wr.code_review"]);
        assert_eq!(nearest("code_review", names), ["wr.code_review", "project.code_review"]);
        assert!(nearest("bake.cake", names).is_empty());
        assert!(nearest(&"x".repeat(10_000), names).is_empty());
    }
}

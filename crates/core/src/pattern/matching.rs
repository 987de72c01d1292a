//! Pattern matching without backtracking beyond the last star.
//!
//! *Invariants*: both levels, segments and characters, reconsider only the last star that they passed. If the rest
//! after it does not match, giving an earlier star more cannot help, because the last one could have consumed the
//! difference. So no pair of a pattern byte and a name byte is compared more than once per star, and the whole takes at
//! most the product of the two lengths in steps.

/// True if a whole pattern matches a whole namespace.
pub(super) fn path_matches(pattern: &str, namespace: &str) -> bool {
    let mut pattern = pattern.split('.');
    let mut names = namespace.split('.');
    // The pattern after the last `**`, and the segments that it has not consumed yet.
    let mut retry = None;
    loop {
        let untouched = names.clone();
        match (pattern.next(), names.next()) {
            (None, None) => return true,
            // Let the star match nothing at first, and remember where to resume with it matching more.
            (Some("**"), _) => {
                names = untouched;
                retry = Some((pattern.clone(), names.clone()));
                continue;
            }
            (Some(segment), Some(name)) if segment_matches(segment, name) => continue,
            _ => {}
        }
        // A mismatch: let the last star consume one more segment and try the rest of the pattern again.
        let Some((after_star, left)) = &mut retry else {
            return false;
        };
        if left.next().is_none() {
            return false;
        }
        pattern = after_star.clone();
        names = left.clone();
    }
}

/// True if one segment of a pattern matches one segment of a namespace.
fn segment_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // The position after the last star, and the end of the characters that it has consumed.
    let mut retry = None;
    while seen < name.len() || at < pattern.len() {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                retry = Some((at, seen));
                continue;
            }
            Some(literal) if name.get(seen) == Some(literal) => {
                at += 1;
                seen += 1;
                continue;
            }
            _ => {}
        }
        // A mismatch: the last star consumes one more character.
        match &mut retry {
            Some((after_star, swallowed)) if *swallowed < name.len() => {
                *swallowed += 1;
                at = *after_star;
                seen = *swallowed;
            }
            _ => return false,
        }
    }
    true
}

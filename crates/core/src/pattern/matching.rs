//! Matching without backtracking beyond the last star.
//!
//! *Invariants*: both levels, segments and characters, reconsider only the last star that they passed:
//! if what follows it does not match, giving an earlier star more could not help, because the last one
//! could have swallowed the difference. So no pair of a pattern byte and a name byte is compared more
//! than once per star, and the whole takes at most the product of the two lengths in steps.

/// Whether a whole pattern matches a whole namespace.
pub(super) fn path_matches(pattern: &str, namespace: &str) -> bool {
    let mut pattern = pattern.split('.');
    let mut names = namespace.split('.');
    // What follows the last `**`, and the segments that it has not swallowed yet.
    let mut retry = None;
    loop {
        let untouched = names.clone();
        match (pattern.next(), names.next()) {
            (None, None) => return true,
            (Some("**"), _) => {
                names = untouched;
                retry = Some((pattern.clone(), names.clone()));
                continue;
            }
            (Some(segment), Some(name)) if segment_matches(segment, name) => continue,
            _ => {}
        }
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

/// Whether one segment of a pattern matches one segment of a namespace.
fn segment_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // The position after the last star, and how far it has swallowed.
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

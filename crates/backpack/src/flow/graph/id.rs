//! Ids of flow nodes.

use crate::flow::bounds::NODE_ID_BYTES_MAX;
use crate::flow::run::RUNNER;

/// Returns the problem with the id of a node, if there is one. An id is part of a namespace, so it contains no dot and
/// no star; `/` joins the ids of nested nodes. The name of the runner is reserved, because access to the runner's notes
/// is limited to that name.
pub(crate) fn id_problem(id: &str) -> Option<String> {
    if id == RUNNER {
        return Some(format!(
            "`{id}` is the name of the runner in the backpack; choose another id"
        ));
    }
    let fits = !id.is_empty() && id.len() <= NODE_ID_BYTES_MAX;
    let plain = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
    (!fits || !id.chars().all(plain)).then(|| {
        format!(
            "`{}` is no id: 1 to {NODE_ID_BYTES_MAX} bytes of letters, digits, `_` and `-`",
            piton_core::truncate(id, 80)
        )
    })
}

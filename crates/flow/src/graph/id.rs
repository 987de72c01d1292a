//! Ids of flow nodes.

use crate::bounds::NODE_ID_BYTES_MAX;
use crate::run::RUNNER;

/// What is wrong with the id of a node, if anything. An id is part of a namespace, so it holds no dot and no star;
/// `/` joins the ids of nodes inside each other. The runner's name is its own: what it notes is limited to that name.
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

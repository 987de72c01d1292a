//! What is said about errors of flows.

use super::Facts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const INVALID: Facts = Facts {
    domain: Domain::Flow,
    meaning: "The description of the flow has problems, so nothing was run.",
    advice: "Correct every problem that the message lists, and look again with `piton flow check`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CONTRACT_BROKEN: Facts = Facts {
    domain: Domain::Flow,
    meaning: "A value that a flow node needs or hands on is missing or not of the declared shape; the state is kept.",
    advice: "Look who packed the value with `piton backpack blame`, correct that node or the declared shape, then go on with `piton flow resume`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NODE_FAILED: Facts = Facts {
    domain: Domain::Flow,
    meaning: "A flow node failed or panicked; the run is marked as failed and its state is kept.",
    advice: "Mend what the message names, then go on with `piton flow resume`: it begins with the node that failed.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const STEP_LIMIT: Facts = Facts {
    domain: Domain::Flow,
    meaning: "The flow took as many steps as its limit allows, most likely in a loop; the state is kept.",
    advice: "Look for a loop whose condition never changes with `piton backpack log`, or raise --steps-max and go on with `piton flow resume`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CANCELLED: Facts = Facts {
    domain: Domain::Flow,
    meaning: "The flow was cancelled between two nodes or during one; the state is kept.",
    advice: "Go on with `piton flow resume`; what the cancelled node did is not kept, so it runs again.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_RESUMABLE: Facts = Facts {
    domain: Domain::Flow,
    meaning: "The backpack holds no unfinished run of this flow, or one of another version of it.",
    advice: "Start a new run with `piton flow run`, or run this one again from a node that it reached: `piton flow replay RUN --from NODE`.",
    retry: Retry::NotRetryable,
};

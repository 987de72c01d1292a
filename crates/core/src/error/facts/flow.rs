//! Facts about errors of flows.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const INVALID: CodeFacts = CodeFacts {
    domain: Domain::Flow,
    meaning: "The description of the flow has problems, so nothing was run.",
    advice: "Correct every problem that the message lists, and check the file with `piton flow check FILE`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CONTRACT_BROKEN: CodeFacts = CodeFacts {
    domain: Domain::Flow,
    meaning: "A value that a flow node needs or hands on is missing or not of the declared shape; the state is kept.",
    advice: "See who packed the value with `piton backpack blame BACKPACK`. Correct that node or the declared shape in a copy of the flow, and run that from the first node that changed: `piton flow replay BACKPACK --from NODE --flow FILE`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NODE_FAILED: CodeFacts = CodeFacts {
    domain: Domain::Flow,
    meaning: "A flow node failed or panicked; the run is marked as failed and its state is kept.",
    advice: "Fix what the message names, then continue with `piton flow resume BACKPACK`: it begins with the node that failed. If the flow itself is wrong, correct a copy of it and run that instead: `piton flow replay BACKPACK --from NODE --flow FILE`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const STEP_LIMIT: CodeFacts = CodeFacts {
    domain: Domain::Flow,
    meaning: "The flow took as many steps as its limit allows, most likely in a loop; the state is kept.",
    advice: "Look for a loop whose condition never changes with `piton backpack log BACKPACK`, or continue with more steps: `piton flow resume BACKPACK --steps-max COUNT`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CANCELLED: CodeFacts = CodeFacts {
    domain: Domain::Flow,
    meaning: "The flow was cancelled between two nodes or during one; the state is kept.",
    advice: "Continue with `piton flow resume BACKPACK`. What the cancelled node did is not kept, so it runs again.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_RESUMABLE: CodeFacts = CodeFacts {
    domain: Domain::Flow,
    meaning: "The backpack holds no unfinished run of this flow, or one of another version of it.",
    advice: "Start a new run with `piton flow run FILE`, or run this one again from a node that it reached: `piton flow replay BACKPACK --from NODE`.",
    retry: Retry::NotRetryable,
};

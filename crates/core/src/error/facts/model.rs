//! Facts about errors of language models and their providers.

use super::CodeFacts;
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const NOT_CONFIGURED: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "No provider of models, or no model of it, is configured for this call; nothing was sent.",
    advice: "Configure a provider with its model under `[models]` in the configuration file, and name there where its key lies.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const AUTH_FAILED: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider of the model refused the key; no answer was given.",
    advice: "Check that the key which the provider's settings refer to is the right one and may use this model.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const RATE_LIMITED: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider of the model takes no more calls for now; no answer was given.",
    advice: "Wait as long as the retry rule says, then repeat the call; if this persists, raise the quota at the provider.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider does not know this model, or its address is wrong.",
    advice: "Check the name of the model and the base URL of its provider.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const TIMEOUT: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The model did not answer within the time that its provider's settings allow.",
    advice: "Repeat the call; if this persists, ask for less or raise the time in the provider's settings.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const BAD_ANSWER: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider sent something that is no answer of a model, an answer that does not end as a complete one does, or one that is too long.",
    advice: "Repeat the call; if this persists, check that the settings name the wire format which the provider speaks.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const ANSWER_TRUNCATED: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The model reached its limit of tokens before its answer was complete; the part that came is not used.",
    advice: "Allow more: in a flow, set `\"options\": { \"maxTokens\": 16000 }` in the `params` of the node; for context, `--answer-tokens 16000` when it is generated. Or ask for a shorter answer; a model that thinks first counts its thoughts.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const DECLINED: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The model declined to answer, or its provider withheld what the model wrote.",
    advice: "Read what the model says in the message, and change what it is asked, or ask another model.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNREACHABLE: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider of the model could not be reached, or the connection ended before the answer did.",
    advice: "Check the base URL and the network, then repeat the call.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const REFUSED: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider refused the request as it stands, for instance because it is too long.",
    advice: "Read what the provider says in the message and change the request accordingly.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNAVAILABLE: CodeFacts = CodeFacts {
    domain: Domain::Model,
    meaning: "The provider of the model failed on its own or is overloaded; no answer was given.",
    advice: "Repeat the call; if this persists, look at the status page of the provider, or name another one.",
    retry: Retry::RetryableImmediate,
};

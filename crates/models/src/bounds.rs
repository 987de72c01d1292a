//! All limits of this crate, in one place.

/// Maximum size of a provider's name in bytes. People write a word or two.
pub const PROVIDER_NAME_BYTES_MAX: usize = 64;

/// Maximum size of a model's name in bytes. The longest in use, with vendor and digest, have about 100.
pub const MODEL_NAME_BYTES_MAX: usize = 256;

/// Maximum size of a base URL in bytes: gateways put a tenant and a region into it, not more.
pub const BASE_URL_BYTES_MAX: usize = 2048;

/// Maximum number of configured providers. A person has a handful; a list this long is a mistake.
pub const PROVIDERS_MAX: usize = 64;

/// Maximum size of a key in bytes. Signed tokens of clouds have up to about 4 KiB; a longer file is not a key.
pub const KEY_BYTES_MAX: usize = 8192;

/// Maximum number of messages in one request. An agent that needs more should summarize; providers stop well before.
pub const MESSAGES_MAX: usize = 4096;

/// Maximum size of the text in one request in bytes: about four million tokens, above every model's window.
pub const REQUEST_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum number of tools in one request. Providers accept 128; models get worse long before.
pub const TOOLS_MAX: usize = 128;

/// Maximum size of a tool's name in bytes, which every provider accepts.
pub const TOOL_NAME_BYTES_MAX: usize = 64;

/// Maximum number of texts that stop an answer. Providers accept between 4 and 16.
pub const STOP_MAX: usize = 16;

/// Maximum size of an answer in bytes, text and tool calls together: above the largest output limits of models, so that
/// only a runaway provider reaches it.
pub const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum size in bytes of the response for a whole answer: names, counts and escapes come with the text.
pub const RESPONSE_BYTES_MAX: usize = 4 * ANSWER_BYTES_MAX;

/// Maximum size of a whole stream in bytes: a piece of a few letters comes in an envelope of some hundred bytes.
pub const STREAM_BYTES_MAX: usize = 64 * ANSWER_BYTES_MAX;

/// Maximum number of bytes that are read of an error body: more than any provider has to say.
pub const FAILURE_BYTES_MAX: usize = 64 * 1024;

/// Maximum number of tool calls in one answer. Models make a few at once; more is a loop inside the model.
pub const TOOL_CALLS_MAX: usize = 64;

/// Default limit of tokens for an answer. Some providers require a number, and small models refuse a large one.
pub const ANSWER_TOKENS_DEFAULT: u32 = 4096;

/// Default time that a provider may take for a whole answer, or for each piece of a stream. Large models think for a
/// minute or two.
pub const TIMEOUT_MS_DEFAULT: u64 = 120_000;

/// Maximum timeout that settings may allow: an hour without a byte is a lost connection.
pub const TIMEOUT_MS_MAX: u64 = 3_600_000;

/// Time that connecting to a provider may take.
pub const CONNECT_TIMEOUT_MS: u64 = 10_000;

/// Maximum number of bytes of a provider's error message that are passed on: a sentence or two.
pub const PROVIDER_WORDS_BYTES_MAX: usize = 400;

/// Default number of attempts at a call.
pub const ATTEMPTS_DEFAULT: u32 = 3;

/// Wait before the first repetition of a call. Each further wait is twice as long.
pub const BACKOFF_FIRST_MS: u64 = 500;

/// Maximum wait before a call is repeated. If a provider asks for more, the caller gets the error and decides, rather
/// than a program that seems to hang.
pub const BACKOFF_MAX_MS: u64 = 30_000;

/// Maximum number of rules of a rehearsal: people write them by hand.
pub const RULES_MAX: usize = 256;

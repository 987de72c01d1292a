//! Every limit of this crate, in one place.

/// The longest name of a provider in bytes. People write a word or two.
pub const PROVIDER_NAME_BYTES_MAX: usize = 64;

/// The longest name of a model in bytes. The longest in use, with vendor and digest, have about 100.
pub const MODEL_NAME_BYTES_MAX: usize = 256;

/// The longest base URL in bytes: gateways put a tenant and a region into it, not more.
pub const BASE_URL_BYTES_MAX: usize = 2048;

/// How many providers may be configured at once. A person has a handful; a list this long is a mistake.
pub const PROVIDERS_MAX: usize = 64;

/// The longest key in bytes. Signed tokens of clouds have up to about 4 KiB; a longer file is not a key.
pub const KEY_BYTES_MAX: usize = 8192;

/// The most messages in one request. An agent that needs more should sum up; providers stop well before.
pub const MESSAGES_MAX: usize = 4096;

/// The most text in one request, in bytes: about four million tokens, above every model's window.
pub const REQUEST_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The most tools in one request. Providers take 128; models get worse long before.
pub const TOOLS_MAX: usize = 128;

/// The longest name of a tool in bytes: what every provider takes.
pub const TOOL_NAME_BYTES_MAX: usize = 64;

/// The most texts that stop an answer. Providers take between 4 and 16.
pub const STOP_MAX: usize = 16;

/// The longest answer in bytes, text and tool calls together: above what the largest output limits of models
/// allow, so that only a provider that runs wild meets it.
pub const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The largest response that is read for a whole answer: names, counts and escapes come with the words.
pub const RESPONSE_BYTES_MAX: usize = 4 * ANSWER_BYTES_MAX;

/// The most bytes of a whole stream: a piece of a few letters comes in an envelope of some hundred bytes.
pub const STREAM_BYTES_MAX: usize = 64 * ANSWER_BYTES_MAX;

/// How much of the body of a failure is read: more than any provider has to say about one.
pub const FAILURE_BYTES_MAX: usize = 64 * 1024;

/// The most tool calls in one answer. Models make a few at once; more is a loop inside the model.
pub const TOOL_CALLS_MAX: usize = 64;

/// How many tokens an answer may have when the caller does not say. Some providers need a number, and
/// small models refuse a large one.
pub const ANSWER_TOKENS_DEFAULT: u32 = 4096;

/// How long a provider may take, unless its settings say otherwise: for a whole answer, and for each piece of
/// a stream. Large models think for a minute or two.
pub const TIMEOUT_MS_DEFAULT: u64 = 120_000;

/// The longest time that settings may allow: an hour without a byte is a lost connection.
pub const TIMEOUT_MS_MAX: u64 = 3_600_000;

/// How long it may take to reach a provider at all.
pub const CONNECT_TIMEOUT_MS: u64 = 10_000;

/// How many bytes of what a provider says about a failure are passed on: a sentence or two.
pub const PROVIDER_WORDS_BYTES_MAX: usize = 400;

/// How often a call is tried in all, unless told otherwise.
pub const ATTEMPTS_DEFAULT: u32 = 3;

/// The first wait before a call is repeated; each further one is twice as long.
pub const BACKOFF_FIRST_MS: u64 = 500;

/// The longest wait before a call is repeated. A provider that asks for more gets it from the caller, who is
/// told, rather than from a program that seems to hang.
pub const BACKOFF_MAX_MS: u64 = 30_000;

/// The most rules of a rehearsal: somebody writes them by hand.
pub const RULES_MAX: usize = 256;

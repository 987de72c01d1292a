//! Explanations of error codes.

use piton_core::{Code, Domain, Envelope, Retry, nearest, truncate};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bounds::PATH_QUOTED_BYTES_MAX;

/// What is known about an error code.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// The code.
    pub code: Code,
    /// Where the failure comes from.
    pub domain: Domain,
    /// What happened.
    pub meaning: String,
    /// What to do next.
    pub advice: String,
    /// Whether trying again can help.
    pub retry: Retry,
    /// What a caller reads where nothing more is known.
    pub example: Envelope,
    /// The page about it, in Markdown.
    pub page: String,
}

impl From<Code> for Explained {
    fn from(code: Code) -> Self {
        Self {
            code,
            domain: code.domain(),
            meaning: code.meaning().to_owned(),
            advice: code.advice().to_owned(),
            retry: code.retry(),
            example: code.example(),
            page: code.page(),
        }
    }
}

/// Explains an error code. The code may be written in lower case and with `-`.
pub fn explain(text: &str) -> Result<Explained, Envelope> {
    let written = text.trim().to_uppercase().replace('-', "_");
    if let Ok(code) = written.parse::<Code>() {
        return Ok(code.into());
    }
    let shown = truncate(text.trim(), PATH_QUOTED_BYTES_MAX);
    let message = format!("There is no error code `{shown}`.");
    let suggestion = match nearest(&written, Code::NAMES.iter().copied()).as_slice() {
        [] => "`piton explain` lists every code.".to_owned(),
        close => format!("Did you mean {}? `piton explain` lists every code.", close.join(" or ")),
    };
    Err(Envelope::new(Code::ValidationError, message).with_suggestion(suggestion))
}

#[cfg(test)]
mod tests {
    use piton_core::Code;

    use super::explain;

    #[test]
    fn a_code_is_found_however_it_is_typed_and_a_misspelt_one_is_guessed() {
        for text in ["SESSION_LOCKED", "session_locked", " Session-Locked "] {
            assert_eq!(explain(text).unwrap().code, Code::SessionLocked, "{text}");
        }
        for (text, guess) in [("SESION_LOCKED", "SESSION_LOCKED"), ("quota", "WORKSPACE_QUOTA")] {
            let refused = explain(text).unwrap_err();
            assert!(refused.suggestion.contains(guess), "{text}: {}", refused.suggestion);
        }
        let unknown = explain("xyzzy").unwrap_err();
        assert_eq!(unknown.suggestion, "`piton explain` lists every code.");
    }
}

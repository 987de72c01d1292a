//! Mints and verifies tokens with a key ring.
//!
//! *Invariants*: only the bytes of the payload are signed; the short form holds the beginning of that same
//! signature. Keys and comparisons stay inside the port. A text that cannot be a token is refused before the
//! key ring is consulted.

use piton_core::CanonicalBytes;
use piton_store::port::{KeyAge, KeyRing, Signature};

use super::error::{Error, TokenError};
use super::payload::Payload;
use super::short::{SessionTail, ShortToken, TokenOrdinals};
use super::string::TokenString;

/// Mints both forms of a token for each of `payloads`, in order. Each token has one signature, and the same
/// key makes all of them.
///
/// The short form is missing if the session has too many nodes, or the node too many attempts, to be counted
/// in so few characters. Use the long form then.
pub async fn mint_forms(
    payloads: &[(Payload, TokenOrdinals)],
    keys: &dyn KeyRing,
) -> Result<Vec<(TokenString, Option<ShortToken>)>, Error> {
    let encoded: Vec<_> = payloads.iter().map(|(payload, _)| payload.encode()).collect();
    let messages: Vec<_> = encoded.iter().map(CanonicalBytes::as_bytes).collect();
    // One call signs everything, so a key rotation in between cannot split the tokens of one reply over two
    // keys.
    let signatures = keys.sign_all(&messages).await?;
    let mut forms = Vec::with_capacity(payloads.len());
    for (((payload, place), bytes), Signature(mac)) in payloads.iter().zip(messages).zip(signatures)
    {
        // Both forms share the signature: the short form carries only its first bytes.
        let short = ShortToken::new(payload.kind(), payload.address().session, *place, &mac);
        forms.push((TokenString::assemble(payload.kind(), bytes, mac), short));
    }
    Ok(forms)
}

/// Returns the payload of `token` if the current or the previous key signed it.
pub async fn verify(token: &TokenString, keys: &dyn KeyRing) -> Result<Payload, Error> {
    let bytes = token.payload_bytes();
    // Decoding comes first: it needs no key, and a payload in any but its canonical form never reaches one.
    let payload = Payload::decode(token.kind(), &bytes)?;
    match keys.verify(&bytes, &token.signature_bytes()).await? {
        // The previous key still counts, so that tokens survive one key rotation.
        Some(KeyAge::Current | KeyAge::Previous) => Ok(payload),
        None => Err(TokenError::BadSignature.into()),
    }
}

/// Returns the one of `candidates` that the short token refers to.
///
/// The candidates are the payloads that the caller found at the token's position, in every session with an id
/// that ends as the token says. A candidate that the current key signed wins over one of the previous key.
/// Without any candidate of the token's kind and session the node is unknown.
pub async fn verify_short(
    token: &ShortToken,
    candidates: &[Payload],
    keys: &dyn KeyRing,
) -> Result<Payload, Error> {
    // Until a candidate matches the readable part of the token, there is nothing that a signature could be
    // about.
    let mut refusal = TokenError::UnknownNode;
    let mut of_previous_key = None;
    for candidate in candidates {
        let session = SessionTail::of(candidate.address().session);
        // Kind and tail are readable in the token, so a mismatch is found without a key.
        if candidate.kind() != token.kind() || session != token.session() {
            continue;
        }
        // From here on something is at the token's position, so a refusal can only mean that the signature is
        // wrong.
        refusal = TokenError::BadSignature;
        match keys.verify(candidate.encode().as_bytes(), token.mac()).await? {
            Some(KeyAge::Current) => return Ok(*candidate),
            // Keep the first match of the previous key, but continue: a later candidate may match the current
            // one.
            Some(KeyAge::Previous) => {
                of_previous_key.get_or_insert(*candidate);
            }
            None => {}
        }
    }
    of_previous_key.ok_or_else(|| refusal.into())
}

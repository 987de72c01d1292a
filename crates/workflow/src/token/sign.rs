//! Minting and verifying tokens with a key ring.
//!
//! *Invariants*: what is signed is the payload's bytes and nothing around them; the short form holds the
//! beginning of that same signature. Keys and comparisons stay inside the port. A text that cannot be a
//! token is refused before the key ring is asked.

use piton_core::CanonicalBytes;
use piton_store::port::{KeyAge, KeyRing, Signature};

use super::error::{Error, TokenError};
use super::payload::Payload;
use super::short::{SessionTail, ShortToken, TokenOrdinals};
use super::string::TokenString;

/// Both forms of the tokens that say `payloads`, in their order, each with one signature of one key for all.
///
/// There is no short form if the session has too many nodes, or the node too many attempts, to count in so few
/// characters; then the long form is to be used.
pub async fn mint_forms(
    payloads: &[(Payload, TokenOrdinals)],
    keys: &dyn KeyRing,
) -> Result<Vec<(TokenString, Option<ShortToken>)>, Error> {
    let encoded: Vec<_> = payloads.iter().map(|(payload, _)| payload.encode()).collect();
    let messages: Vec<_> = encoded.iter().map(CanonicalBytes::as_bytes).collect();
    let signatures = keys.sign_all(&messages).await?;
    let mut forms = Vec::with_capacity(payloads.len());
    for (((payload, place), bytes), Signature(mac)) in payloads.iter().zip(messages).zip(signatures)
    {
        let short = ShortToken::new(payload.kind(), payload.address().session, *place, &mac);
        forms.push((TokenString::assemble(payload.kind(), bytes, mac), short));
    }
    Ok(forms)
}

/// What `token` says, if the current or the previous key signed it.
pub async fn verify(token: &TokenString, keys: &dyn KeyRing) -> Result<Payload, Error> {
    let bytes = token.payload_bytes();
    let payload = Payload::decode(token.kind(), &bytes)?;
    match keys.verify(&bytes, &token.signature_bytes()).await? {
        Some(KeyAge::Current | KeyAge::Previous) => Ok(payload),
        None => Err(TokenError::BadSignature.into()),
    }
}

/// Which of `candidates` the short token means.
///
/// Candidates are what the caller found at the token's place in every session whose id ends as the token
/// says. One whose signature the current key made comes before one of the previous key; without any
/// candidate of the token's kind and session the node is unknown.
pub async fn verify_short(
    token: &ShortToken,
    candidates: &[Payload],
    keys: &dyn KeyRing,
) -> Result<Payload, Error> {
    let mut refusal = TokenError::UnknownNode;
    let mut of_previous_key = None;
    for candidate in candidates {
        let session = SessionTail::of(candidate.address().session);
        if candidate.kind() != token.kind() || session != token.session() {
            continue;
        }
        refusal = TokenError::BadSignature;
        match keys.verify(candidate.encode().as_bytes(), token.mac()).await? {
            Some(KeyAge::Current) => return Ok(*candidate),
            Some(KeyAge::Previous) => {
                of_previous_key.get_or_insert(*candidate);
            }
            None => {}
        }
    }
    of_previous_key.ok_or_else(|| refusal.into())
}

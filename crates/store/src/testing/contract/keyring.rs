//! The promise of [`KeyRing`].

use crate::port::{KeyAge, KeyRing, Signature};

/// Checks every sentence of the promise. `make` returns a key ring without keys.
pub async fn suite<K: KeyRing>(make: impl Fn() -> K) {
    a_ring_without_keys_made_no_signature(&make()).await;
    the_same_message_has_the_same_signature_until_a_rotation(&make()).await;
    messages_that_are_signed_together_are_signed_alike(&make()).await;
    only_what_was_signed_is_verified(&make()).await;
    a_leading_part_of_a_signature_is_enough_from_ten_bytes_on(&make()).await;
    a_signature_is_good_until_the_second_rotation_after_it(&make()).await;
    a_rotation_makes_a_ring_if_there_is_none(&make()).await;
    two_rings_do_not_share_keys(&make(), &make()).await;
}

async fn sign(ring: &impl KeyRing, message: &[u8]) -> Signature {
    ring.sign(message).await.expect("the ring signs")
}

async fn verify(ring: &impl KeyRing, message: &[u8], signature: &[u8]) -> Option<KeyAge> {
    ring.verify(message, signature).await.expect("the ring can be asked")
}

async fn a_ring_without_keys_made_no_signature(ring: &impl KeyRing) {
    assert_eq!(verify(ring, b"message", &[0; 32]).await, None);
}

async fn the_same_message_has_the_same_signature_until_a_rotation(ring: &impl KeyRing) {
    let first = sign(ring, b"message").await;
    assert_eq!(sign(ring, b"message").await, first);
    ring.rotate().await.expect("a rotation");
    assert_ne!(sign(ring, b"message").await, first);
}

async fn messages_that_are_signed_together_are_signed_alike(ring: &impl KeyRing) {
    let together = ring.sign_all(&[b"one", b"two", b"one"]).await.expect("the ring signs");
    let (one, two) = (sign(ring, b"one").await, sign(ring, b"two").await);
    assert_eq!(together, [one, two, one]);
    assert_eq!(ring.sign_all(&[]).await.expect("there is nothing to sign"), []);
}

async fn only_what_was_signed_is_verified(ring: &impl KeyRing) {
    for message in [b"".as_slice(), b"message", &[0; 10_000]] {
        let signature = sign(ring, message).await.0;
        assert_eq!(verify(ring, message, &signature).await, Some(KeyAge::Current));
        let longer = [message, b"!"].concat();
        assert_eq!(verify(ring, &longer, &signature).await, None);
        for place in 0..signature.len() {
            let mut altered = signature;
            altered[place] ^= 1;
            assert_eq!(verify(ring, message, &altered).await, None, "byte {place}");
        }
    }
}

async fn a_leading_part_of_a_signature_is_enough_from_ten_bytes_on(ring: &impl KeyRing) {
    let signature = sign(ring, b"message").await.0;
    for length in 0..=signature.len() {
        let expected = (length >= 10).then_some(KeyAge::Current);
        let found = verify(ring, b"message", &signature[..length]).await;
        assert_eq!(found, expected, "{length} bytes");
    }
    let found = verify(ring, b"message", &signature[1..]).await;
    assert_eq!(found, None, "a trailing part is not a leading one");
    let longer = [signature.as_slice(), &[0]].concat();
    assert_eq!(verify(ring, b"message", &longer).await, None);
}

async fn a_signature_is_good_until_the_second_rotation_after_it(ring: &impl KeyRing) {
    let first = sign(ring, b"message").await.0;
    assert_eq!(verify(ring, b"message", &first).await, Some(KeyAge::Current));
    ring.rotate().await.expect("a rotation");
    let second = sign(ring, b"message").await.0;
    assert_eq!(verify(ring, b"message", &first).await, Some(KeyAge::Previous));
    assert_eq!(verify(ring, b"message", &first[..10]).await, Some(KeyAge::Previous));
    assert_eq!(verify(ring, b"message", &second).await, Some(KeyAge::Current));
    ring.rotate().await.expect("a rotation");
    assert_eq!(verify(ring, b"message", &first).await, None);
    assert_eq!(verify(ring, b"message", &second).await, Some(KeyAge::Previous));
}

async fn a_rotation_makes_a_ring_if_there_is_none(ring: &impl KeyRing) {
    ring.rotate().await.expect("a rotation");
    let signature = sign(ring, b"message").await.0;
    assert_eq!(verify(ring, b"message", &signature).await, Some(KeyAge::Current));
}

async fn two_rings_do_not_share_keys(one: &impl KeyRing, other: &impl KeyRing) {
    let signature = sign(one, b"message").await.0;
    sign(other, b"message").await;
    assert_eq!(verify(other, b"message", &signature).await, None);
}

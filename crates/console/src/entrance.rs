//! Who may enter: the keys of links, and the browsers that entered with one.
//!
//! A link carries a key that works once. The browser that brings it gets two halves: a cookie, and a secret that its
//! page sends as a header. Cookies do not know ports, so another server on this machine is sent the cookie too; it does
//! not have the secret.
//!
//! *Invariants*: everything is one entry of a table, replaced as a whole: no two browsers enter with one key, and there
//! are never more than [`BROWSERS_MAX`]. Only digests are kept. What has expired lets nobody in, and goes with the next
//! change.

use std::sync::Arc;
use std::time::Duration;

use piton_core::port::{Clock, Entropy, TimestampMs};
use piton_core::{Code, Digest, Envelope, shorten, visible};
use piton_runtime::{Expect, Key, StoreError, Table, TableWrite};
use serde::{Deserialize, Serialize};

use crate::bounds::{
    BROWSER_LIFE, BROWSERS_MAX, ENTRANCE_ATTEMPTS_MAX, KEY_LIFE, KEYS_MAX, PERSON_BYTES_MAX,
};
use crate::secret::Secret;

/// Key of the entry.
const ENTRY: &[u8] = b"entrance";

/// The keys and browsers of a data directory.
pub struct Entrance {
    table: Arc<dyn Table>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

/// A browser that just entered, with both halves of its sign-in.
#[derive(Clone, Debug)]
pub struct Entered {
    pub cookie: Secret,
    pub secret: Secret,
    pub person: Person,
}

/// The name of the person behind a browser, which their decisions are recorded with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person(String);

impl Person {
    /// Creates a name from what somebody typed: one visible line without parentheses, truncated if it is too long. A
    /// decision is recorded with the name in parentheses.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.replace(['(', ')'], " ");
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = shorten(&visible(&line), PERSON_BYTES_MAX).into_owned();
        (!name.is_empty()).then_some(Self(name))
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The entry of the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SignIns {
    keys: Vec<IssuedKey>,
    browsers: Vec<Browser>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct IssuedKey {
    digest: Digest,
    issued_at: TimestampMs,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Browser {
    cookie: Digest,
    secret: Digest,
    person: Person,
    entered_at: TimestampMs,
}

impl SignIns {
    /// Removes what has expired.
    fn expire(&mut self, now: TimestampMs) {
        self.keys.retain(|key| is_fresh(key.issued_at, KEY_LIFE, now));
        self.browsers.retain(|browser| is_fresh(browser.entered_at, BROWSER_LIFE, now));
    }

    fn issue(&mut self, key: &Secret, now: TimestampMs) {
        self.expire(now);
        // The oldest makes room: somebody who asks for links without opening them wants the newest.
        let surplus = (self.keys.len() + 1).saturating_sub(KEYS_MAX);
        self.keys.drain(..surplus);
        self.keys.push(IssuedKey { digest: key.digest(), issued_at: now });
    }

    /// Exchanges a key for a browser; false if there is no such key.
    fn enter(&mut self, key: &Secret, browser: Browser, now: TimestampMs) -> bool {
        self.expire(now);
        let issued = self.keys.len();
        self.keys.retain(|held| !key.is(&held.digest));
        if self.keys.len() == issued {
            return false;
        }
        let surplus = (self.browsers.len() + 1).saturating_sub(BROWSERS_MAX);
        self.browsers.drain(..surplus);
        self.browsers.push(browser);
        true
    }

    fn find(&self, cookie: &Secret, secret: &Secret, now: TimestampMs) -> Option<&Browser> {
        let is_meant = |browser: &&Browser| {
            // No short circuit: the time says nothing about which half was wrong.
            cookie.is(&browser.cookie) & secret.is(&browser.secret)
        };
        let found = self.browsers.iter().find(is_meant);
        found.filter(|browser| is_fresh(browser.entered_at, BROWSER_LIFE, now))
    }
}

/// True if something from `since` still lives. A time in the future is a clock that was put back, and counts as over.
fn is_fresh(since: TimestampMs, life: Duration, now: TimestampMs) -> bool {
    let age = now.get().checked_sub(since.get());
    age.is_some_and(|age| u128::from(age) < life.as_millis())
}

impl Entrance {
    /// Creates the entrance over a table of its own.
    pub fn new(table: Arc<dyn Table>, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { table, clock, entropy }
    }

    /// Issues a key for one link.
    pub async fn issue_key(&self) -> Result<Secret, Envelope> {
        let (key, now) = (Secret::mint(&*self.entropy), self.clock.now_ms());
        self.change(|sign_ins| {
            sign_ins.issue(&key, now);
            Ok(())
        })
        .await?;
        Ok(key)
    }

    /// Exchanges the key of a link for the two halves of a sign-in.
    pub async fn enter(&self, key: &str, person: Person) -> Result<Entered, Envelope> {
        let key = Secret::read(key).ok_or_else(link_invalid)?;
        let (cookie, secret) = (Secret::mint(&*self.entropy), Secret::mint(&*self.entropy));
        let now = self.clock.now_ms();
        let browser = Browser {
            cookie: cookie.digest(),
            secret: secret.digest(),
            person: person.clone(),
            entered_at: now,
        };
        self.change(|sign_ins| {
            let is_in = sign_ins.enter(&key, browser.clone(), now);
            is_in.then_some(()).ok_or_else(link_invalid)
        })
        .await?;
        Ok(Entered { cookie, secret, person })
    }

    /// Returns the person behind a browser that brings both halves of a sign-in.
    pub async fn person(
        &self,
        cookie: &Secret,
        secret: &Secret,
    ) -> Result<Option<Person>, Envelope> {
        let (sign_ins, _) = self.read().await?;
        let found = sign_ins.find(cookie, secret, self.clock.now_ms());
        Ok(found.map(|browser| browser.person.clone()))
    }

    /// Signs one browser out.
    pub async fn leave(&self, cookie: &Secret) -> Result<(), Envelope> {
        self.change(|sign_ins| {
            sign_ins.browsers.retain(|browser| !cookie.is(&browser.cookie));
            Ok(())
        })
        .await
    }

    /// Signs every browser out and makes every link useless. Returns the number of browsers.
    pub async fn sign_out_all(&self) -> Result<usize, Envelope> {
        let now = self.clock.now_ms();
        let mut count = 0;
        self.change(|sign_ins| {
            sign_ins.expire(now);
            count = sign_ins.browsers.len();
            *sign_ins = SignIns::default();
            Ok(())
        })
        .await?;
        Ok(count)
    }

    async fn read(&self) -> Result<(SignIns, Expect), Envelope> {
        let entry = self.table.get(ENTRY).await?;
        let expect = Expect::from(entry.as_ref().map(|entry| entry.version));
        // An entry of another form was written by another version. Nobody is signed in, and the next change replaces it.
        let read = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
        Ok((read.unwrap_or_default(), expect))
    }

    /// Replaces the entry by what `change` makes of it. Repeated if another process did so meanwhile.
    async fn change(
        &self,
        mut change: impl FnMut(&mut SignIns) -> Result<(), Envelope>,
    ) -> Result<(), Envelope> {
        for _ in 0..ENTRANCE_ATTEMPTS_MAX {
            let (mut sign_ins, expect) = self.read().await?;
            change(&mut sign_ins)?;
            let value = serde_json::to_vec(&sign_ins).expect("it is made of texts and numbers");
            let write = TableWrite::put(Key::from(ENTRY), expect, value);
            match self.table.commit(vec![write]).await {
                Err(StoreError::Conflict { .. }) => {}
                done => return done.map(drop).map_err(Envelope::from),
            }
        }
        Err(Envelope::new(Code::StoreConflict, "Other processes keep changing who is signed in."))
    }
}

fn link_invalid() -> Envelope {
    Envelope::new(
        Code::ConsoleLinkInvalid,
        "This link was used already, has expired, or was not made for this console.",
    )
}

#[cfg(test)]
mod tests {
    use piton_core::port::fixed::{ManualClock, SeededEntropy};
    use piton_store::memory::MemoryTable;

    use super::*;

    struct Rig {
        entrance: Entrance,
        clock: Arc<ManualClock>,
        table: Arc<MemoryTable>,
    }

    fn rig() -> Rig {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_000_000)));
        let table = Arc::new(MemoryTable::new());
        let entropy = Arc::new(SeededEntropy::new(1));
        Rig { entrance: Entrance::new(table.clone(), clock.clone(), entropy), clock, table }
    }

    impl Rig {
        async fn enter(&self, name: &str) -> Entered {
            let key = self.entrance.issue_key().await.unwrap();
            self.entrance.enter(key.reveal(), Person::new(name).unwrap()).await.unwrap()
        }

        async fn knows(&self, entered: &Entered) -> bool {
            let found = self.entrance.person(&entered.cookie, &entered.secret).await.unwrap();
            found.is_some_and(|person| person == entered.person)
        }
    }

    #[tokio::test]
    async fn a_key_lets_one_browser_in_once() {
        let rig = rig();
        let key = rig.entrance.issue_key().await.unwrap();
        let ana = Person::new("Ana").unwrap();
        let entered = rig.entrance.enter(key.reveal(), ana.clone()).await.unwrap();
        assert!(rig.knows(&entered).await);
        let again = rig.entrance.enter(key.reveal(), ana).await.unwrap_err();
        assert_eq!(again.code, Code::ConsoleLinkInvalid);
    }

    #[tokio::test]
    async fn both_halves_are_needed() {
        let rig = rig();
        let (one, other) = (rig.enter("Ana").await, rig.enter("Ben").await);
        let mixed = rig.entrance.person(&one.cookie, &other.secret).await.unwrap();
        assert_eq!(mixed, None);
        let swapped = rig.entrance.person(&one.secret, &one.cookie).await.unwrap();
        assert_eq!(swapped, None);
    }

    #[tokio::test]
    async fn a_key_expires_after_ten_minutes_and_a_browser_after_twelve_hours() {
        let rig = rig();
        let ana = || Person::new("Ana").unwrap();
        let key = rig.entrance.issue_key().await.unwrap();
        rig.clock.advance(KEY_LIFE);
        let late = rig.entrance.enter(key.reveal(), ana()).await.unwrap_err();
        assert_eq!(late.code, Code::ConsoleLinkInvalid);
        let key = rig.entrance.issue_key().await.unwrap();
        rig.clock.advance(KEY_LIFE.saturating_sub(Duration::from_millis(1)));
        let entered = rig.entrance.enter(key.reveal(), ana()).await.unwrap();
        rig.clock.advance(BROWSER_LIFE.saturating_sub(Duration::from_millis(1)));
        assert!(rig.knows(&entered).await);
        rig.clock.advance(Duration::from_millis(1));
        assert!(!rig.knows(&entered).await);
    }

    #[tokio::test]
    async fn the_browser_that_entered_first_makes_room_for_the_thirty_third() {
        let rig = rig();
        let mut entered = Vec::new();
        for number in 0..=BROWSERS_MAX {
            entered.push(rig.enter(&format!("person {number}")).await);
        }
        assert!(!rig.knows(&entered[0]).await);
        for browser in &entered[1..] {
            assert!(rig.knows(browser).await, "{:?}", browser.person);
        }
    }

    #[tokio::test]
    async fn signing_out_ends_every_browser_and_every_link() {
        let rig = rig();
        let (one, other) = (rig.enter("Ana").await, rig.enter("Ben").await);
        let key = rig.entrance.issue_key().await.unwrap();
        rig.entrance.leave(&one.cookie).await.unwrap();
        assert!(!rig.knows(&one).await && rig.knows(&other).await);
        assert_eq!(rig.entrance.sign_out_all().await.unwrap(), 1);
        assert!(!rig.knows(&other).await);
        let late = rig.entrance.enter(key.reveal(), Person::new("Ana").unwrap()).await;
        assert!(late.is_err());
    }

    #[tokio::test]
    async fn only_digests_are_kept() {
        let rig = rig();
        let key = rig.entrance.issue_key().await.unwrap();
        let entered = rig.enter("Ana").await;
        let stored = rig.table.get(ENTRY).await.unwrap().unwrap();
        let stored = String::from_utf8(stored.value).unwrap();
        for secret in [&key, &entered.cookie, &entered.secret] {
            assert!(!stored.contains(secret.reveal()));
            assert!(stored.contains(&secret.digest().to_string()));
        }
    }

    #[tokio::test]
    async fn unused_keys_are_bounded_and_the_newest_works() {
        let rig = rig();
        let mut keys = Vec::new();
        for _ in 0..=KEYS_MAX {
            keys.push(rig.entrance.issue_key().await.unwrap());
        }
        let ana = || Person::new("Ana").unwrap();
        assert!(rig.entrance.enter(keys[0].reveal(), ana()).await.is_err());
        assert!(rig.entrance.enter(keys[KEYS_MAX].reveal(), ana()).await.is_ok());
    }

    #[test]
    fn a_name_is_one_visible_line_of_bounded_length() {
        assert_eq!(Person::new("  Ana\n Lee ").unwrap().name(), "Ana Lee");
        assert_eq!(Person::new(" \t"), None);
        assert!(!Person::new("a\u{202e}b").unwrap().name().contains('\u{202e}'));
        assert!(Person::new(&"x".repeat(500)).unwrap().name().len() <= PERSON_BYTES_MAX);
    }
}

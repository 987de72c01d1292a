//! The key ring as a file, `keys/keyring.json`.
//!
//! A ring is written to a new file, synced, and renamed into place, under the lease `keyring`; so there is always one
//! complete ring or none. Readers take no lease: they keep the ring in memory, and check on each call whether the name
//! still belongs to the same file.
//!
//! Invariants: only a repair replaces a ring that cannot be read, and it keeps the old one, because the tokens that it
//! signed are lost with it. A key changes by rotation or repair; there is no clock here.
//!
//! Limitations: an in-place edit of the file that keeps its length is seen only by the next process. A process that
//! reads a new ring between its rename and the sync of the directory may sign with a key that a power cut then takes
//! back; such tokens are refused afterwards.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use piton_core::port::{Entropy, NoTrace};

use super::disk::{Disk, Stat};
use super::file_ops::{free_name, replace, write_new};
use super::{DataDir, LocalLeases, SystemClock, keyring_text};
use crate::bounds::{KEYRING_BYTES_MAX, KEYRING_WAIT};
use crate::keyring::Ring;
use crate::port::{KeyAge, KeyRing, Lease, Mode, Patience, Signature, StoreFuture};
use crate::{Error, LeaseName, threads};

/// The key ring of a data directory.
#[derive(Clone)]
pub struct LocalKeyRing {
    shared: Arc<KeyRingInner>,
}

struct KeyRingInner {
    dir: DataDir,
    leases: LocalLeases,
    lease: LeaseName,
    entropy: Arc<dyn Entropy>,
    cached: Mutex<Option<CachedRing>>,
}

/// A ring, and the file that it was read from.
#[derive(Clone)]
struct CachedRing {
    incarnation: u128,
    len: u64,
    ring: Arc<Ring>,
}

impl LocalKeyRing {
    /// Creates the key ring under `dir`. The first signature generates a ring if there is none.
    pub fn new(dir: DataDir, entropy: Arc<dyn Entropy>) -> Self {
        let lease = "keyring".parse().expect("a plain word is a name");
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        let cached = Mutex::new(None);
        Self { shared: Arc::new(KeyRingInner { dir, leases, lease, entropy, cached }) }
    }
}

impl KeyRingInner {
    fn disk(&self) -> &dyn Disk {
        self.dir.disk().as_ref()
    }

    fn remember(&self, cached: Option<CachedRing>) {
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = cached;
    }

    /// Returns the ring in memory if it was read from the file that `stat` describes.
    fn remembered(&self, stat: &Stat) -> Option<Arc<Ring>> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = cached.as_ref()?;
        let is_same = (cached.incarnation, cached.len) == (stat.incarnation, stat.len);
        is_same.then(|| Arc::clone(&cached.ring))
    }

    /// Returns the ring if one metadata lookup is enough to know it, which is cheaper than switching threads.
    fn cached(&self) -> Option<Arc<Ring>> {
        self.remembered(&self.disk().stat(&self.dir.keyring()).ok()??)
    }

    /// Returns the ring as it is now, if there is one.
    fn read(&self) -> Result<Option<Arc<Ring>>, Error> {
        let path = self.dir.keyring();
        let Some(stat) = self.disk().stat(&path).map_err(Error::io("look for the key ring"))?
        else {
            self.remember(None);
            return Ok(None);
        };
        if let Some(ring) = self.remembered(&stat) {
            return Ok(Some(ring));
        }
        let bytes =
            self.disk().read(&path, KEYRING_BYTES_MAX).map_err(|error| match error.kind() {
                io::ErrorKind::FileTooLarge => Error::KeyringCorrupt { problem: "it is too long" },
                _ => Error::io("read the key ring")(error),
            })?;
        let ring = Arc::new(keyring_text::parse(&bytes)?);
        // The metadata is from before the read. If the file was replaced in between, the next call reads it again.
        let Stat { incarnation, len, .. } = stat;
        self.remember(Some(CachedRing { incarnation, len, ring: Arc::clone(&ring) }));
        Ok(Some(ring))
    }

    /// Returns the ring as it is now, generating one if there is none.
    fn read_or_make(&self) -> Result<Arc<Ring>, Error> {
        if let Some(ring) = self.read()? {
            return Ok(ring);
        }
        let _lock = self.lock()?;
        // Another process may have made one while this one waited.
        if let Some(ring) = self.read()? {
            return Ok(ring);
        }
        let ring = Ring::generate(self.entropy.as_ref());
        self.write(&ring)?;
        Ok(Arc::new(ring))
    }

    fn rotate(&self) -> Result<(), Error> {
        let _lock = self.lock()?;
        // Read under the lock, so that two rotations cannot both build on the same ring and lose one's key.
        let ring = match self.read()? {
            Some(ring) => ring.rotated(self.entropy.as_ref()),
            None => Ring::generate(self.entropy.as_ref()),
        };
        self.write(&ring)
    }

    /// Sets a ring that cannot be read aside, and generates a new one. A ring of a newer version is left alone.
    fn repair(&self) -> Result<Option<String>, Error> {
        let _lock = self.lock()?;
        match self.read() {
            Err(Error::KeyringCorrupt { .. }) => {}
            read => return read.map(|_| None),
        }
        let path = self.dir.keyring();
        let dir = path.parent().expect("the ring lies in a directory").to_path_buf();
        let keep = || {
            // A copy, so that there is a ring at every moment: without one, the next signature would silently generate
            // keys.
            let name = free_name(self.disk(), &dir, "keyring.json.damaged")?;
            let bytes = self.disk().read(&path, u64::MAX)?;
            write_new(self.disk(), &dir.join(&name), &bytes)?;
            self.disk().sync_dir(&dir)?;
            Ok(format!("keys/{name}"))
        };
        let kept = keep().map_err(Error::io("keep the damaged key ring"))?;
        self.write(&Ring::generate(self.entropy.as_ref()))?;
        Ok(Some(kept))
    }

    /// Waits until no other process writes the ring.
    fn lock(&self) -> Result<Lease, Error> {
        let patience = Patience::Wait(KEYRING_WAIT);
        let lease = self.leases.acquire_blocking(&self.lease, Mode::Exclusive, patience);
        lease.map_err(|error| error.busy_with("the key ring"))
    }

    /// Replaces the ring. Only under the lock.
    fn write(&self, ring: &Ring) -> Result<(), Error> {
        let path = self.dir.keyring();
        let fresh = path.with_extension("json.new");
        replace(self.disk(), &path, &fresh, &keyring_text::render(ring))
            .map_err(Error::io("write the key ring"))
    }
}

impl KeyRing for LocalKeyRing {
    fn sign_all<'a>(&'a self, messages: &'a [&'a [u8]]) -> StoreFuture<'a, Vec<Signature>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let ring = match shared.cached() {
                Some(ring) => ring,
                None => threads::blocking(move || shared.read_or_make()).await?,
            };
            Ok(messages.iter().map(|message| ring.sign(message)).collect())
        })
    }

    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> StoreFuture<'a, Option<KeyAge>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let ring = match shared.cached() {
                Some(ring) => Some(ring),
                None => threads::blocking(move || shared.read()).await?,
            };
            Ok(ring.and_then(|ring| ring.verify(message, signature)))
        })
    }

    fn rotate(&self) -> StoreFuture<'_, ()> {
        let shared = Arc::clone(&self.shared);
        Box::pin(threads::blocking(move || shared.rotate()))
    }

    fn repair(&self) -> StoreFuture<'_, Option<String>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(threads::blocking(move || shared.repair()))
    }
}

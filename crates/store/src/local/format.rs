//! The format of a data directory, and its migration from one version to the next.
//!
//! `format.json` states the version of everything below the directory, and the oldest version of Piton's formats that
//! can still read it. A process that has the directory open shares the lease `format` for as long; a migration needs
//! that lease exclusively.
//!
//! Invariants: a directory that a newer Piton changed beyond what this one knows is refused before anything is touched.
//! A migration begins after a complete copy was made, and the new version is written last: whatever happens in between,
//! the file still states the old version, and the copy exists.
//!
//! Limitations: the copy holds everything, so a migration needs as much room as the directory has, and as much memory
//! as its largest file. Nothing removes the copy.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::disk::Disk;
use super::file_ops::{remove_all, replace, write_new};
use super::{DataDir, LocalLeases};
use crate::bounds::{FORMAT_FILE_BYTES_MAX, FORMAT_WAIT};
use crate::port::{Lease, Mode, Patience};
use crate::{Error, LeaseName};

/// Operation named in errors about writing the format.
const WRITING: &str = "write the format of the data directory";

/// Version of the data directory that this Piton writes.
pub const FORMAT_VERSION: u64 = 1;

/// Oldest version of Piton's formats that can read what this one writes.
pub const OLDEST_READER: u64 = 1;

const FILE: &str = "format.json";

/// Entries of the directory that are not data: locks, files being removed, and copies.
const NOT_DATA: [&str; 3] = ["leases", "trash", BACKUPS];
const BACKUPS: &str = "backups";

/// Contents of `format.json`. A newer Piton may write more fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Format {
    version: u64,
    oldest_reader: u64,
}

/// Step from one version to the next. It may run again after an interruption.
struct Migration {
    from: u64,
    run: fn(&DataDir) -> io::Result<()>,
}

/// All migrations, by the version that they start from. Version 1 is the first version.
const MIGRATIONS: &[Migration] = &[];

/// Makes sure that this Piton knows the format of `dir`, migrating it if necessary. No other process can migrate it for
/// as long as the returned lease is held. Blocks.
pub(super) fn settle(dir: &DataDir, leases: &LocalLeases) -> Result<Lease, Error> {
    let format = Format { version: FORMAT_VERSION, oldest_reader: OLDEST_READER };
    let patience = Patience::Wait(FORMAT_WAIT);
    SupportedFormat { format, migrations: MIGRATIONS, patience }.settle(dir, leases)
}

/// Keeps all other processes out of a data directory for as long as the lease is held. Blocks.
pub(super) fn lock_exclusively(leases: &LocalLeases) -> Result<Lease, Error> {
    let alone =
        leases.acquire_blocking(&name("format"), Mode::Exclusive, Patience::Wait(FORMAT_WAIT));
    alone.map_err(|error| error.busy_with("the data directory"))
}

/// Format that a Piton knows, and the ways to get there.
struct SupportedFormat {
    format: Format,
    migrations: &'static [Migration],
    /// Time to wait while others have the directory open.
    patience: Patience,
}

impl SupportedFormat {
    fn settle(&self, dir: &DataDir, leases: &LocalLeases) -> Result<Lease, Error> {
        let shared = leases.acquire_blocking(&name("format"), Mode::Shared, self.patience)?;
        let found = match read(dir)? {
            Some(found) => found,
            None => self.begin(dir, leases)?,
        };
        self.check(found)?;
        if found.version >= self.format.version {
            return Ok(shared);
        }
        // A shared lease cannot become an exclusive one. Another process may migrate in between, so `migrate` reads the
        // version again.
        drop(shared);
        let alone = leases.acquire_blocking(&name("format"), Mode::Exclusive, self.patience);
        let alone = alone.map_err(|error| error.busy_with(IN_USE))?;
        self.migrate(dir)?;
        // Settled again from the start: the version is read under a shared lease, in case the directory changed in
        // between.
        drop(alone);
        self.settle(dir, leases)
    }

    /// Refuses a directory that this Piton cannot read.
    fn check(&self, found: Format) -> Result<(), Error> {
        if found.oldest_reader > self.format.version {
            let (found, known) = (found.version, self.format.version);
            return Err(Error::UnsupportedVersion { what: "the data directory", found, known });
        }
        Ok(())
    }

    /// Writes the first format file. A directory without one is new, or dates from the version before there was a file,
    /// which is the same version.
    fn begin(&self, dir: &DataDir, leases: &LocalLeases) -> Result<Format, Error> {
        let _alone =
            leases.acquire_blocking(&name("format-first"), Mode::Exclusive, self.patience)?;
        // Another process may have written it while this one waited for the lease.
        if let Some(found) = read(dir)? {
            return Ok(found);
        }
        write(dir, self.format).map_err(Error::io(WRITING))?;
        Ok(self.format)
    }

    /// Migrates step by step. The caller has the directory to itself.
    fn migrate(&self, dir: &DataDir) -> Result<(), Error> {
        // Another process may have migrated it in the meantime.
        while let Some(found) = read(dir)?.filter(|found| found.version < self.format.version) {
            let next = self.migrations.iter().find(|migration| migration.from == found.version);
            let Some(migration) = next else {
                let (found, known) = (found.version, self.format.version);
                return Err(Error::UnsupportedVersion { what: "the data directory", found, known });
            };
            let backup = format!("before-{}", found.version + 1);
            // A step that failed is repeated. Its copy is from before the first attempt, and `back_up` does not replace
            // it.
            back_up(dir, &backup).map_err(Error::io("copy the data directory"))?;
            (migration.run)(dir).map_err(Error::io("migrate the data directory"))?;
            let version = found.version + 1;
            let oldest_reader = self.format.oldest_reader.min(version);
            // The version is written last: until then the directory counts as not migrated.
            write(dir, Format { version, oldest_reader }).map_err(Error::io(WRITING))?;
        }
        Ok(())
    }
}

const IN_USE: &str = "the data directory, which has to be brought to a newer format,";

fn name(text: &str) -> LeaseName {
    text.parse().expect("a plain word is a name")
}

/// Reads the format file; `None` if there is none.
fn read(dir: &DataDir) -> Result<Option<Format>, Error> {
    let path = dir.root().join(FILE);
    match dir.disk().read(&path, FORMAT_FILE_BYTES_MAX) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_| Error::FormatCorrupt),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(Error::FormatCorrupt),
        Err(error) => Err(Error::io("read the format of the data directory")(error)),
    }
}

/// Replaces the format file in one step, durably.
fn write(dir: &DataDir, format: Format) -> io::Result<()> {
    let path = dir.root().join(FILE);
    let fresh = dir.root().join("format.json.new");
    let mut bytes = serde_json::to_vec(&format)?;
    bytes.push(b'\n');
    replace(dir.disk().as_ref(), &path, &fresh, &bytes)
}

/// Copies all data, unless a complete copy of that name exists.
fn back_up(dir: &DataDir, name: &str) -> io::Result<()> {
    let disk = dir.disk().as_ref();
    let backups = dir.root().join(BACKUPS);
    let (whole, partial) = (backups.join(name), backups.join(format!("{name}.partial")));
    if disk.stat(&whole)?.is_some() {
        return Ok(());
    }
    disk.create_dir(&backups)?;
    // A partial copy may be of any state, so it is made again from the start.
    remove_all(disk, &partial)?;
    disk.create_dir(&partial)?;
    for entry in disk.list(dir.root())? {
        if !NOT_DATA.contains(&entry.as_str()) {
            copy(disk, &dir.root().join(&entry), &partial.join(&entry))?;
        }
    }
    // Contents first, then the final name: a copy under its final name is complete.
    disk.sync_dir(&partial)?;
    disk.rename(&partial, &whole)?;
    disk.sync_dir(&backups)?;
    disk.sync_dir(dir.root())
}

fn copy(disk: &dyn Disk, from: &Path, to: &Path) -> io::Result<()> {
    if disk.stat(from)?.is_some_and(|stat| stat.is_dir) {
        disk.create_dir(to)?;
        for entry in disk.list(from)? {
            copy(disk, &from.join(&entry), &to.join(&entry))?;
        }
        return disk.sync_dir(to);
    }
    write_new(disk, to, &disk.read(from, u64::MAX)?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at what lies on the disk")]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use piton_core::port::NoTrace;
    use tempfile::TempDir;

    use super::{
        FORMAT_VERSION, Format, MIGRATIONS, Migration, OLDEST_READER, SupportedFormat, read,
    };
    use crate::Error;
    use crate::local::{DataDir, LocalLeases, RealDisk, SystemClock};
    use crate::port::{Lease, Patience};

    /// Version 0 kept its data in a file `old`; version 1 keeps it in `new`.
    const FROM_ZERO: &[Migration] = &[Migration {
        from: 0,
        run: |dir| {
            let bytes = dir.disk().read(&dir.root().join("old"), u64::MAX)?;
            super::write_new(dir.disk().as_ref(), &dir.root().join("new"), &bytes)
        },
    }];

    const FAILS: &[Migration] =
        &[Migration { from: 0, run: |_| Err(std::io::ErrorKind::StorageFull.into()) }];

    struct FormatFile {
        root: TempDir,
        dir: DataDir,
        leases: LocalLeases,
    }

    impl FormatFile {
        fn new(format: &str) -> Self {
            let root = TempDir::new().unwrap();
            let dir = DataDir::on(Arc::new(RealDisk), root.path()).unwrap();
            let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
            fs::write(root.path().join("format.json"), format).unwrap();
            fs::write(root.path().join("old"), "what was known").unwrap();
            Self { root, dir, leases }
        }

        fn settle(&self, migrations: &'static [Migration]) -> Result<Lease, Error> {
            let format = Format { version: FORMAT_VERSION, oldest_reader: OLDEST_READER };
            let patience = Patience::FailFast;
            SupportedFormat { format, migrations, patience }.settle(&self.dir, &self.leases)
        }

        fn version(&self) -> u64 {
            read(&self.dir).unwrap().unwrap().version
        }
    }

    const ZERO: &str = r#"{"version": 0, "oldestReader": 0}"#;

    #[test]
    fn an_older_directory_is_copied_and_migrated() {
        let place = FormatFile::new(ZERO);
        place.settle(FROM_ZERO).unwrap();
        assert_eq!(place.version(), 1);
        assert_eq!(fs::read_to_string(place.root.path().join("new")).unwrap(), "what was known");
        let backup = place.root.path().join("backups/before-1");
        assert_eq!(fs::read_to_string(backup.join("old")).unwrap(), "what was known");
        assert_eq!(fs::read_to_string(backup.join("format.json")).unwrap(), ZERO);
        assert!(!backup.join("new").exists() && !backup.join("leases").exists());
    }

    #[test]
    fn a_migration_that_fails_leaves_the_old_version_and_a_copy_and_can_be_repeated() {
        let place = FormatFile::new(ZERO);
        assert!(matches!(place.settle(FAILS), Err(Error::Io { .. })));
        assert_eq!(place.version(), 0);
        assert!(place.root.path().join("backups/before-1/old").exists());
        // Later changes to the data are not in the copy, which dates from before the migration.
        fs::write(place.root.path().join("old"), "half migrated").unwrap();
        place.settle(FROM_ZERO).unwrap();
        assert_eq!(place.version(), 1);
        let backup = place.root.path().join("backups/before-1/old");
        assert_eq!(fs::read_to_string(backup).unwrap(), "what was known");
    }

    #[test]
    fn a_copy_that_was_cut_off_is_made_again() {
        let place = FormatFile::new(ZERO);
        let partial = place.root.path().join("backups/before-1.partial");
        fs::create_dir_all(&partial).unwrap();
        fs::write(partial.join("junk"), "x").unwrap();
        place.settle(FROM_ZERO).unwrap();
        assert!(!place.root.path().join("backups/before-1/junk").exists());
        assert!(!partial.exists());
    }

    #[test]
    fn nothing_is_migrated_while_somebody_has_the_directory_open() {
        let place = FormatFile::new(r#"{"version": 1, "oldestReader": 1}"#);
        let open = place.settle(MIGRATIONS).unwrap();
        fs::write(place.root.path().join("format.json"), ZERO).unwrap();
        let busy = place.settle(FROM_ZERO).unwrap_err();
        assert!(busy.to_string().starts_with("the data directory, which has to be brought"));
        assert!(!place.root.path().join("backups").exists());
        drop(open);
        place.settle(FROM_ZERO).unwrap();
    }

    #[test]
    fn a_version_that_nobody_knows_how_to_migrate_is_refused() {
        let place = FormatFile::new(ZERO);
        let refused = place.settle(MIGRATIONS).unwrap_err();
        assert!(matches!(refused, Error::UnsupportedVersion { found: 0, known: 1, .. }));
        assert!(!place.root.path().join("backups").exists());
    }
}

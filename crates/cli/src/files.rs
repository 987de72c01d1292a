//! Access to files that the user names.
#![expect(clippy::disallowed_methods, reason = "the adapter for files that people name")]

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Path that stands for standard input or output.
const STANDARD: &str = "-";

/// True if a path stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// Reads a file, or standard input, of at most `bytes_max` bytes.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let failed = || Failure::io(format!("read {}", path.display()));
    let mut bytes = Vec::new();
    // Reads one byte past the limit, to tell a file that just fits from one that is too large.
    let bound = bytes_max.saturating_add(1);
    if is_standard(path) {
        io::stdin().lock().take(bound).read_to_end(&mut bytes).map_err(failed())?;
    } else {
        let file = File::open(path).map_err(failed())?;
        file.take(bound).read_to_end(&mut bytes).map_err(failed())?;
    }
    if bytes.len() as u64 > bytes_max {
        let what = format!("{} has more than {bytes_max} bytes.", path.display());
        return Err(Failure::refused(what, "Check that you named the right file."));
    }
    Ok(bytes)
}

/// Reads the text of a file, or of standard input, of at most `bytes_max` bytes.
pub(crate) fn read_text(path: &Path, bytes_max: u64) -> Result<String, Failure> {
    String::from_utf8(read(path, bytes_max)?).map_err(|_| {
        let what = format!("{} is not UTF-8 text.", path.display());
        Failure::refused(what, "Save it as UTF-8 and run the command again.")
    })
}

/// Reads the text of a file, if the file exists.
pub(crate) fn read_if_there(path: &Path, bytes_max: u64) -> Result<Option<String>, Failure> {
    if path.exists() { read_text(path, bytes_max).map(Some) } else { Ok(None) }
}

/// Creates a directory that only its owner can access, unless it exists.
pub(crate) fn make_directory(path: &Path) -> Result<(), Failure> {
    const OWNER_ONLY: u32 = 0o700;
    let made = fs::DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(path);
    made.map_err(Failure::io(format!("create {}", path.display())))
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// True if something exists at a path.
pub(crate) fn exists(path: &Path) -> bool {
    path.exists()
}

/// Resolves the links of a path, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    // Resolves the deepest ancestor that exists and appends the rest, which may be created later.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let found = absolute.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    match found {
        Some((above, real)) => real.join(absolute.strip_prefix(above).unwrap_or(Path::new(""))),
        None => absolute,
    }
}

/// Writes a file atomically. An existing file is refused unless `replace` is set; its mode is kept.
pub(crate) fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<(), Failure> {
    let failed = || Failure::io(format!("write {}", path.display()));
    // Writes through a link instead of replacing it: people keep their configuration elsewhere and link to it.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let before = fs::metadata(&target).ok();
    if before.is_some() && !replace {
        let what = format!("{} already exists and was left as it is.", path.display());
        return Err(Failure::refused(what, "Name another file, or add --force to replace it."));
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    // The temporary file lives in the target's directory: a rename is atomic only within one file system.
    fs::create_dir_all(directory).map_err(failed())?;
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(failed())?;
    file.write_all(bytes).map_err(failed())?;
    // A temporary file is private to its owner; the file that it replaces may have been readable by others.
    if let Some(before) = before {
        fs::set_permissions(file.path(), before.permissions()).map_err(failed())?;
    }
    // Content before name: after a crash the name refers to the old bytes or to all of the new ones.
    file.as_file().sync_all().map_err(failed())?;
    file.persist(&target).map_err(|error| failed()(error.error))?;
    Ok(())
}

/// Copies the file at `path` to an unused name beside it, and returns the path of the copy.
pub(crate) fn back_up(path: &Path) -> Result<PathBuf, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Counts up instead of overwriting: an earlier backup may be the only copy of the user's original.
    let free = (1..).map(|count| path.with_file_name(format!("{name}.piton-backup-{count}")));
    let backup = free.into_iter().find(|path| !path.exists()).expect("some number is free");
    fs::copy(path, &backup).map_err(Failure::io(format!("back up {}", path.display())))?;
    Ok(backup)
}

//! Translation of operating system errors into Store faults.

use rustix::io::Errno;

use crate::store::StoreFault;

/// Returns the fault for an error. The text of the error is dropped, because it may name a path.
pub(super) fn fault(errno: Errno) -> StoreFault {
    match errno {
        Errno::NOENT | Errno::NAMETOOLONG => StoreFault::NotFound,
        Errno::LOOP => StoreFault::Link,
        Errno::XDEV => StoreFault::OtherMount,
        Errno::NOTDIR => StoreFault::NotDirectory,
        Errno::ISDIR => StoreFault::IsDirectory,
        Errno::EXIST => StoreFault::Exists,
        Errno::NOTEMPTY => StoreFault::NotEmpty,
        Errno::NXIO | Errno::NODEV => StoreFault::NotRegular,
        Errno::ACCESS | Errno::PERM | Errno::ROFS => StoreFault::Permission,
        Errno::NOSPC | Errno::DQUOT => StoreFault::Full,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::BUSY => StoreFault::Busy,
        _ => StoreFault::Io,
    }
}

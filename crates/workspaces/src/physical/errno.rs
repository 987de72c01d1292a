//! What an error of the operating system means for a Store.

use rustix::io::Errno;

use crate::store::Fault;

/// The fault that stands for an error. Its text is left behind: it may name a path.
pub(super) fn fault(errno: Errno) -> Fault {
    match errno {
        Errno::NOENT | Errno::NAMETOOLONG => Fault::NotFound,
        Errno::LOOP => Fault::Link,
        Errno::XDEV => Fault::OtherMount,
        Errno::NOTDIR => Fault::NotDirectory,
        Errno::ISDIR => Fault::IsDirectory,
        Errno::EXIST => Fault::Exists,
        Errno::NOTEMPTY => Fault::NotEmpty,
        Errno::NXIO | Errno::NODEV => Fault::NotRegular,
        Errno::ACCESS | Errno::PERM | Errno::ROFS => Fault::Permission,
        Errno::NOSPC | Errno::DQUOT => Fault::Full,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::BUSY => Fault::Busy,
        _ => Fault::Io,
    }
}

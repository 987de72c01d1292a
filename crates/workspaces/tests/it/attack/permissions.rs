//! Who may do what to a file that was changed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::io::Errno;
use serde_json::json;

use crate::world::World;

// shows in part: WS-035 (permissions are kept)
#[tokio::test]
async fn a_write_keeps_permissions_and_drops_the_right_to_run_as_somebody_else() {
    for (before, after) in [(0o4755, 0o755), (0o2664, 0o664), (0o600, 0o600), (0o640, 0o640)] {
        let world = World::new().await;
        let path = world.at("src/m.rs");
        fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
        let write = json!({ "path": "/home/src/m.rs", "content": "new" });
        assert!(!world.call("write", write).await.is_error());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, after);
    }
}

// shows in part: WS-035 (who a file belongs to is kept)
#[tokio::test]
async fn a_file_that_root_changes_still_belongs_to_its_user() {
    let world = World::new().await;
    let path = world.at("src/m.rs");
    // Only root can give a file away; for everybody else it stays what it was.
    if fs::metadata(&path).unwrap().uid() == 0 {
        chown(&path, Some(12_345), Some(23_456)).unwrap();
    }
    let before = fs::metadata(&path).unwrap();
    let write = json!({ "path": "/home/src/m.rs", "content": "new" });
    assert!(!world.call("write", write).await.is_error());
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "it is another file");
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
}

/// A list of permissions as Linux keeps it: the owner reads and writes, user 1234 reads, the owning group nothing.
fn access_list() -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] = [
        (0x01, 6, NOBODY),
        (0x02, 4, 1234),
        (0x04, 0, NOBODY),
        (0x10, 4, NOBODY),
        (0x20, 0, NOBODY),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

// shows in part: WS-035 (permissions of single users are kept, and nobody gets more)
#[tokio::test]
async fn a_write_keeps_the_list_of_permissions_and_nothing_else_that_hung_on_the_file() {
    const LIST: &str = "system.posix_acl_access";
    let world = World::new().await;
    let path = world.at("src/m.rs");
    let none = XattrFlags::empty();
    setxattr(&path, LIST, &access_list(), none).expect("the file system keeps such lists");
    setxattr(&path, "user.note", b"x", none).expect("the file system keeps attributes");
    let edit = json!({ "path": "/home/src/m.rs", "old_string": "main", "new_string": "other" });
    let reply = world.call("edit", edit).await;
    assert!(!reply.is_error(), "{}", reply.text);
    let mut list = vec![0; 256];
    let bytes = getxattr(&path, LIST, &mut list).expect("the list is still there");
    assert_eq!(list[..bytes], access_list());
    assert_eq!(getxattr(&path, "user.note", &mut list), Err(Errno::NODATA));
}

//! The kernel's word about changes: inotify on Linux, nothing elsewhere.

#[cfg(target_os = "linux")]
pub(super) use linux::KernelWatch;
#[cfg(not(target_os = "linux"))]
pub(super) use nothing::KernelWatch;

/// A watched directory. The kernel gives out the number.
pub(super) type WatchId = i32;

/// What the kernel reports.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KernelEvent {
    /// Something happened to this name in a watched directory.
    Entry(WatchId, String),
    /// A directory is not watched any more, because it is gone.
    Gone(WatchId),
    /// The kernel dropped events.
    Lost,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{KernelEvent, WatchId};
    use crate::bounds::KERNEL_EVENTS_BYTES;

    /// An inotify instance.
    pub(in super::super) struct KernelWatch(OwnedFd);

    impl KernelWatch {
        /// Opens an instance; `None` if the kernel has none to give.
        pub(in super::super) fn open() -> Option<Self> {
            inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok().map(Self)
        }

        /// Watches the entries of a directory.
        pub(in super::super) fn add(&self, directory: &Path) -> io::Result<WatchId> {
            let flags = WatchFlags::MODIFY
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::ONLYDIR;
            Ok(inotify::add_watch(&self.0, directory, flags)?)
        }

        /// Ends the watch of a directory.
        pub(in super::super) fn remove(&self, watch: WatchId) {
            // A directory that is gone is not watched any more, which is all that was wanted.
            let _ = inotify::remove_watch(&self.0, watch);
        }

        /// Waits for events until `time` has passed, and returns those that came.
        pub(in super::super) fn wait(&self, time: Duration) -> io::Result<Vec<KernelEvent>> {
            let mut events = Vec::new();
            let time = Timespec::try_from(time).unwrap_or_default();
            match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&time)) {
                Ok(0) | Err(Errno::INTR) => return Ok(events),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            let mut buffer = [MaybeUninit::uninit(); KERNEL_EVENTS_BYTES];
            let mut reader = Reader::new(&self.0, &mut buffer);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(Errno::WOULDBLOCK) => return Ok(events),
                    Err(Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                };
                if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                    events.push(KernelEvent::Lost);
                } else if event.events().contains(ReadFlags::IGNORED) {
                    events.push(KernelEvent::Gone(event.wd()));
                } else if let Some(name) = event.file_name() {
                    let name = name.to_string_lossy().into_owned();
                    events.push(KernelEvent::Entry(event.wd(), name));
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod nothing {
    use std::io;
    use std::path::Path;
    use std::time::Duration;

    use super::{KernelEvent, WatchId};

    /// Never there.
    pub(in super::super) enum KernelWatch {}

    impl KernelWatch {
        pub(in super::super) fn open() -> Option<Self> {
            None
        }

        pub(in super::super) fn add(&self, _: &Path) -> io::Result<WatchId> {
            match *self {}
        }

        pub(in super::super) fn remove(&self, _: WatchId) {
            match *self {}
        }

        pub(in super::super) fn wait(&self, _: Duration) -> io::Result<Vec<KernelEvent>> {
            match *self {}
        }
    }
}

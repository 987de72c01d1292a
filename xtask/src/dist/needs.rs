//! What a program needs of the system that it runs on, as its ELF file says.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context as _, Result, bail, ensure};
use object::elf::{DT_NEEDED, EM_X86_64, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, StringTable};

/// Libraries of the C library, which come together.
const C_LIBRARY: [&str; 6] = [
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
];
/// The library that unwinds the stack.
const UNWINDER: &str = "libgcc_s.so.1";

/// The least versions of the libraries that a program is linked with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Of glibc.
    pub(crate) glibc: LibraryVersion,
    /// Of libgcc, if the program needs it.
    pub(crate) libgcc: Option<LibraryVersion>,
}

/// A version with as many parts as it takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LibraryVersion(Vec<u32>);

impl Needs {
    /// Reads a program for Linux on x86-64 that is linked with glibc.
    pub(crate) fn read(program: &[u8]) -> Result<Self> {
        let header = FileHeader64::<Endianness>::parse(program).context("no 64-bit ELF file")?;
        let endian = header.endian()?;
        ensure!(header.e_machine.get(endian) == EM_X86_64, "not built for x86-64");
        let sections = header.sections(endian, program)?;
        let (entries, strings) = sections.dynamic(endian, program)?.context("linked statically")?;
        let strings = sections.strings(endian, program, strings)?;
        let mut libraries = BTreeSet::new();
        for entry in entries.iter().filter(|entry| entry.tag32(endian) == Some(DT_NEEDED)) {
            libraries.insert(text(strings, entry.val32(endian).context("a wrong offset")?)?);
        }
        let mut symbols = BTreeSet::new();
        if let Some((mut files, strings)) = sections.gnu_verneed(endian, program)? {
            let strings = sections.strings(endian, program, strings)?;
            while let Some((_, mut versions)) = files.next()? {
                while let Some(version) = versions.next()? {
                    symbols.insert(text(strings, version.vna_name.get(endian))?);
                }
            }
        }
        Self::of(&libraries, &symbols)
    }

    /// What follows from the names of libraries and of versions of symbols, such as `GLIBC_2.34`.
    fn of(libraries: &BTreeSet<&str>, symbols: &BTreeSet<&str>) -> Result<Self> {
        for library in libraries {
            let is_known = C_LIBRARY.contains(library) || *library == UNWINDER;
            ensure!(is_known, "linked with {library}, which not every system has");
        }
        let (mut glibc, mut libgcc) = (None, None);
        for symbol in symbols {
            let (newest, version) = match symbol.split_once('_') {
                // Relative relocations are packed, which glibc reads since 2.36.
                Some(("GLIBC", "ABI_DT_RELR")) => (&mut glibc, "2.36"),
                Some(("GLIBC", version)) => (&mut glibc, version),
                Some(("GCC", version)) => (&mut libgcc, version),
                _ => bail!("needs the unknown version {symbol} of a library"),
            };
            let version = LibraryVersion::parse(version);
            let version = version.with_context(|| format!("needs the private version {symbol}"))?;
            *newest = newest.take().max(Some(version));
        }
        Ok(Self { glibc: glibc.context("not linked with glibc")?, libgcc })
    }

    /// The platform of a wheel, which names the oldest glibc.
    pub(crate) fn wheel_platform(&self) -> String {
        let parts: Vec<String> = self.glibc.0.iter().take(2).map(u32::to_string).collect();
        format!("manylinux_{}_x86_64", parts.join("_"))
    }
}

impl LibraryVersion {
    /// Zeros at the end say nothing.
    fn parse(text: &str) -> Option<Self> {
        let mut parts: Vec<u32> =
            text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        while parts.len() > 2 && parts.last() == Some(&0) {
            parts.pop();
        }
        Some(Self(parts))
    }
}

impl fmt::Display for LibraryVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        out.write_str(&parts.join("."))
    }
}

fn text(strings: StringTable<'_>, offset: u32) -> Result<&str> {
    let bytes = strings.get(offset).ok().context("a name outside its table")?;
    Ok(std::str::from_utf8(bytes)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Needs;

    fn check(libraries: &[&str], symbols: &[&str], expected: Result<(&str, &str), &str>) {
        let libraries: BTreeSet<&str> = libraries.iter().copied().collect();
        let symbols: BTreeSet<&str> = symbols.iter().copied().collect();
        let found = Needs::of(&libraries, &symbols).map(|needs| {
            let libgcc = needs.libgcc.as_ref().map(ToString::to_string).unwrap_or_default();
            (needs.wheel_platform(), libgcc)
        });
        let found = found.map_err(|error| error.to_string());
        let expected = expected.map(|(platform, libgcc)| (platform.to_owned(), libgcc.to_owned()));
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn the_newest_symbol_decides_which_system_is_old_enough() {
        let all = ["libc.so.6", "libgcc_s.so.1"];
        let symbols = ["GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.2.5", "GCC_3.0", "GCC_4.2.0"];
        check(&all, &symbols, Ok(("manylinux_2_34_x86_64", "4.2")));
        check(&all[..1], &["GLIBC_2.9", "GLIBC_2.10"], Ok(("manylinux_2_10_x86_64", "")));
        check(&all[..1], &["GLIBC_2.2.5"], Ok(("manylinux_2_2_x86_64", "")));
        check(&all[..1], &["GLIBC_2.34", "GLIBC_ABI_DT_RELR"], Ok(("manylinux_2_36_x86_64", "")));
    }

    #[test]
    fn a_program_that_not_every_system_can_run_is_refused() {
        let ssl = "linked with libssl.so.3, which not every system has";
        check(&["libc.so.6", "libssl.so.3"], &["GLIBC_2.34"], Err(ssl));
        let private = "needs the private version GLIBC_PRIVATE";
        check(&["libc.so.6"], &["GLIBC_PRIVATE"], Err(private));
        let unknown = "needs the unknown version OPENSSL_3.0.0 of a library";
        check(&["libc.so.6"], &["OPENSSL_3.0.0"], Err(unknown));
        check(&["libc.so.6"], &[], Err("not linked with glibc"));
        assert!(Needs::read(b"#!/bin/sh\n").is_err());
    }
}

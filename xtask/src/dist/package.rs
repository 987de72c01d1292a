//! One file that is published.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// A file with its name.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The digests of all packages, as `sha256sum --check` reads them.
pub(crate) fn checksums(packages: &[Package]) -> Package {
    let mut lines: Vec<String> = packages
        .iter()
        .map(|package| format!("{}  {}\n", sha256(&package.bytes), package.name))
        .collect();
    lines.sort_by(|a, b| a.split("  ").nth(1).cmp(&b.split("  ").nth(1)));
    Package { name: "SHA256SUMS".to_owned(), bytes: lines.concat().into_bytes() }
}

/// A digest in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{Package, checksums};

    #[test]
    fn checksums_have_the_form_of_sha256sum() {
        let package = |name: &str| Package { name: name.to_owned(), bytes: b"abc".to_vec() };
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let sums = checksums(&[package("b"), package("a")]);
        assert_eq!(String::from_utf8(sums.bytes).unwrap(), format!("{digest}  a\n{digest}  b\n"));
    }
}

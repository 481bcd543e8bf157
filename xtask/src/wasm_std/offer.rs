//! What the distribution offers. Releases name the packages differently, so it is asked.

use std::{collections::BTreeMap, process::Command};

use anyhow::Result;

use super::Version;
use crate::process;

/// Package name → the version apt would install.
pub(crate) type Offers = BTreeMap<String, Version>;

/// The compiler with its standard library for WebAssembly ready made. Debian 12 and 13 have the
/// packages too, with a compiler that is too old.
pub(crate) const PREBUILT: [&str; 3] = ["rustc", "cargo", "libstd-rust-dev-wasm32"];

/// A recent compiler beside the release's own, and std's source (Debian 12 and 13).
pub(crate) const SOURCE: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// The release's own compiler and std's source.
const OWN_SOURCE: [&str; 3] = ["rustc", "cargo", "rust-src"];

/// The linker, the measured one first.
const LINKERS: [&str; 5] = ["lld-19", "lld-20", "lld-21", "lld-22", "lld"];

/// The oldest linker that takes what today's compilers emit.
pub(crate) const OLDEST_LINKER: u32 = 19;

/// Asks apt for every package a plan could name.
pub(crate) fn ask() -> Result<Offers> {
    let names = PREBUILT.iter().chain(&SOURCE).chain(&OWN_SOURCE).chain(&LINKERS);
    let policy =
        process::capture(Command::new("apt-cache").arg("policy").args(names).env("LC_ALL", "C"))?;
    Ok(read(&policy))
}

/// The packages to install, or nothing when none of the sets is complete and new enough.
pub(crate) fn choose(offers: &Offers, msrv: Version, have_linker: bool) -> Option<Vec<String>> {
    let complete = |set: &&[&str; 3]| {
        let rustc_is_new = offers.get(set[0]).is_some_and(|version| *version >= msrv);
        rustc_is_new && set.iter().all(|name| offers.contains_key(*name))
    };
    let set = [&PREBUILT, &SOURCE, &OWN_SOURCE].into_iter().find(complete)?;
    let new_enough =
        |name: &&&str| offers.get(**name).is_some_and(|version| version.major() >= OLDEST_LINKER);
    let linker = LINKERS.iter().find(new_enough);
    if linker.is_none() && !have_linker {
        return None;
    }
    let linker = linker.filter(|_| !have_linker);
    Some(set.iter().chain(linker).map(|name| (*name).to_owned()).collect())
}

/// Reads `apt-cache policy`: a package's name at the start of a line, its candidate below.
fn read(policy: &str) -> Offers {
    let mut offers = Offers::new();
    let mut name = "";
    for line in policy.lines() {
        if let Some(version) = line.trim().strip_prefix("Candidate:") {
            if let Some(version) = Version::parse(version.trim()) {
                offers.insert(name.to_owned(), version);
            }
        } else if !line.starts_with(' ') {
            name = line.trim_end_matches(':');
        }
    }
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSRV: Version = Version::new(1, 88);

    fn offers(list: &[(&str, u32, u32)]) -> Offers {
        list.iter()
            .map(|(n, major, minor)| ((*n).to_owned(), Version::new(*major, *minor)))
            .collect()
    }

    #[test]
    fn candidates_are_read_and_packages_without_one_left_out() {
        let policy = "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n  Version table:\n     \
                      1.96.0+dfsg1-1~deb12u2 500\nlld-22:\n  Installed: (none)\n  Candidate: (none)\n\
                      lld-19:\n  Installed: (none)\n  Candidate: 1:19.1.7-3~deb12u1\n";
        assert_eq!(read(policy), offers(&[("rustc-web", 1, 96), ("lld-19", 19, 1)]));
    }

    #[test]
    fn debian_12_gets_the_newer_compiler_and_the_source_of_std() {
        let debian_12 = offers(&[
            ("rustc", 1, 63),
            ("cargo", 0, 66),
            ("libstd-rust-dev-wasm32", 1, 63),
            ("rustc-web", 1, 96),
            ("cargo-web", 1, 96),
            ("rust-web-src", 1, 96),
            ("lld-19", 19, 1),
            ("lld", 14, 0),
        ]);
        let packages = choose(&debian_12, MSRV, false).unwrap();
        assert_eq!(packages, ["rustc-web", "cargo-web", "rust-web-src", "lld-19"]);
        let packages = choose(&debian_12, MSRV, true).unwrap();
        assert_eq!(packages, ["rustc-web", "cargo-web", "rust-web-src"]);
    }

    #[test]
    fn debian_13_has_a_ready_made_std_that_is_too_old_and_gets_the_source() {
        let debian_13 = offers(&[
            ("rustc", 1, 85),
            ("cargo", 1, 85),
            ("libstd-rust-dev-wasm32", 1, 85),
            ("rust-src", 1, 85),
            ("rustc-web", 1, 96),
            ("cargo-web", 1, 96),
            ("rust-web-src", 1, 96),
            ("lld", 19, 0),
            ("lld-19", 19, 1),
            ("lld-22", 22, 1),
        ]);
        let packages = choose(&debian_13, MSRV, false).unwrap();
        assert_eq!(packages, ["rustc-web", "cargo-web", "rust-web-src", "lld-19"]);
    }

    #[test]
    fn a_release_with_a_new_compiler_gets_the_ready_made_std() {
        let newer = offers(&[
            ("rustc", 1, 90),
            ("cargo", 1, 90),
            ("libstd-rust-dev-wasm32", 1, 90),
            ("lld", 19, 0),
        ]);
        let packages = choose(&newer, MSRV, false).unwrap();
        assert_eq!(packages, ["rustc", "cargo", "libstd-rust-dev-wasm32", "lld"]);
    }

    #[test]
    fn nothing_is_chosen_when_all_are_too_old_or_no_linker_is_new_enough() {
        let old = offers(&[
            ("rustc", 1, 63),
            ("cargo", 0, 66),
            ("libstd-rust-dev-wasm32", 1, 63),
            ("lld", 14, 0),
        ]);
        assert_eq!(choose(&old, MSRV, true), None);
        let no_linker = offers(&[
            ("rustc-web", 1, 96),
            ("cargo-web", 1, 96),
            ("rust-web-src", 1, 96),
            ("lld", 14, 0),
        ]);
        assert_eq!(choose(&no_linker, MSRV, false), None);
    }
}

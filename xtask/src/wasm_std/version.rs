//! A compiler's version, as far as decisions need it: major and minor.

use core::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    #[cfg(test)]
    pub(crate) const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Reads `1.96.0`, `1.88`, and a Debian version such as `1:19.1.7-3~deb12u1`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.split_once(':').map_or(text, |(_epoch, rest)| rest);
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next().and_then(|number| number.parse().ok()).unwrap_or(0);
        Some(Self { major, minor })
    }

    /// The first version in a line such as `rustc 1.96.0 (ac68faa20 2026-05-25)`.
    pub(crate) fn find(line: &str) -> Option<Self> {
        line.split_whitespace().find_map(Self::parse)
    }

    pub(crate) const fn major(self) -> u32 {
        self.major
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_manifests_packages_and_programs() {
        assert_eq!(Version::parse("1.88"), Some(Version::new(1, 88)));
        assert_eq!(Version::parse("1.96.0+dfsg1-1~deb12u2"), Some(Version::new(1, 96)));
        assert_eq!(Version::parse("1:19.1.7-3~deb12u1"), Some(Version::new(19, 1)));
        assert_eq!(Version::parse("(none)"), None);
        assert_eq!(Version::find("rustc 1.95.0 (59807616e 2026-04-14)"), Some(Version::new(1, 95)));
        assert_eq!(Version::find("Debian LLD 19.1.7"), Some(Version::new(19, 1)));
    }

    #[test]
    fn a_newer_version_is_greater() {
        assert!(Version::new(1, 100) > Version::new(1, 96));
    }
}

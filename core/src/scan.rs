//! A cursor over bytes: the readers of header values walk one, forwards only.

/// The bytes that are still to be read.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'a>(&'a [u8]);

impl<'a> Scan<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Takes the next byte if it is `byte`.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        self.eat_if(|b| b == byte).is_some()
    }

    /// Takes the next byte if it passes `test`.
    pub(crate) fn eat_if(&mut self, test: impl Fn(u8) -> bool) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        if !test(first) {
            return None;
        }
        self.0 = rest;
        Some(first)
    }

    /// Takes the bytes of `prefix` if they come next.
    pub(crate) fn eat_all(&mut self, prefix: &[u8]) -> bool {
        let rest = self.0.strip_prefix(prefix);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes all next bytes that pass `test`.
    pub(crate) fn take(&mut self, test: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.0.iter().position(|&b| !test(b)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at_checked(end).unwrap_or((self.0, &[]));
        self.0 = rest;
        taken
    }

    /// Takes spaces and tabs; true if there was one.
    pub(crate) fn blanks(&mut self) -> bool {
        !self.take(|b| matches!(b, b' ' | b'\t')).is_empty()
    }

    /// Takes ASCII letters.
    pub(crate) fn letters(&mut self) -> &'a [u8] {
        self.take(|b| b.is_ascii_alphabetic())
    }

    /// Takes all digits that come next: a number of exactly `min` to `max` (at most 9) of them.
    pub(crate) fn number(&mut self, min: usize, max: usize) -> Option<u32> {
        let digits = self.take(|b| b.is_ascii_digit());
        if digits.len() < min || digits.len() > max.min(9) {
            return None;
        }
        Some(digits.iter().fold(0, |n, d| n * 10 + u32::from(d - b'0')))
    }

    /// What was read between this place and `later`, a later place of the same bytes.
    pub(crate) fn until(self, later: Self) -> &'a [u8] {
        self.0.get(..self.0.len().saturating_sub(later.0.len())).unwrap_or_default()
    }

    /// Whether everything was read.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

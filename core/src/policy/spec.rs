//! What a number of a policy is: its unit, its range, and both in words.

use alloc::string::String;

use crate::text::{join, number, trim_end};

/// What a number is, and from where to where it goes (both ends included).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub(crate) unit: Unit,
    pub(crate) min: u64,
    pub(crate) max: u64,
    /// Whether a document may say null.
    pub(crate) null: bool,
}

/// What one step of a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// One.
    Count,
    /// A millisecond.
    Millis,
    /// A unit of the last of so many decimals.
    Decimals(u8),
}

/// The longest duration of a policy: 366 days in milliseconds.
pub(crate) const LONGEST: u64 = 31_622_400_000;

/// Any duration.
pub(crate) const DURATION: Spec = Spec::span(0, LONGEST);
/// Any duration, or none.
pub(crate) const DURATION_OR_NULL: Spec = DURATION.or_null();
/// A count of up to a million.
pub(crate) const MILLION: Spec = Spec::count(0, 1_000_000);
/// Nothing to all, in ten-thousandths.
pub(crate) const SHARE: Spec = Spec::fraction(0, 10_000, 4);

impl Spec {
    /// A whole number.
    pub(crate) const fn count(min: u64, max: u64) -> Self {
        Self { unit: Unit::Count, min, max, null: false }
    }

    /// A duration in milliseconds.
    pub(crate) const fn span(min: u64, max: u64) -> Self {
        Self { unit: Unit::Millis, min, max, null: false }
    }

    /// A number with decimals; the ends are in the unit of the last decimal.
    pub(crate) const fn fraction(min: u64, max: u64, decimals: u8) -> Self {
        Self { unit: Unit::Decimals(decimals), min, max, null: false }
    }

    /// The same, or null.
    #[must_use]
    pub(crate) const fn or_null(mut self) -> Self {
        self.null = true;
        self
    }

    /// Whether the number is in range.
    pub(crate) const fn accepts(&self, value: u64) -> bool {
        self.min <= value && value <= self.max
    }

    /// How many decimals it has.
    pub(crate) const fn decimals(&self) -> u8 {
        match self.unit {
            Unit::Count | Unit::Millis => 0,
            Unit::Decimals(decimals) => decimals,
        }
    }

    /// What is allowed, in words.
    pub(crate) fn phrase(&self) -> String {
        let (min, max) = (self.show(self.min), self.show(self.max));
        let null = if self.null { " or null" } else { "" };
        match self.unit {
            Unit::Count => join(&["an integer from ", &min, " to ", &max, null]),
            Unit::Millis => {
                join(&["a whole number of milliseconds from ", &min, " to ", &max, null])
            }
            Unit::Decimals(decimals) => join(&[
                "a number from ",
                &min,
                " to ",
                &max,
                " with at most ",
                &number(decimals.into()),
                " decimals",
                null,
            ]),
        }
    }

    /// A value as a document writes it.
    pub(crate) fn show(&self, value: u64) -> String {
        let decimals = self.decimals();
        let unit = 10_u64.pow(u32::from(decimals));
        let (whole, rest) = (value / unit, value % unit);
        if rest == 0 {
            return number(whole);
        }
        // A one in front keeps the zeros after the point.
        let decimals = number(unit + rest);
        join(&[&number(whole), ".", trim_end(decimals.get(1..).unwrap_or_default(), b'0')])
    }
}

/// The status codes that a policy can name.
pub(crate) const STATUS: Spec = Spec::count(100, 999);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_documents_write_them() {
        let ratio = Spec::fraction(0, 10_000_000, 4);
        for (value, shown) in [(0, "0"), (1, "0.0001"), (1_000, "0.1"), (12_500, "1.25")] {
            assert_eq!(ratio.show(value), shown);
        }
        assert_eq!(Spec::count(1, 5).show(3), "3");
    }
}

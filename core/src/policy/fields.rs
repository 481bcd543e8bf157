//! Each field of a policy is listed once, as a call of a [`Visitor`]: its name, its type, its range
//! and where it is kept. Its default is what the place holds in a `Default` value.
//!
//! The JSON reader fills the places, the checker looks at what somebody else filled in.
#![cfg_attr(
    not(feature = "json"),
    expect(dead_code, reason = "only documents are read into their places")
)]

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::{
    classify::Class,
    policy::{
        Beyond, BreakerKind, BudgetKind, Curve, HintMode, Jitter, KeyFormat, KeyVersion,
        LeaseExpiry, Safety, WindowKind,
    },
    text::{after, join, number, trim_end},
    time::Millis,
};

/// A part of a policy that has fields.
pub(crate) trait Fields {
    /// Shows each field to the visitor, always in the same order.
    fn fields(&mut self, v: &mut dyn Visitor);
}

/// What is done with each field.
pub(crate) trait Visitor {
    /// A number in the unit of its place.
    fn number(&mut self, name: &'static str, spec: Spec, slot: Slot<'_>);
    /// A boolean.
    fn flag(&mut self, name: &'static str, slot: &mut bool);
    /// One of a few names; `false` when the document has something else there.
    fn name(&mut self, name: &'static str, slot: &mut dyn Named) -> bool;
    /// A text.
    fn text(&mut self, name: &'static str, rule: TextRule, slot: &mut Option<Box<str>>);
    /// A list of texts.
    fn texts(&mut self, name: &'static str, rule: TextRule, slot: &mut Vec<String>);
    /// A list of status codes.
    fn statuses(&mut self, name: &'static str, slot: &mut Vec<u16>);
    /// An object.
    fn object(&mut self, name: &'static str, slot: &mut dyn Fields);
    /// An object, or null.
    fn optional(&mut self, name: &'static str, slot: &mut dyn Optional);
    /// A list of objects.
    fn objects(&mut self, name: &'static str, slot: &mut dyn Objects);
    /// Fields that this object would have with its `kind` being `kind`. When its kind is not
    /// `known`, they are let pass unread.
    fn others(&mut self, kind: &'static str, known: bool, fields: &mut dyn Fields);
}

/// An object or null.
pub(crate) trait Optional {
    /// Makes it null.
    fn clear(&mut self);
    /// The object; with its defaults if it was null.
    fn open(&mut self) -> &mut dyn Fields;
    /// The object, if it is not null.
    fn get(&mut self) -> Option<&mut dyn Fields>;
}

impl<T: Fields + Default> Optional for Option<T> {
    fn clear(&mut self) {
        *self = None;
    }

    fn open(&mut self) -> &mut dyn Fields {
        self.get_or_insert_default()
    }

    fn get(&mut self) -> Option<&mut dyn Fields> {
        self.as_mut().map(|object| object as &mut dyn Fields)
    }
}

/// A list of objects.
pub(crate) trait Objects {
    /// Makes it a list of `len` default values.
    fn reset(&mut self, len: usize);
    /// Shows each.
    fn each(&mut self, f: &mut dyn FnMut(usize, &mut dyn Fields));
}

impl<T: Fields + Default> Objects for Vec<T> {
    fn reset(&mut self, len: usize) {
        self.clear();
        self.resize_with(len, T::default);
    }

    fn each(&mut self, f: &mut dyn FnMut(usize, &mut dyn Fields)) {
        self.iter_mut().enumerate().for_each(|(index, object)| f(index, object));
    }
}

/// Where a number is kept.
pub(crate) enum Slot<'a> {
    /// A count, or a fraction in the smallest unit of its [`Spec`].
    Count(&'a mut u32),
    /// A duration.
    Span(&'a mut Millis),
    /// A duration or nothing.
    MaybeSpan(&'a mut Option<Millis>),
}

impl Slot<'_> {
    /// What is kept there.
    pub(crate) fn get(&self) -> Option<u64> {
        match self {
            Self::Count(place) => Some(u64::from(**place)),
            Self::Span(place) => Some(place.get()),
            Self::MaybeSpan(place) => place.map(Millis::get),
        }
    }

    /// Keeps a value that its [`Spec`] accepts. Only a place that can hold it takes `None`.
    pub(crate) fn set(self, value: Option<u64>) {
        match (self, value) {
            // Every count's spec ends far below 2^32.
            (Self::Count(place), Some(value)) => *place = u32::try_from(value).unwrap_or(u32::MAX),
            (Self::Span(place), Some(value)) => *place = Millis::new(value),
            (Self::MaybeSpan(place), value) => *place = value.map(Millis::new),
            (_, None) => {}
        }
    }
}

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

/// One of a few names.
pub(crate) trait Named {
    /// The names.
    fn choices(&self) -> &'static [&'static str];
    /// The name that is kept, if any.
    fn get(&self) -> Option<&'static str>;
    /// Keeps the value with this name, which is one of the choices.
    fn set(&mut self, name: &str);
}

macro_rules! named {
    ($($Type:ty),+) => {
        $(impl Named for $Type {
            fn choices(&self) -> &'static [&'static str] {
                Self::NAMES
            }

            fn get(&self) -> Option<&'static str> {
                Some(self.name())
            }

            fn set(&mut self, name: &str) {
                *self = Self::from_name(name).unwrap_or(*self);
            }
        })+
    };
}

named!(
    Beyond,
    BreakerKind,
    BudgetKind,
    Curve,
    HintMode,
    Jitter,
    KeyFormat,
    KeyVersion,
    LeaseExpiry,
    Safety,
    WindowKind
);

impl Named for Option<Curve> {
    fn choices(&self) -> &'static [&'static str] {
        Curve::NAMES
    }

    fn get(&self) -> Option<&'static str> {
        self.map(Curve::name)
    }

    fn set(&mut self, name: &str) {
        *self = Curve::from_name(name);
    }
}

/// A class that is retried: no wait ever follows another.
impl Named for Option<Class> {
    fn choices(&self) -> &'static [&'static str] {
        const { &[Class::Transient.name(), Class::Throttled.name()] }
    }

    fn get(&self) -> Option<&'static str> {
        self.map(Class::name)
    }

    fn set(&mut self, name: &str) {
        *self = Class::from_name(name);
    }
}

/// What a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextRule {
    /// Anything that is not empty.
    Text,
    /// A token of RFC 9110 §5.6.2: what header names and methods are made of.
    Token,
    /// A token, or null for none.
    MaybeToken,
    /// An origin of a match rule.
    Origin,
    /// A path pattern of a match rule.
    Path,
}

impl TextRule {
    /// Whether the text is allowed.
    pub(crate) fn accepts(self, text: &str) -> bool {
        let fits = !text.is_empty() && text.len() <= Self::MAX_BYTES;
        fits && match self {
            Self::Text => true,
            Self::Token | Self::MaybeToken => text.bytes().all(is_token_byte),
            Self::Origin => match after(text, "://") {
                Some(authority) => {
                    let authority = trim_end(authority, b'/');
                    !text.starts_with(':')
                        && !authority.is_empty()
                        && !authority.bytes().any(|b| matches!(b, b'/' | b'?' | b'#' | b'@'))
                }
                None => text == "*",
            },
            Self::Path => {
                matches!(text.as_bytes(), [b'/' | b'*', ..])
                    && !text.bytes().any(|b| matches!(b, b'?' | b'#'))
            }
        }
    }

    /// What is allowed, in words.
    pub(crate) const fn phrase(self) -> &'static str {
        match self {
            Self::Text => "a text of 1 to 1024 bytes",
            Self::Token => "a token (RFC 9110) of 1 to 1024 bytes",
            Self::MaybeToken => "a token (RFC 9110) of 1 to 1024 bytes or null",
            Self::Origin => "an origin such as \"https://api.example.com\", or \"*\"",
            Self::Path => "a path that starts with \"/\" or \"*\", without query",
        }
    }

    const MAX_BYTES: usize = 1024;
}

/// The status codes that a policy can name.
pub(crate) const STATUS: Spec = Spec::count(100, 999);

const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

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

    #[test]
    fn a_token_has_no_room_for_a_second_header() {
        for good in ["Idempotency-Key", "X-Request-Id", "!#$%&'*+-.^_`|~09azAZ"] {
            assert!(TextRule::Token.accepts(good), "{good}");
        }
        for bad in ["", "a b", "a:b", "a\r\nb", "a\0", "é", "a\"", "(a)", "a\t"] {
            assert!(!TextRule::Token.accepts(bad), "{bad:?}");
        }
        let longest = "a".repeat(1024);
        assert!(TextRule::Token.accepts(&longest));
        assert!(!TextRule::Token.accepts(&(longest + "a")));
    }

    #[test]
    fn an_origin_has_scheme_and_host_and_nothing_after() {
        for good in ["https://a.example", "http://localhost:8080", "https://*.a.example/", "*"] {
            assert!(TextRule::Origin.accepts(good), "{good}");
        }
        for bad in ["", "a.example", "https://", "://a", "https://a/b", "https://a?b", "http://u@a"]
        {
            assert!(!TextRule::Origin.accepts(bad), "{bad}");
        }
    }

    #[test]
    fn a_path_pattern_is_rooted() {
        for (pattern, good) in
            [("/", true), ("/v1/*", true), ("*", true), ("v1", false), ("", false), ("/a?b", false)]
        {
            assert_eq!(TextRule::Path.accepts(pattern), good, "{pattern}");
        }
    }
}
